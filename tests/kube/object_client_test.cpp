// Single objects against the simulated API server, over real sockets.
#include "kube_events/kube/object_client.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <nlohmann/json.hpp>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "net/client_under_test.h"
#include "sim/sim_server.h"
#include "support/eventually.h"
#include "support/fake_http_client.h"

namespace kube_events {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;

class TokenUnderTest final : public Credentials {
 public:
  Result<std::vector<HttpHeader>> Headers() override {
    if (token.empty()) return Fail(ErrorKind::kConfiguration, "no token");
    return std::vector<HttpHeader>{{"Authorization", "Bearer " + token}};
  }
  void Refresh() override { ++refreshed; }

  std::string token = "secret";
  int refreshed = 0;
};

class ObjectClientTest : public ::testing::Test {
 protected:
  static json ConfigMap(const std::string& name, json data) {
    return {{"apiVersion", "v1"}, {"kind", "ConfigMap"}, {"metadata", {{"name", name}}}, {"data", std::move(data)}};
  }
  Error FailureOfGet(const CallLimits& limits = {}) {
    const auto result = client_.Get(kMap, limits);
    return result ? Error{ErrorKind::kCancelled, "it did not fail"} : result.error();
  }

  const ObjectPath kMap{"", "configmaps", "shop", "state"};
  const ObjectPath kLease{"coordination.k8s.io", "leases", "shop", "leader"};
  sim::SimServer server_{sim::SimServerOptions{.tokens = {{"secret", "alice"}}}};
  std::unique_ptr<HttpClient> http_ = ClientOf(server_.Url());
  TokenUnderTest credentials_;
  ObjectClient client_{*http_, credentials_};
};

TEST_F(ObjectClientTest, ReadsWhatWasCreatedAndReplaced) {
  const auto created = client_.Create(kMap, ConfigMap("state", {{"a", "1"}}), {});
  ASSERT_TRUE(created) << created.error().message;
  json object = *created;
  EXPECT_EQ(client_.Get(kMap, {}).value(), object);
  object["data"]["a"] = "2";
  const auto replaced = client_.Replace(kMap, object, {});
  ASSERT_TRUE(replaced) << replaced.error().message;
  EXPECT_NE((*replaced)["metadata"]["resourceVersion"], object["metadata"]["resourceVersion"]);
  EXPECT_EQ(client_.Get(kMap, {}).value(), *replaced);
}

TEST_F(ObjectClientTest, KnowsApiGroupsAndObjectsWithoutNamespace) {
  const json lease = {{"apiVersion", "coordination.k8s.io/v1"},
                      {"kind", "Lease"},
                      {"metadata", {{"name", "leader"}}},
                      {"spec", {{"holderIdentity", "me"}}}};
  ASSERT_TRUE(client_.Create(kLease, lease, {}));
  EXPECT_EQ(client_.Get(kLease, {}).value()["spec"]["holderIdentity"], "me");
  EXPECT_EQ(client_.Get({"", "namespaces", "", "kube-system"}, {}).value()["kind"], "Namespace");
}

TEST_F(ObjectClientTest, ReplacesOnlyTheVersionThatWasRead) {
  const json old = client_.Create(kMap, ConfigMap("state", {{"a", "1"}}), {}).value();
  json object = old;
  object["data"]["a"] = "2";
  ASSERT_TRUE(client_.Replace(kMap, object, {}));
  object["data"]["a"] = "3";
  const auto late = client_.Replace(kMap, object, {});
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().kind, ErrorKind::kConflict);
  EXPECT_EQ(late.error().reason, "Conflict");
  EXPECT_EQ(client_.Get(kMap, {}).value()["data"]["a"], "2");
}

TEST_F(ObjectClientTest, TellsWhatIsMissingFromWhatIsThere) {
  const Error missing = FailureOfGet();
  EXPECT_EQ(missing.kind, ErrorKind::kNotFound);
  EXPECT_EQ(missing.message,
            "get of configmaps \"state\" in namespace \"shop\" failed because it does not exist (404): configmaps "
            "\"state\" not found");
  ASSERT_TRUE(client_.Create(kMap, ConfigMap("state", json::object()), {}));
  const auto again = client_.Create(kMap, ConfigMap("state", json::object()), {});
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().kind, ErrorKind::kConflict);
  EXPECT_EQ(again.error().reason, "AlreadyExists");
}

TEST_F(ObjectClientTest, NamesTheRightThatIsMissing) {
  server_.SetDenied({{.user = "alice", .verb = "get", .resource = "configmaps"}});
  const Error error = FailureOfGet();
  EXPECT_EQ(error.kind, ErrorKind::kForbidden);
  EXPECT_EQ(error.reason, "Forbidden");
  EXPECT_NE(error.message.find("grant verb get on configmaps in API group \"\""), std::string::npos) << error.message;
}

