#include "sim/sim_test_support.h"

namespace kube_events::sim {
namespace {

using nlohmann::json;

constexpr char kCoreEvents[] = "/api/v1/namespaces/shop/events";
constexpr char kEventsEvents[] = "/apis/events.k8s.io/v1/namespaces/shop/events";

class Write : public ::testing::Test {
 protected:
  FetchResponse Patch(const std::string& path, const std::string& body,
                      const std::string& type = "application/merge-patch+json") {
    return Fetch("PATCH", server_.Url() + path, body, {.headers = {{"Content-Type", type}}});
  }

  FakeClock clock_;
  SimServer server_{SimServerOptions{.clock = &clock_}};
};

json CoreEvent(const std::string& name) {
  return {{"metadata", {{"name", name}}},
          {"involvedObject", {{"kind", "Pod"}, {"namespace", "shop"}, {"name", "web-1"}, {"fieldPath", "spec.c"}}},
          {"reason", "BackOff"},
          {"message", "Back-off <restarting>"},
          {"source", {{"component", "kubelet"}, {"host", "n1"}}},
          {"firstTimestamp", "2026-01-01T00:00:00Z"},
          {"lastTimestamp", "2026-01-01T00:05:00Z"},
          {"count", 4},
          {"type", "Warning"}};
}

json EventsEvent(const std::string& name) {
  return {{"metadata", {{"name", name}, {"labels", {{"team", "red"}}}}},
          {"eventTime", "2026-01-01T00:00:00.123456Z"},
          {"series", {{"count", 3}, {"lastObservedTime", "2026-01-01T00:10:00.000001Z"}}},
          {"reportingController", "default-scheduler"},
          {"reportingInstance", "default-scheduler-n1"},
          {"action", "Binding"},
          {"reason", "Scheduled"},
          {"regarding", {{"kind", "Pod"}, {"namespace", "shop"}, {"name", "web-1"}}},
          {"related", {{"kind", "Node"}, {"name", "n1"}}},
          {"note", "assigned"},
          {"type", "Normal"}};
}

TEST_F(Write, CreateAnswersWithWhatIsStored) {
  const auto response = Post(server_.Url() + kCoreEvents, CoreEvent("a").dump());
  EXPECT_EQ(response.status, 201);
  const json created = ParseJson(response.body);
  EXPECT_EQ(created["kind"], "Event");
  EXPECT_EQ(created["metadata"]["namespace"], "shop");
  EXPECT_EQ(created["metadata"]["resourceVersion"], "2");
  EXPECT_EQ(created["metadata"]["creationTimestamp"], "2026-01-01T00:00:00Z");
  EXPECT_EQ(created["metadata"]["uid"].get<std::string>().size(), 36U);
  EXPECT_EQ(GetJson(server_.Url() + kCoreEvents + "/a"), created);
}

TEST_F(Write, CoreEventShowsUnderItsNewNames) {
  Post(server_.Url() + kCoreEvents, CoreEvent("a").dump());
  const json event = GetJson(server_.Url() + kEventsEvents + "/a");
  EXPECT_EQ(event["apiVersion"], "events.k8s.io/v1");
  EXPECT_EQ(event["regarding"]["fieldPath"], "spec.c");
  EXPECT_EQ(event["note"], "Back-off <restarting>");
  EXPECT_EQ(event["deprecatedSource"], (json{{"component", "kubelet"}, {"host", "n1"}}));
  EXPECT_EQ(event["deprecatedFirstTimestamp"], "2026-01-01T00:00:00Z");
  EXPECT_EQ(event["deprecatedLastTimestamp"], "2026-01-01T00:05:00Z");
  EXPECT_EQ(event["deprecatedCount"], 4);
  EXPECT_TRUE(event["eventTime"].is_null());
  EXPECT_FALSE(event.contains("count"));
  EXPECT_FALSE(event.contains("series"));
}

TEST_F(Write, EventsEventShowsUnderItsOldNames) {
  ASSERT_EQ(Post(server_.Url() + kEventsEvents, EventsEvent("a").dump()).status, 201);
  const json event = GetJson(server_.Url() + kCoreEvents + "/a");
  EXPECT_EQ(event["apiVersion"], "v1");
  EXPECT_EQ(event["involvedObject"]["name"], "web-1");
  EXPECT_EQ(event["message"], "assigned");
  EXPECT_EQ(event["reportingComponent"], "default-scheduler");
  EXPECT_EQ(event["reportingInstance"], "default-scheduler-n1");
  EXPECT_EQ(event["eventTime"], "2026-01-01T00:00:00.123456Z");
  EXPECT_EQ(event["series"], (json{{"count", 3}, {"lastObservedTime", "2026-01-01T00:10:00.000001Z"}}));
  EXPECT_EQ(event["related"]["kind"], "Node");
  EXPECT_EQ(event["metadata"]["labels"]["team"], "red");
  EXPECT_TRUE(event["firstTimestamp"].is_null());
  EXPECT_EQ(event["source"], json::object());
  EXPECT_FALSE(event.contains("count"));
}

TEST_F(Write, GenerateNameMakesDifferentNames) {
  json event = CoreEvent("");
  event["metadata"] = {{"generateName", "web-1."}};
  const json first = ParseJson(Post(server_.Url() + kCoreEvents, event.dump()).body);
  const json second = ParseJson(Post(server_.Url() + kCoreEvents, event.dump()).body);
  const std::string name = first["metadata"]["name"];
  EXPECT_TRUE(name.starts_with("web-1."));
  EXPECT_EQ(name.size(), 11U);
  EXPECT_NE(name, second["metadata"]["name"].get<std::string>());
}

TEST_F(Write, TakenNameIsAConflict) {
  Post(server_.Url() + kCoreEvents, CoreEvent("a").dump());
  const auto response = Post(server_.Url() + kEventsEvents, EventsEvent("a").dump());
  EXPECT_EQ(response.status, 409);
  const json status = ParseJson(response.body);
  EXPECT_EQ(status["reason"], "AlreadyExists");
  EXPECT_EQ(status["message"], "events.events.k8s.io \"a\" already exists");
  EXPECT_EQ(status["details"], (json{{"name", "a"}, {"group", "events.k8s.io"}, {"kind", "events"}}));
}

TEST_F(Write, PatchChangesWhatItNamesAndNothingElse) {
  const json created = ParseJson(Post(server_.Url() + kCoreEvents, CoreEvent("a").dump()).body);
  for (const std::string type : {"application/merge-patch+json", "application/strategic-merge-patch+json"}) {
    const std::string body = type.find("strategic") == std::string::npos ? R"({"count":5,"message":"again"})"
                                                                         : R"({"count":6,"message":"again"})";
    const auto response = Patch(std::string(kCoreEvents) + "/a", body, type);
    EXPECT_EQ(response.status, 200);
    json patched = ParseJson(response.body);
    EXPECT_GT(patched["count"], 4);
    json expected = created;
    expected["message"] = "again";
    expected["count"] = patched["count"];
    expected["metadata"]["resourceVersion"] = patched["metadata"]["resourceVersion"];
    expected["metadata"]["managedFields"] = patched["metadata"]["managedFields"];
    EXPECT_EQ(patched, expected);
  }
}

TEST_F(Write, SeriesIsPatchedThroughTheNewApi) {
  json event = EventsEvent("a");
  event.erase("series");
  Post(server_.Url() + kEventsEvents, event.dump());
  const auto response = Patch(std::string(kEventsEvents) + "/a",
                              R"({"series":{"count":2,"lastObservedTime":"2026-01-01T00:10:00.000000Z"}})",
                              "application/strategic-merge-patch+json");
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(GetJson(server_.Url() + kCoreEvents + "/a")["series"]["count"], 2);
}

TEST_F(Write, PatchOfWhatIsGoneIsNotFound) {
  const auto response = Patch(std::string(kCoreEvents) + "/gone", R"({"count":5})");
  EXPECT_EQ(response.status, 404);
  const json status = ParseJson(response.body);
  EXPECT_EQ(status["reason"], "NotFound");
  EXPECT_EQ(status["message"], "events \"gone\" not found");
  EXPECT_EQ(status["details"]["name"], "gone");
}

TEST_F(Write, PatchThatChangesNothingTakesNoRevision) {
  Post(server_.Url() + kCoreEvents, CoreEvent("a").dump());
  EXPECT_EQ(Patch(std::string(kCoreEvents) + "/a", R"({"count":4})").status, 200);
  EXPECT_EQ(server_.State().revision, 2U);
}

TEST_F(Write, PatchOfAnUnknownKindIsRefused) {
  Post(server_.Url() + kCoreEvents, CoreEvent("a").dump());
  EXPECT_EQ(Patch(std::string(kCoreEvents) + "/a", "{}", "text/plain").status, 415);
  EXPECT_EQ(Patch(std::string(kCoreEvents) + "/a", "{broken").status, 400);
  EXPECT_EQ(Patch(std::string(kCoreEvents) + "/a", R"({"count":"many"})").status, 422);
}

TEST_F(Write, JsonPatchApplies) {
  Post(server_.Url() + kCoreEvents, CoreEvent("a").dump());
  const std::string path = std::string(kCoreEvents) + "/a";
  EXPECT_EQ(Patch(path, R"([{"op":"replace","path":"/count","value":9}])", "application/json-patch+json").status, 200);
  EXPECT_EQ(GetJson(server_.Url() + path)["count"], 9);
  EXPECT_EQ(Patch(path, R"([{"op":"remove","path":"/nothing"}])", "application/json-patch+json").status, 422);
}

TEST_F(Write, UpdateOfAnOldVersionIsAConflict) {
  json event = ParseJson(Post(server_.Url() + kCoreEvents, CoreEvent("a").dump()).body);
  event["count"] = 5;
  const std::string url = server_.Url() + kCoreEvents + "/a";
  EXPECT_EQ(Fetch("PUT", url, event.dump()).status, 200);
  event["count"] = 6;
  const auto response = Fetch("PUT", url, event.dump());
  EXPECT_EQ(response.status, 409);
  EXPECT_EQ(ParseJson(response.body)["reason"], "Conflict");
  event["metadata"].erase("resourceVersion");
  EXPECT_EQ(Fetch("PUT", url, event.dump()).status, 200);
}

TEST_F(Write, UpdateMayCreate) {
  const std::string url = server_.Url() + kCoreEvents;
  EXPECT_EQ(Fetch("PUT", url + "/a", CoreEvent("a").dump()).status, 201);
  EXPECT_EQ(Fetch("PUT", url + "/b", CoreEvent("a").dump()).status, 400);
}

TEST_F(Write, DeleteAnswersWithSuccessAndThenNotFound) {
  Post(server_.Url() + kCoreEvents, CoreEvent("a").dump());
  const std::string url = server_.Url() + kCoreEvents + "/a";
  EXPECT_EQ(Fetch("DELETE", url, R"({"preconditions":{"uid":"other"}})").status, 409);
  EXPECT_EQ(ParseJson(Fetch("DELETE", url).body)["status"], "Success");
  EXPECT_EQ(Fetch("DELETE", url).status, 404);
  EXPECT_EQ(Get(url).status, 404);
}

TEST_F(Write, BadObjectsAreRefused) {
  const std::string core = server_.Url() + kCoreEvents;
  json other_namespace = CoreEvent("a");
  other_namespace["metadata"]["namespace"] = "other";
  EXPECT_EQ(Post(core, other_namespace.dump()).status, 400);
  json stranger = CoreEvent("a");
  stranger["involvedObject"]["namespace"] = "other";
  const auto invalid = Post(core, stranger.dump());
  EXPECT_EQ(invalid.status, 422);
  EXPECT_EQ(ParseJson(invalid.body)["details"]["causes"][0]["field"], "involvedObject.namespace");
  EXPECT_EQ(Post(core, CoreEvent("").dump()).status, 422);
  json pod = CoreEvent("a");
  pod["kind"] = "Pod";
  EXPECT_EQ(Post(core, pod.dump()).status, 400);
  EXPECT_EQ(Post(core, "[]").status, 400);
  EXPECT_EQ(Post(core, R"({"metadata":{"name":"a"},"count":true})").status, 400);
  EXPECT_EQ(Post(core, "x", {.headers = {{"Content-Type", "application/yaml"}}}).status, 415);
  EXPECT_EQ(Post(server_.Url() + "/api/v1/events", CoreEvent("a").dump()).status, 405);
}

TEST_F(Write, ManagedFieldsNameWhoWroteWhat) {
  const FetchOptions kubelet{.headers = {{"User-Agent", "kubelet/v1.36.1 (linux/amd64)"}}};
  Post(server_.Url() + kCoreEvents, CoreEvent("a").dump(), kubelet);
  const std::string path = std::string(kCoreEvents) + "/a";
  json entries = GetJson(server_.Url() + path)["metadata"]["managedFields"];
  ASSERT_EQ(entries.size(), 1U);
  EXPECT_EQ(entries[0]["manager"], "kubelet");
  EXPECT_EQ(entries[0]["apiVersion"], "v1");
  EXPECT_EQ(entries[0]["fieldsV1"]["f:source"], (json{{"f:component", json::object()}, {"f:host", json::object()}}));
  EXPECT_FALSE(entries[0]["fieldsV1"].contains("f:series"));
  clock_.Advance(std::chrono::seconds{5});
  Patch(path, R"({"count":7})");
  Patch(path, R"({"count":8,"metadata":{"labels":{"x":"y"}}})");
  entries = GetJson(server_.Url() + path)["metadata"]["managedFields"];
  ASSERT_EQ(entries.size(), 2U) << entries;
  EXPECT_EQ(entries[0]["manager"], "kubelet");
  EXPECT_EQ(entries[1]["manager"], "unknown");
  EXPECT_EQ(entries[1]["time"], "2026-01-01T00:00:05Z");
  EXPECT_TRUE(entries[1]["fieldsV1"]["f:metadata"]["f:labels"].contains("f:x"));
}

TEST_F(Write, TheNewApiAsksForMore) {
  const std::string url = server_.Url() + kEventsEvents;
  EXPECT_EQ(Post(url, EventsEvent("Capital").dump()).status, 422);
  json event = EventsEvent("a");
  event["eventTime"] = "2026-01-01T00:00:00.1Z";
  EXPECT_EQ(Post(url, event.dump()).status, 400) << "six digits";
  event = EventsEvent("a");
  event["series"]["count"] = 1;
  EXPECT_EQ(Post(url, event.dump()).status, 422);
  event = EventsEvent("a");
  event.erase("eventTime");
  EXPECT_EQ(Post(url, event.dump()).status, 422);
  event = EventsEvent("a");
  event["deprecatedCount"] = 1;
  event["type"] = "Strange";
  const json status = ParseJson(Post(url, event.dump()).body);
  EXPECT_EQ(status["details"]["causes"].size(), 2U);
  ASSERT_EQ(Post(url, EventsEvent("a").dump()).status, 201);
  EXPECT_EQ(Patch(std::string(kEventsEvents) + "/a", R"({"note":"another"})").status, 422) << "immutable";
  EXPECT_EQ(Patch(std::string(kCoreEvents) + "/a", R"({"message":"another"})").status, 200) << "but not for core/v1";
}

}  // namespace
}  // namespace kube_events::sim
