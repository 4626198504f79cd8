// ConfigMaps, Leases and Namespaces over HTTP.
#include "sim/sim_test_support.h"

namespace kube_events::sim {
namespace {

using nlohmann::json;

constexpr char kConfigMaps[] = "/api/v1/namespaces/shop/configmaps";
constexpr char kLeases[] = "/apis/coordination.k8s.io/v1/namespaces/shop/leases";

class Objects : public ::testing::Test {
 protected:
  FetchResponse Send(const std::string& method, const std::string& path, const json& body = nullptr,
                     const std::string& type = "application/json") {
    return Fetch(method, server_.Url() + path, body.is_null() ? "" : body.dump(),
                 {.headers = {{"Content-Type", type}}});
  }
  json Create(const std::string& path, const json& object) {
    const auto response = Send("POST", path, object);
    EXPECT_EQ(response.status, 201) << response.body;
    return ParseJson(response.body);
  }
  FetchResponse Merge(const std::string& path, const json& patch) {
    return Send("PATCH", path, patch, "application/merge-patch+json");
  }

  FakeClock clock_;
  SimServer server_{SimServerOptions{.clock = &clock_}};
};

json ConfigMap(const std::string& name, const json& data) { return {{"metadata", {{"name", name}}}, {"data", data}}; }

json Lease(const std::string& holder, const std::string& version = "") {
  json lease = {{"metadata", {{"name", "leader"}}}, {"spec", {{"holderIdentity", holder}}}};
  if (!version.empty()) lease["metadata"]["resourceVersion"] = version;
  return lease;
}

std::string VersionOf(const json& object) { return object["metadata"]["resourceVersion"]; }
std::string ReasonOf(const FetchResponse& response) { return ParseJson(response.body).value("reason", ""); }

TEST_F(Objects, ConfigMapIsServedAsItWasStored) {
  const json created = Create(kConfigMaps, ConfigMap("c", {{"rv", "5"}, {"empty", ""}}));
  EXPECT_EQ(created["kind"], "ConfigMap");
  EXPECT_EQ(created["apiVersion"], "v1");
  EXPECT_EQ(created["data"], (json{{"rv", "5"}, {"empty", ""}}));
  EXPECT_EQ(created["metadata"]["namespace"], "shop");
  EXPECT_EQ(created["metadata"]["creationTimestamp"], "2026-01-01T00:00:00Z");
  EXPECT_EQ(created["metadata"]["managedFields"][0]["fieldsV1"]["f:data"].size(), 3U);
  EXPECT_EQ(GetJson(server_.Url() + kConfigMaps + "/c"), created);
  EXPECT_EQ(ReasonOf(Send("POST", kConfigMaps, ConfigMap("c", {}))), "AlreadyExists");
  EXPECT_EQ(ReasonOf(Send("GET", std::string(kConfigMaps) + "/nope")), "NotFound");
}

TEST_F(Objects, UpdateOfAnOldVersionIsAConflict) {
  const std::string path = std::string(kConfigMaps) + "/c";
  json object = Create(kConfigMaps, ConfigMap("c", {{"a", "1"}}));
  object["data"]["a"] = "2";
  EXPECT_EQ(Send("PUT", path, object).status, 200);
  object["data"]["a"] = "3";
  const auto conflict = Send("PUT", path, object);
  EXPECT_EQ(conflict.status, 409);
  EXPECT_EQ(
      ParseJson(conflict.body)["message"],
      "Operation cannot be fulfilled on configmaps \"c\": the object has been modified; please apply your changes "
      "to the latest version and try again");
  object["metadata"].erase("resourceVersion");
  EXPECT_EQ(Send("PUT", path, object).status, 200) << "without a version";
  EXPECT_EQ(Send("PUT", std::string(kConfigMaps) + "/d", ConfigMap("d", {})).status, 404) << "no creation by update";
}

TEST_F(Objects, MergePatchKeepsToItsVersion) {
  const std::string path = std::string(kConfigMaps) + "/c";
  const json first = Create(kConfigMaps, ConfigMap("c", {{"a", "1"}, {"b", "2"}}));
  const auto merged = Merge(path, {{"data", {{"a", nullptr}, {"c", "3"}}}});
  EXPECT_EQ(ParseJson(merged.body)["data"], (json{{"b", "2"}, {"c", "3"}}));
  const json change = {{"metadata", {{"resourceVersion", VersionOf(first)}}}, {"data", {{"b", "9"}}}};
  EXPECT_EQ(Merge(path, change).status, 409);
  EXPECT_EQ(ReasonOf(Merge(path, change)), "Conflict");
  EXPECT_EQ(Merge(std::string(kConfigMaps) + "/nope", change).status, 404);
  const std::uint64_t revision = server_.State().revision;
  EXPECT_EQ(Merge(path, {{"data", {{"b", "2"}}}}).status, 200);
  EXPECT_EQ(server_.State().revision, revision) << "nothing has changed";
}

TEST_F(Objects, WrongFieldsAreRefused) {
  EXPECT_EQ(Send("POST", kConfigMaps, ConfigMap("c", {{"a", 1}})).status, 400);
  EXPECT_EQ(Send("POST", kConfigMaps, ConfigMap("c", {{"a/b", "1"}})).status, 422);
  EXPECT_EQ(Send("POST", kConfigMaps, ConfigMap("C", {})).status, 422);
  EXPECT_EQ(Send("POST", kConfigMaps, ConfigMap("c", {{"a", std::string((1U << 20U) + 1, 'x')}})).status, 422);
  EXPECT_EQ(Send("POST", kConfigMaps, ConfigMap("c", {{"a", std::string(1U << 20U, 'x')}})).status, 201);
  EXPECT_EQ(Send("POST", kLeases, {{"metadata", {{"name", "l"}}}, {"spec", {{"leaseDurationSeconds", 0}}}}).status,
            422);
  EXPECT_EQ(
      Send("POST", kLeases, {{"metadata", {{"name", "l"}}}, {"spec", {{"renewTime", "2026-01-01T00:00:00Z"}}}}).status,
      400)
      << "six digits";
}

TEST_F(Objects, LeaseIsTakenByOneOnly) {
  const std::string path = std::string(kLeases) + "/leader";
  EXPECT_EQ(Send("PUT", path, Lease("a")).status, 201) << "an update may create";
  const std::string version = VersionOf(GetJson(server_.Url() + path));
  EXPECT_EQ(Send("PUT", path, Lease("b")).status, 422) << "without a version";
  EXPECT_EQ(Send("PUT", path, Lease("b", version)).status, 200);
  const auto late = Send("PUT", path, Lease("c", version));
  EXPECT_EQ(late.status, 409);
  EXPECT_EQ(ParseJson(late.body)["details"]["group"], "coordination.k8s.io");
  EXPECT_EQ(GetJson(server_.Url() + path)["spec"]["holderIdentity"], "b");
}

TEST_F(Objects, DeletionMindsItsPreconditions) {
  const json object = Create(kConfigMaps, ConfigMap("c", {}));
  const std::string path = std::string(kConfigMaps) + "/c";
  EXPECT_EQ(Send("DELETE", path, {{"preconditions", {{"uid", "x"}}}}).status, 409);
  EXPECT_EQ(Send("DELETE", path, {{"preconditions", {{"resourceVersion", "1"}}}}).status, 409);
  EXPECT_EQ(Send("DELETE", path, {{"preconditions", {{"resourceVersion", VersionOf(object)}}}}).status, 200);
  EXPECT_EQ(Send("DELETE", path).status, 404);
}

TEST_F(Objects, ListShowsTheStateOfItsFirstPage) {
  for (const char* name : {"a", "b", "c"}) Create(kConfigMaps, ConfigMap(name, {}));
  const json page = GetJson(server_.Url() + kConfigMaps + "?limit=2");
  EXPECT_EQ(page["kind"], "ConfigMapList");
  EXPECT_EQ(Names(page), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(page["metadata"]["remainingItemCount"], 1);
  Send("DELETE", std::string(kConfigMaps) + "/c");
  Create(kConfigMaps, ConfigMap("d", {}));
  const std::string token = page["metadata"]["continue"];
  EXPECT_EQ(Names(GetJson(server_.Url() + kConfigMaps + "?limit=2&continue=" + token)), std::vector<std::string>{"c"});
  server_.Compact();
  EXPECT_EQ(Get(server_.Url() + kConfigMaps + "?continue=" + token).status, 410);
  EXPECT_EQ(Names(GetJson(server_.Url() + kConfigMaps + "?fieldSelector=metadata.name=d")),
            std::vector<std::string>{"d"});
}

TEST_F(Objects, EtcdRestoredHasTheOldObjects) {
  Create(kConfigMaps, ConfigMap("c", {{"a", "1"}}));
  const std::uint64_t backup = server_.State().revision;
  Merge(std::string(kConfigMaps) + "/c", {{"data", {{"a", "2"}}}});
  Create(kConfigMaps, ConfigMap("d", {}));
  server_.Rewind(backup);
  EXPECT_EQ(GetJson(server_.Url() + kConfigMaps + "/c")["data"]["a"], "1");
  EXPECT_EQ(Get(server_.Url() + kConfigMaps + "/d").status, 404);
}

TEST_F(Objects, WatchingThemIsNotSimulated) { EXPECT_EQ(Get(server_.Url() + kConfigMaps + "?watch=1").status, 405); }

TEST_F(Objects, ClusterHasAnIdentity) {
  const std::string path = "/api/v1/namespaces/kube-system";
  const json uid = GetJson(server_.Url() + path)["metadata"]["uid"];
  SimServer same;
  SimServer other(SimServerOptions{.seed = 2});
  EXPECT_EQ(GetJson(same.Url() + path)["metadata"]["uid"], uid);
  EXPECT_NE(GetJson(other.Url() + path)["metadata"]["uid"], uid);
  EXPECT_EQ(Names(GetJson(server_.Url() + "/api/v1/namespaces")),
            (std::vector<std::string>{"default", "kube-node-lease", "kube-public", "kube-system"}));
  EXPECT_EQ(server_.State().revision, 1U) << "the first write takes revision 2";
}

TEST_F(Objects, NamespacesAreAskedForOnDemandOnly) {
  EXPECT_EQ(Send("POST", kConfigMaps, ConfigMap("c", {})).status, 201);
  SimServer strict(SimServerOptions{.strict_namespaces = true});
  const std::string body = ConfigMap("c", {}).dump();
  const auto missing = Post(strict.Url() + kConfigMaps, body);
  EXPECT_EQ(missing.status, 404);
  EXPECT_EQ(ParseJson(missing.body)["message"], "namespaces \"shop\" not found");
  EXPECT_EQ(Post(strict.Url() + "/api/v1/namespaces", R"({"metadata":{"name":"shop"}})").status, 201);
  EXPECT_EQ(Post(strict.Url() + kConfigMaps, body).status, 201);
}

TEST_F(Objects, RequestsAreCountedApartFromThoseForEvents) {
  Create(kConfigMaps, ConfigMap("c", {}));
  Get(server_.Url() + kConfigMaps + "/c");
  Get(server_.Url() + "/api/v1/namespaces/shop/events/e");
  EXPECT_EQ(server_.State().requests,
            (std::map<std::string, std::uint64_t>{{"create configmaps", 1}, {"get", 1}, {"get configmaps", 1}}));
}

TEST_F(Objects, FaultsMayBeForOneResource) {
  Create(kConfigMaps, ConfigMap("c", {}));
  server_.AddFault({.resource = "configmaps", .action = FaultAction::kStatus, .status = 503});
  EXPECT_EQ(Get(server_.Url() + "/api/v1/namespaces/shop/events/e").status, 404);
  EXPECT_EQ(Get(server_.Url() + kConfigMaps + "/c").status, 503);
  EXPECT_EQ(Get(server_.Url() + kConfigMaps + "/c").status, 200);
}

}  // namespace
}  // namespace kube_events::sim
