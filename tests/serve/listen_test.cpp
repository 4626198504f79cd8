// Which addresses a server listens on, and what it says where it cannot.
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <thread>

#include "kube_events/serve/http_server.h"
#include "serve/raw_client.h"

namespace kube_events {
namespace {

using testing::HasSubstr;

HttpListener Listener(const std::string& host, std::uint16_t port = 0) {
  HttpListener listener{
      .host = host, .port = port, .router = {}, .host_flag = "--exporter-host", .port_flag = "--exporter-port"};
  listener.router.Add({"GET", "/", [](const HttpQuery&) { return HttpReply{.body = "hello\n"}; }});
  return listener;
}

bool AnswersAt(const HttpServer& server, const std::string& address) {
  const auto response = RawClient(server.Port(), address).Get("/");
  return response.body == "hello\n";
}

bool MachineHasIpv6() {
  const int fd = socket(AF_INET6, SOCK_STREAM, 0);
  sockaddr_in6 address{};
  address.sin6_family = AF_INET6;
  address.sin6_addr = in6addr_loopback;
  const bool works = fd >= 0 && bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  if (fd >= 0) close(fd);
  return works;
}

// From now on this thread and those that it starts live on a machine without IPv6. False where that cannot be done.
bool TakeIpv6Away() {
  sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args[0])),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_INET6, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EAFNOSUPPORT),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog filter{std::size(program), program};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

TEST(ListenTest, WithoutIpv6AllIpv4InterfacesAreServed) {
  std::string outcome;
  std::thread([&outcome] {
    if (!TakeIpv6Away()) {
      outcome = "skip";
      return;
    }
    if (MachineHasIpv6()) outcome = "IPv6 is still there";
    const auto server = HttpServer::Start({Listener("")}, {});
    if (!server) {
      outcome += server.error().message;
    } else if (!AnswersAt(**server, "127.0.0.1")) {
      outcome += "no answer";
    }
  }).join();
  if (outcome == "skip") GTEST_SKIP() << "this system does not let a thread filter its system calls";
  EXPECT_EQ(outcome, "");
}

TEST(ListenTest, WithoutAHostAllInterfacesAreServed) {
  const auto server = HttpServer::Start({Listener("")}, {});
  ASSERT_TRUE(server) << server.error().message;
  EXPECT_TRUE(AnswersAt(**server, "127.0.0.1"));
  if (MachineHasIpv6()) {
    EXPECT_TRUE(AnswersAt(**server, "::1"));
  }
}

TEST(ListenTest, AnIpv4HostServesThatAddressOnly) {
  const auto server = HttpServer::Start({Listener("127.0.0.1")}, {});
  ASSERT_TRUE(server) << server.error().message;
  EXPECT_TRUE(AnswersAt(**server, "127.0.0.1"));
  EXPECT_THROW(AnswersAt(**server, "127.0.0.2"), std::runtime_error);
}

TEST(ListenTest, AnIpv6HostMayHaveBrackets) {
  if (!MachineHasIpv6()) GTEST_SKIP() << "this machine has no IPv6";
  for (const auto* host : {"::1", "[::1]"}) {
    const auto server = HttpServer::Start({Listener(host)}, {});
    ASSERT_TRUE(server) << server.error().message;
    EXPECT_TRUE(AnswersAt(**server, "::1"));
    EXPECT_THROW(AnswersAt(**server, "127.0.0.1"), std::runtime_error);
  }
}

TEST(ListenTest, AllIpv6AddressesMeansIpv4Too) {
  if (!MachineHasIpv6()) GTEST_SKIP() << "this machine has no IPv6";
  const auto server = HttpServer::Start({Listener("::")}, {});
  ASSERT_TRUE(server) << server.error().message;
  EXPECT_TRUE(AnswersAt(**server, "127.0.0.1"));
}

TEST(ListenTest, AHostNameStandsForItsIpv4Address) {
  const auto server = HttpServer::Start({Listener("localhost")}, {});
  ASSERT_TRUE(server) << server.error().message;
  EXPECT_TRUE(AnswersAt(**server, "127.0.0.1"));
}

TEST(ListenTest, APortInUseIsSaidWithTheRemedy) {
  const auto first = HttpServer::Start({Listener("127.0.0.1")}, {});
  ASSERT_TRUE(first);
  const std::uint16_t port = (*first)->Port();
  for (const auto* host : {"127.0.0.1", ""}) {
    const auto second = HttpServer::Start({Listener(host, port)}, {});
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().kind, ErrorKind::kRetry) << "no fault of the flags";
    EXPECT_THAT(second.error().message, HasSubstr(":" + std::to_string(port)));
    EXPECT_THAT(second.error().message, HasSubstr("port is in use"));
    EXPECT_THAT(second.error().message, HasSubstr("--exporter-port"));
    EXPECT_EQ(second.error().message.find('\n'), std::string::npos);
  }
  EXPECT_TRUE(AnswersAt(**first, "127.0.0.1")) << "the first is not disturbed";
}

TEST(ListenTest, WhatFailsAtTheSecondListenerClosesTheFirst) {
  const auto blocker = HttpServer::Start({Listener("127.0.0.1")}, {});
  ASSERT_TRUE(blocker);
  auto probe = HttpServer::Start({Listener("127.0.0.1")}, {});
  const std::uint16_t free_port = (*probe)->Port();
  (*probe).reset();
  ASSERT_FALSE(HttpServer::Start({Listener("127.0.0.1", free_port), Listener("127.0.0.1", (*blocker)->Port())}, {}));
  EXPECT_THROW(RawClient{free_port}, std::runtime_error);
}

TEST(ListenTest, APortCanBeUsedAgainAtOnce) {
  auto server = HttpServer::Start({Listener("127.0.0.1")}, {});
  ASSERT_TRUE(server);
  const std::uint16_t port = (*server)->Port();
  RawClient client(port);
  ASSERT_TRUE(client.Get("/"));
  server->reset();  // the server closes first, so its end of the connection lingers in TIME_WAIT
  const auto again = HttpServer::Start({Listener("127.0.0.1", port)}, {});
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_TRUE(AnswersAt(**again, "127.0.0.1"));
}

TEST(ListenTest, AHostThatIsNotOursIsSaidWithTheRemedy) {
  // The second is too long for a name, so that no name server is asked.
  for (const std::string& host : {std::string("192.0.2.1"), std::string(64, 'x') + ".invalid"}) {
    const auto server = HttpServer::Start({Listener(host)}, {});
    ASSERT_FALSE(server) << host;
    EXPECT_EQ(server.error().kind, ErrorKind::kConfiguration);
    EXPECT_THAT(server.error().message, HasSubstr(host));
    EXPECT_THAT(server.error().message, HasSubstr("--exporter-host"));
  }
}

TEST(ListenTest, APrivilegedPortIsSaidWithTheRemedy) {
  if (geteuid() == 0) GTEST_SKIP() << "root may use any port";
  const auto server = HttpServer::Start({Listener("127.0.0.1", 1)}, {});
  if (server) GTEST_SKIP() << "this machine lets everybody use any port";
  EXPECT_THAT(server.error().message, HasSubstr("permission denied"));
  EXPECT_THAT(server.error().message, HasSubstr("--exporter-port"));
}

}  // namespace
}  // namespace kube_events
