// Kubeconfig, credentials, client and TLS together, against a real server on loopback.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "kube/temp_dir.h"
#include "kube/text.h"
#include "kube_events/kube/access.h"
#include "kube_events/kube/kube_client.h"
#include "kube_events/net/cpprest_client.h"
#include "net/recording_observer.h"
#include "support/fake_clock.h"
#include "support/scripted_server.h"

namespace kube_events {
namespace {

TEST(AccessLive, ListsOverTlsWithTheTokenOfAKubeconfig) {
  const TestAuthority authority;
  ScriptedServer server(
      [](ScriptedConnection& connection) {
        while (!connection.ReadRequest().empty()) connection.Respond(200, R"({"items":[]})");
      },
      ScriptedTls{authority.Issue(), ""});
  const TempDir dir;
  AccessOptions options;
  options.environment = [](const std::string&) { return std::nullopt; };
  options.kubeconfig =
      dir.Write("config", "current-context: x\ncontexts: [{name: x, context: {cluster: c, user: u}}]\nclusters:\n" +
                              std::string("- name: c\n  cluster: {server: \"") + server.url() +
                              "/prefix\", certificate-authority-data: " + Base64Encoded(authority.cert_pem()) +
                              "}\nusers: [{name: u, user: {tokenFile: token}}]\n");
  dir.Write("token", "one\n");
  FakeClock clock;
  const ClusterAccess access = ResolveAccess(options, clock).value();
  const auto http = MakeCpprestClient(access.server, access.tls).value();
  KubeClient client(*http, *access.credentials);
  for (const char* token : {"one", "two"}) {
    dir.Write("token", token);
    clock.Advance(std::chrono::seconds(60));
    RecordingObserver observer;
    const auto exchange = client.ListEvents({}, {}, observer).value();
    ASSERT_TRUE(observer.WaitForEnd());
    EXPECT_EQ(observer.body(), R"({"items":[]})");
    const std::string request = server.requests().back();
    EXPECT_TRUE(request.starts_with("GET /prefix/api/v1/events?limit=500 HTTP/1.1\r\n")) << request;
    EXPECT_NE(request.find("\r\nAuthorization:Bearer " + std::string(token) + "\r\n"), std::string::npos) << request;
  }
}

}  // namespace
}  // namespace kube_events
