// Many clients, too few file descriptors, and the end of the server amid all that.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <future>
#include <thread>
#include <vector>

#include "serve/server_fixture.h"
#include "support/eventually.h"

namespace kube_events {
namespace {

using namespace std::chrono_literals;

// Sets the soft limit of open files as long as it lives.
class FileLimit {
 public:
  explicit FileLimit(rlim_t files) {
    getrlimit(RLIMIT_NOFILE, &before_);
    const rlimit limit{std::min(files, before_.rlim_max), before_.rlim_max};
    setrlimit(RLIMIT_NOFILE, &limit);
  }
  ~FileLimit() { setrlimit(RLIMIT_NOFILE, &before_); }
  FileLimit(const FileLimit&) = delete;
  FileLimit& operator=(const FileLimit&) = delete;
  static rlim_t Current() {
    rlimit limit{};
    getrlimit(RLIMIT_NOFILE, &limit);
    return limit.rlim_cur;
  }

 private:
  rlimit before_{};
};

// Holds every file descriptor that is left, but for `spare` of them.
class FileHog {
 public:
  explicit FileHog(std::size_t spare) {
    for (int fd = 0; (fd = open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0;) fds_.push_back(fd);
    Release(spare);
  }
  ~FileHog() { Release(fds_.size()); }
  FileHog(const FileHog&) = delete;
  FileHog& operator=(const FileHog&) = delete;
  void Release(std::size_t count) {
    for (; count > 0 && !fds_.empty(); --count) {
      close(fds_.back());
      fds_.pop_back();
    }
  }

 private:
  std::vector<int> fds_;
};

std::chrono::nanoseconds CpuTime() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return std::chrono::seconds(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         std::chrono::microseconds(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

TEST_F(HttpServerTest, SixHundredSilentConnectionsDoNotKeepOthersOut) {
  const FileLimit limit(2048);
  if (FileLimit::Current() < 1400) GTEST_SKIP() << "the limit of open files is too low for this test";
  Start(Patient());
  std::vector<RawClient> clients;
  for (int i = 0; i < 600; ++i) {
    clients.push_back(Connect());
    if (i % 2 == 0) clients.back().Send("GET / HTT");
  }
  EXPECT_TRUE(Serves());
  EXPECT_LE(server_->Connections(), 512U);
  EXPECT_TRUE(clients.front().AwaitClosed()) << "the oldest had to go";
  clients.back().Send(clients.size() % 2 == 0 ? "GET / HTTP/1.1\r\nHost: x\r\n\r\n" : "");
  EXPECT_EQ(clients.back().Receive().status, 200) << "the newest is served";
  clients.clear();
  EXPECT_TRUE(Eventually([&] { return server_->Connections() == 0; }));
}

TEST_F(HttpServerTest, WhoAsksOftenOutlivesThoseWhoWait) {
  StartWith(&HttpServerOptions::max_connections, 4);
  RawClient busy = Connect();
  std::vector<RawClient> silent;
  for (int i = 0; i < 20; ++i) {
    silent.push_back(Connect());
    ASSERT_EQ(busy.Get("/").status, 200) << "after " << i + 1 << " silent connections";
  }
}

TEST_F(HttpServerTest, WhereAllConnectionsAreAnsweredSlowlyTheOldestMakesRoom) {
  HttpServerOptions options = Patient();
  options.max_connections = 3;
  options.max_pending_bytes = 10 * kBigSize;
  Start(std::move(options));
  std::vector<RawClient> slow;
  for (int i = 0; i < 3; ++i) slow.push_back(AskForBig());
  EXPECT_TRUE(Serves());
  EXPECT_FALSE(slow[0].Receive());
  EXPECT_TRUE(slow[2].Receive());
}

TEST_F(HttpServerTest, WithoutFileDescriptorsItWaitsInsteadOfSpinning) {
  const FileLimit limit(256);
  Start(Patient());
  FileHog hog(1);
  RawClient client = Connect();  // takes the last one; the kernel completes the connection by itself
  client.Send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  const auto before = CpuTime();
  EXPECT_FALSE(client.AwaitReadable(500));
  EXPECT_LT(CpuTime() - before, 250ms) << "of half a second";
  hog.Release(10);
  const auto response = client.Receive();
  ASSERT_TRUE(response) << "served as soon as there are some again";
  EXPECT_EQ(response.status, 200);
}

TEST_F(HttpServerTest, WithoutFileDescriptorsTheOldestConnectionMakesRoom) {
  const FileLimit limit(256);
  Start(Patient());
  RawClient idle = Connect();
  ASSERT_EQ(idle.Get("/").status, 200);
  const FileHog hog(1);
  RawClient client = Connect();
  EXPECT_EQ(client.Get("/").status, 200);
  EXPECT_TRUE(idle.AwaitClosed());
}

TEST_F(HttpServerTest, StoppingEndsAtOnceWithSilentAndSlowClients) {
  HttpServerOptions options = Patient();
  options.stop_grace = 100ms;
  options.max_pending_bytes = 10 * kBigSize;
  Start(std::move(options));
  RawClient silent = Connect();
  RawClient half = Connect();
  half.Send("GET / HT");
  RawClient idle = Connect();
  ASSERT_EQ(idle.Get("/").status, 200);
  std::vector<RawClient> slow;
  for (int i = 0; i < 5; ++i) slow.push_back(AskForBig());
  const auto port = server_->Port();
  const auto begin = std::chrono::steady_clock::now();
  server_.reset();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 2s);
  EXPECT_TRUE(silent.AwaitClosed());
  EXPECT_TRUE(half.AwaitClosed());
  EXPECT_TRUE(idle.AwaitClosed());
  EXPECT_THROW(RawClient{port}, std::runtime_error) << "nobody listens any more";
}

TEST_F(HttpServerTest, StoppingLetsAnAnswerUnderWayEnd) {
  StartWith(&HttpServerOptions::stop_grace, 10s);
  RawClient client = AskForBig();
  auto stopped = std::async(std::launch::async, [this] { server_.reset(); });
  const auto response = client.Receive();
  ASSERT_TRUE(response);
  EXPECT_EQ(response.body.size(), kBigSize);
  EXPECT_EQ(stopped.wait_for(5s), std::future_status::ready) << "the grace is no delay once all is said";
}

TEST_F(HttpServerTest, StoppingWithoutClientsTakesNoTime) {
  StartWith(&HttpServerOptions::stop_grace, 1h);
  const auto begin = std::chrono::steady_clock::now();
  server_.reset();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 10s);
}

TEST_F(HttpServerTest, StoppingWhileManyClientsAskIsClean) {
  Start(Patient());
  std::vector<std::thread> clients;
  clients.reserve(4);
  std::atomic<int> answers = 0;
  for (int i = 0; i < 4; ++i) {
    clients.emplace_back([&, port = server_->Port()] {
      try {
        for (;;) {
          RawClient client(port);
          for (int k = 0; k < 10; ++k) {
            if (!client.Get("/")) return;
            ++answers;
          }
        }
      } catch (const std::runtime_error&) {
        // The server is gone.
      }
    });
  }
  EXPECT_TRUE(Eventually([&] { return answers > 200; }));
  server_.reset();
  for (auto& client : clients) client.join();
}

}  // namespace
}  // namespace kube_events
