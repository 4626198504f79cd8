// The client through an http proxy.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "net/client_under_test.h"
#include "net/dead_peers.h"
#include "net/recording_observer.h"
#include "support/connect_proxy.h"
#include "support/scripted_server.h"

// The library loses 32 bytes for each connection that it makes through a proxy.
extern "C" const char* __lsan_default_suppressions() { return "leak:libcpprest.so\n"; }

namespace kube_events {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

std::unique_ptr<HttpClient> ClientThrough(std::uint16_t proxy_port, const std::string& url, TlsSettings settings = {}) {
  Proxy proxy{"127.0.0.1", proxy_port, "me", "p:w"};
  auto client = MakeCpprestClient(
      url, [settings] { return Result<TlsSettings>(settings); }, proxy);
  if (!client) throw std::invalid_argument(client.error().message);
  return std::move(*client);
}

class CpprestProxy : public testing::Test {
 protected:
  TlsSettings Trusting() const {
    TlsSettings settings;
    settings.ca_pem = authority_.cert_pem();
    return settings;
  }
  ScriptedTls Tls() const { return {authority_.Issue(), ""}; }

  const TestAuthority authority_;
};

TEST_F(CpprestProxy, CarriesTlsToTheServerAndKeepsItsNameAndToken) {
  ScriptedServer server(AnswerAll, Tls());
  ConnectProxy proxy(server.port());
  const auto client = ClientThrough(proxy.port(), "https://localhost:6443", Trusting());
  for (HttpRequest request : {Get("/api"), Watch("/watch")}) {
    request.headers = {{"Authorization", "Bearer secret"}};
    RecordingObserver observer;
    const auto exchange = client->Start(std::move(request), observer);
    EXPECT_EQ(Told(observer.WaitForEnd()), "ok");
  }
  ASSERT_THAT(proxy.requests(), SizeIs(2));
  EXPECT_THAT(proxy.requests()[0], StartsWith("CONNECT localhost:6443 HTTP/1.1\r\n"));
  EXPECT_THAT(proxy.requests()[0], HasSubstr("Proxy-Authorization: Basic bWU6cDp3\r\n"));
  EXPECT_THAT(proxy.requests()[0], Not(HasSubstr("secret")));
  EXPECT_THAT(server.requests()[0], HasSubstr("Authorization:Bearer secret\r\n"));
  EXPECT_THAT(server.requests()[0], Not(HasSubstr("Proxy-Authorization")));
}

TEST_F(CpprestProxy, TheServersCertificateIsStillVerified) {
  ScriptedServer server(AnswerAll, ScriptedTls{TestAuthority().Issue(), ""});
  ConnectProxy proxy(server.port());
  const auto client = ClientThrough(proxy.port(), "https://localhost:6443", Trusting());
  RecordingObserver observer;
  const auto exchange = client->Start(Get(), observer);
  EXPECT_THAT(Told(observer.WaitForEnd()), StartsWith("tls: "));
}

TEST_F(CpprestProxy, AnHttpServerIsAskedForThroughTheProxy) {
  ScriptedServer proxy(AnswerAll);
  const auto client = ClientThrough(proxy.port(), "http://api.example:8080/prefix");
  RecordingObserver observer;
  const auto exchange = client->Start(Get("/api?x=1"), observer);
  EXPECT_EQ(Told(observer.WaitForEnd()), "ok");
  EXPECT_THAT(proxy.requests()[0], StartsWith("GET http://api.example:8080/prefix/api?x=1 HTTP/1.1\r\n"));
}

TEST_F(CpprestProxy, ARefusalByTheProxyIsAFailureThatNamesIt) {
  ConnectProxy proxy(0, "HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n");
  const auto client = ClientThrough(proxy.port(), "https://localhost:6443", Trusting());
  RecordingObserver observer;
  const auto exchange = client->Start(Get(), observer);
  const auto end = observer.WaitForEnd();
  ASSERT_FALSE(end);
  EXPECT_EQ(end.error().kind, ErrorKind::kRetry);
  EXPECT_THAT(end.error().message, HasSubstr("proxy http://127.0.0.1:" + std::to_string(proxy.port())));
  EXPECT_THAT(end.error().message, Not(HasSubstr("p:w")));
}

TEST_F(CpprestProxy, AProxyThatIsNotThereIsAFailureThatNamesIt) {
  const auto client = ClientThrough(ClosedPort(), "https://localhost:6443", Trusting());
  RecordingObserver observer;
  const auto exchange = client->Start(Get(), observer);
  EXPECT_THAT(Told(observer.WaitForEnd()), HasSubstr("through the proxy http://127.0.0.1:"));
}

TEST_F(CpprestProxy, AWatchThatTheProxyBreaksEndsAndOneThatFallsSilentIsProbed) {
  ScriptedServer server(StreamAndStay({"one\n"}), Tls());
  ConnectProxy proxy(server.port());
  const auto client = ClientThrough(proxy.port(), "https://localhost:6443", Trusting());
  RecordingObserver observer;
  const auto exchange = client->Start(Watch(), observer);
  ASSERT_TRUE(observer.WaitForBody(4));
  ExpectProbed(proxy.port(), 1);
  proxy.Break();
  const auto end = observer.WaitForEnd();
  ASSERT_FALSE(end);
  EXPECT_EQ(end.error().kind, ErrorKind::kRetry);
}

}  // namespace
}  // namespace kube_events
