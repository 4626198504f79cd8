#include <stdexcept>

#include "sim/sim_test_support.h"
#include "support/eventually.h"
#include "support/test_certificates.h"

namespace kube_events::sim {
namespace {

using namespace std::chrono_literals;

TEST(Server, TakenPortIsAnErrorThatSaysWhatToDo) {
  SimServer first;
  try {
    SimServer second({.port = first.Port()});
    FAIL() << "two servers on one port";
  } catch (const std::runtime_error& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find(std::to_string(first.Port())), std::string::npos) << text;
    EXPECT_NE(text.find("--port"), std::string::npos) << text;
  }
}

TEST(Server, EndsAtOnceWithOpenWatches) {
  auto server = std::make_unique<SimServer>();
  FetchStream stream(WatchUrl(*server, 1));
  const auto begin = std::chrono::steady_clock::now();
  server.reset();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 2s);
  EXPECT_EQ(stream.NextLine(), std::nullopt);
  EXPECT_NE(stream.end(), FetchEnd::kComplete);
}

TEST(Server, CloseConnectionsEndsThemAll) {
  SimServer server;
  FetchStream stream(WatchUrl(server, 1));
  server.CloseConnections();
  EXPECT_EQ(stream.NextLine(), std::nullopt);
  EXPECT_TRUE(server.WaitForWatches(0));
}

TEST(Server, CountsRequestsByVerb) {
  SimServer server;
  Get(server.Url() + "/api/v1/events");
  Get(server.Url() + "/api/v1/events?limit=3");
  Get(server.Url() + "/api/v1/namespaces/shop/events/a");
  EXPECT_EQ(server.State().requests, (std::map<std::string, std::uint64_t>{{"get", 1}, {"list", 2}}));
  EXPECT_EQ(Get(server.Url() + "/healthz").body, "ok");
}

TEST(Server, TellsWhatWasWrittenUnlessItIsCompactedAway) {
  SimServer server;
  const EventObject created = server.Create(MakeEvent("default", "a")).value();
  server.Update(created);
  const EventObject deleted = server.Delete("default", "a").value();
  const auto changes = server.ChangesSince(created.metadata.resource_version);
  ASSERT_TRUE(changes);
  ASSERT_EQ(changes->size(), 2U);
  EXPECT_FALSE(changes->front().deleted);
  EXPECT_TRUE(changes->back().deleted);
  EXPECT_EQ(changes->back().revision, deleted.metadata.resource_version);
  EXPECT_EQ(changes->back().uid, created.metadata.uid);
  server.Compact();
  EXPECT_FALSE(server.ChangesSince(created.metadata.resource_version));
}

class TlsServer : public ::testing::Test {
 protected:
  SimServerOptions Options(bool require) {
    const TestCertificate certificate = authority_.Issue({.common_name = "sim"});
    SimTls tls{certificate.cert_pem, certificate.key_pem, clients_.cert_pem(), require};
    return {.tls = tls, .tokens = {{"good", "alice"}}};
  }

  TestAuthority authority_;
  TestAuthority clients_{"client CA"};
};

TEST_F(TlsServer, ServesHttpsToWhoTrustsItsCa) {
  SimServer server(Options(false));
  ASSERT_TRUE(server.Url().starts_with("https://"));
  const std::string url = server.Url() + "/api/v1/events";
  const std::vector<std::pair<std::string, std::string>> token = {{"Authorization", "Bearer good"}};
  EXPECT_EQ(Get(url, {.headers = token, .ca_pem = authority_.cert_pem()}).status, 200);
  EXPECT_EQ(Get(url, {.headers = token, .ca_pem = clients_.cert_pem()}).status, 0) << "another CA";
  FetchStream stream(url + "?watch=1&resourceVersion=1", {.headers = token, .ca_pem = authority_.cert_pem()});
  server.Create(MakeEvent("shop", "a"));
  EXPECT_EQ(NextFrame(stream)["type"], "ADDED");
}

TEST_F(TlsServer, ClientCertificateNamesTheUser) {
  SimServer server(Options(true));
  server.SetDenied({{.verb = "list"}});
  const TestCertificate client = clients_.Issue({.common_name = "bob"});
  const auto response =
      Get(server.Url() + "/api/v1/events",
          {.ca_pem = authority_.cert_pem(), .certificate_pem = client.cert_pem, .key_pem = client.key_pem});
  EXPECT_EQ(response.status, 403);
  EXPECT_NE(response.body.find("bob"), std::string::npos) << response.body;
  EXPECT_EQ(Get(server.Url() + "/api/v1/events", {.ca_pem = authority_.cert_pem()}).status, 0);
}

TEST_F(TlsServer, BrokenCertificateIsAnErrorAtStart) {
  SimServerOptions options = Options(false);
  options.tls->certificate = "no PEM";
  EXPECT_THROW(SimServer{options}, std::runtime_error);
}

}  // namespace
}  // namespace kube_events::sim