TEST_F(ObjectClientTest, HasRefusedCredentialsReadAgain) {
  credentials_.token = "old";
  EXPECT_EQ(FailureOfGet().kind, ErrorKind::kUnauthenticated);
  EXPECT_EQ(credentials_.refreshed, 1);
  credentials_.token = "";
  EXPECT_EQ(FailureOfGet().message, "no token");
}

TEST_F(ObjectClientTest, DoesNotRepeatWhatTheServerWillNeverTake) {
  const auto invalid = client_.Create(kMap, ConfigMap("state", {{"a/b", "1"}}), {});
  ASSERT_FALSE(invalid);
  EXPECT_EQ(invalid.error().kind, ErrorKind::kInvalid);
  server_.AddFault({.action = sim::FaultAction::kStatus, .status = 413, .text = "too much"});
  const auto large = client_.Create(kMap, ConfigMap("state", json::object()), {});
  ASSERT_FALSE(large);
  EXPECT_EQ(large.error().kind, ErrorKind::kInvalid);
  EXPECT_EQ(large.error().reason, "RequestEntityTooLarge");
}

TEST_F(ObjectClientTest, WritesBytesThatAreNoUtf8AsReplacementCharacters) {
  ASSERT_TRUE(client_.Create(kMap, ConfigMap("state", {{"a", "x\xFFy"}}), {}));
  EXPECT_EQ(client_.Get(kMap, {}).value()["data"]["a"], "x\xEF\xBF\xBDy");
}

TEST_F(ObjectClientTest, BoundsTheAnswer) {
  ASSERT_TRUE(client_.Create(kMap, ConfigMap("state", {{"a", std::string(10'000, 'x')}}), {}));
  EXPECT_EQ(FailureOfGet({.max_bytes = 5'000}).kind, ErrorKind::kInvalid);
  EXPECT_TRUE(client_.Get(kMap, {}));
}

TEST_F(ObjectClientTest, TakesNothingButAnObjectForAnAnswer) {
  for (const char* text : {"", "[]", "<html>", "{\"kind\":"}) {
    server_.AddFault({.action = sim::FaultAction::kBody, .text = text});
    const Error error = FailureOfGet();
    EXPECT_EQ(error.kind, ErrorKind::kInvalid) << text;
    EXPECT_NE(error.message.find("no JSON object"), std::string::npos) << error.message;
  }
}

TEST_F(ObjectClientTest, GivesUpInTimeOnAServerThatIsSilent) {
  server_.AddFault({.times = -1, .action = sim::FaultAction::kSilence});
  const Error error = FailureOfGet({.timeout = milliseconds{50}});
  EXPECT_EQ(error.kind, ErrorKind::kRetry);
  EXPECT_EQ(error.reason, "timeout");
  EXPECT_NE(error.message.find("get of configmaps \"state\""), std::string::npos) << error.message;
}

TEST_F(ObjectClientTest, SaysWhereTheConnectionBreaks) {
  server_.AddFault({.action = sim::FaultAction::kReset});
  const Error error = FailureOfGet();
  EXPECT_EQ(error.kind, ErrorKind::kRetry);
  EXPECT_NE(error.message.find("get of configmaps \"state\" in namespace \"shop\" failed: "), std::string::npos);
}

TEST(ObjectClientStop, EndsACallUnderWay) {
  FakeHttpClient http;
  TokenUnderTest credentials;
  ObjectClient client(http, credentials);
  std::stop_source stop;
  std::atomic<ErrorKind> kind{ErrorKind::kRetry};
  std::jthread caller([&] {
    const auto result =
        client.Get({"", "configmaps", "shop", "state"}, {.timeout = std::chrono::hours{1}, .stop = stop.get_token()});
    if (!result) kind = result.error().kind;
  });
  EXPECT_EQ(http.at(0).request().target, "/api/v1/namespaces/shop/configmaps/state");
  stop.request_stop();
  caller.join();
  EXPECT_EQ(kind, ErrorKind::kCancelled);
  EXPECT_TRUE(http.at(0).cancelled());
}

TEST(ObjectClientStop, CannotBeLedElsewhereByAName) {
  FakeHttpClient http;
  TokenUnderTest credentials;
  ObjectClient client(http, credentials);
  std::jthread caller([&] { (void)client.Get({"a/b", "c?d", "../e", "f#g"}, {}); });
  EXPECT_EQ(http.at(0).request().target, "/apis/a%2Fb/v1/namespaces/..%2Fe/c%3Fd/f%23g");
  http.at(0).Respond(404, "");
}

}  // namespace
}  // namespace kube_events
