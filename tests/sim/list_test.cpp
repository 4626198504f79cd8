#include <algorithm>

#include "sim/sim_test_support.h"

namespace kube_events::sim {
namespace {

using nlohmann::json;

class List : public ::testing::Test {
 protected:
  void Fill(int count, const std::string& namespace_name = "shop") {
    for (int i = 0; i < count; ++i) server_.Create(MakeEvent(namespace_name, "e-" + std::to_string(100 + i)));
  }
  json Page(const std::string& query) { return GetJson(server_.Url() + "/api/v1/events?" + query); }
  FetchResponse Answer(const std::string& query) { return Get(server_.Url() + "/api/v1/events?" + query); }

  FakeClock clock_;
  SimServer server_{SimServerOptions{.clock = &clock_}};
};

TEST_F(List, PagesShowTheStateOfTheFirstPage) {
  Fill(25);
  json page = Page("limit=10");
  const std::string revision = page["metadata"]["resourceVersion"];
  std::vector<std::string> names = Names(page);
  EXPECT_EQ(page["metadata"]["remainingItemCount"], 15);
  server_.Delete("shop", "e-115");
  server_.Create(MakeEvent("shop", "e-1155"));
  server_.Update(MakeEvent("shop", "e-120", 7));
  while (page["metadata"].contains("continue")) {
    page = Page("limit=10&continue=" + page["metadata"]["continue"].get<std::string>());
    EXPECT_EQ(page["metadata"]["resourceVersion"], revision);
    for (const json& item : page["items"]) {
      names.push_back(item["metadata"]["name"]);
      EXPECT_EQ(item["count"], 1) << item;
    }
  }
  ASSERT_EQ(names.size(), 25U);
  for (int i = 0; i < 25; ++i) EXPECT_EQ(names[static_cast<std::size_t>(i)], "e-" + std::to_string(100 + i));
}

TEST_F(List, OfOneNamespaceHoldsOnlyItsEvents) {
  Fill(3, "shop");
  Fill(4, "shop-2");
  const json list = GetJson(server_.Url() + "/api/v1/namespaces/shop/events?limit=2");
  EXPECT_EQ(list["metadata"]["remainingItemCount"], 1);
  const std::string token = list["metadata"]["continue"];
  const json rest = GetJson(server_.Url() + "/api/v1/namespaces/shop/events?limit=2&continue=" + token);
  EXPECT_EQ(Names(rest), std::vector<std::string>{"e-102"});
  EXPECT_FALSE(rest["metadata"].contains("continue"));
}

TEST_F(List, ItemsStateNoKindOfTheirOwn) {
  Fill(1);
  const json list = GetJson(server_.Url() + "/apis/events.k8s.io/v1/events");
  EXPECT_EQ(list["kind"], "EventList");
  EXPECT_EQ(list["apiVersion"], "events.k8s.io/v1");
  EXPECT_FALSE(list["items"][0].contains("kind"));
}

TEST_F(List, ExpiredContinueTokenComesWithOneThatGoesOnInconsistently) {
  Fill(6);
  const json first = Page("limit=4");
  server_.Create(MakeEvent("shop", "e-999"));
  server_.Compact();
  const auto expired = Answer("limit=4&continue=" + first["metadata"]["continue"].get<std::string>());
  EXPECT_EQ(expired.status, 410);
  const json status = ParseJson(expired.body);
  EXPECT_EQ(status["reason"], "Expired");
  const json rest = Page("limit=9&continue=" + status["metadata"]["continue"].get<std::string>());
  EXPECT_EQ(Names(rest), (std::vector<std::string>{"e-104", "e-105", "e-999"}));
}

TEST_F(List, ContinueTogetherWithAResourceVersionIsRefused) {
  Fill(3);
  const std::string token = Page("limit=1")["metadata"]["continue"];
  EXPECT_EQ(Answer("resourceVersion=2&continue=" + token).status, 400);
  EXPECT_EQ(Answer("continue=nonsense!").status, 400);
}

TEST_F(List, VersionWithALimitMeansExactlyThatVersion) {
  Fill(2);
  const std::uint64_t before = server_.State().revision;
  Fill(3, "later");
  const std::string version = "resourceVersion=" + std::to_string(before);
  EXPECT_EQ(Page("limit=10&" + version)["items"].size(), 2U);
  EXPECT_EQ(Page(version)["items"].size(), 5U);
  EXPECT_EQ(Page(version + "&resourceVersionMatch=Exact")["items"].size(), 2U);
  server_.Compact();
  EXPECT_EQ(Answer("limit=10&" + version).status, 410);
  EXPECT_EQ(Answer(version).status, 200);
}

TEST_F(List, ContradictoryParametersAreRefused) {
  EXPECT_EQ(Answer("resourceVersionMatch=Exact").status, 422);
  EXPECT_EQ(Answer("resourceVersionMatch=Exact&resourceVersion=0").status, 422);
  EXPECT_EQ(Answer("resourceVersion=banana").status, 400);
  EXPECT_EQ(Answer("limit=abc").status, 400);
  EXPECT_EQ(Answer("limit=-1").status, 200);
}

TEST_F(List, VersionInTheFutureIsTooLarge) {
  Fill(1);
  const auto answer = Answer("resourceVersion=1000");
  EXPECT_EQ(answer.status, 504);
  const json status = ParseJson(answer.body);
  EXPECT_EQ(status["reason"], "Timeout");
  EXPECT_EQ(status["details"]["causes"][0]["reason"], "ResourceVersionTooLarge");
  EXPECT_EQ(status["message"], "Timeout: Too large resource version: 1000, current: 2");
}

TEST_F(List, DateIsThatOfTheClock) {
  clock_.Advance(std::chrono::seconds{61});
  EXPECT_EQ(Answer("").headers.at("date"), "Thu, 01 Jan 2026 00:01:01 GMT");
}

TEST_F(List, FieldSelectorsFilterUnderTheNamesOfTheApi) {
  Fill(2);
  EventObject node = MakeEvent("default", "node");
  node.involved_object = {.kind = "Node", .name = "n1"};
  node.type = "Warning";
  server_.Create(node);
  EXPECT_EQ(Names(Page("fieldSelector=involvedObject.kind%3DNode")), std::vector<std::string>{"node"});
  EXPECT_EQ(Page("fieldSelector=type!=Warning,metadata.namespace=shop")["items"].size(), 2U);
  EXPECT_EQ(Page("fieldSelector=involvedObject.namespace%3Ddefault")["items"].size(), 0U);
  EXPECT_EQ(Page("fieldSelector=source=kubelet")["items"].size(), 3U);
  const json events = GetJson(server_.Url() + "/apis/events.k8s.io/v1/events?fieldSelector=regarding.kind=Node");
  EXPECT_EQ(events["items"].size(), 1U);
  EXPECT_EQ(Answer("fieldSelector=message=x").status, 400);
  EXPECT_EQ(Answer("fieldSelector=regarding.kind=Node").status, 400);
}

TEST_F(List, LabelSelectorsFilter) {
  EventObject event = MakeEvent("shop", "a");
  event.metadata.labels = {{"team", "red"}, {"tier", "1"}};
  server_.Create(event);
  server_.Create(MakeEvent("shop", "b"));
  EXPECT_EQ(Names(Page("labelSelector=team%20in%20(red,blue)")), std::vector<std::string>{"a"});
  EXPECT_EQ(Names(Page("labelSelector=team=red,tier")), std::vector<std::string>{"a"});
  EXPECT_EQ(Names(Page("labelSelector=!team")), std::vector<std::string>{"b"});
  EXPECT_EQ(Names(Page("labelSelector=team%20notin%20(red)")), std::vector<std::string>{"b"});
  EXPECT_EQ(Names(Page("labelSelector=team!=red")), std::vector<std::string>{"b"});
  EXPECT_EQ(Answer("labelSelector=%3F%3F").status, 400);
}

TEST_F(List, SelectedPagesDoNotSayHowManyRemain) {
  Fill(5);
  const json page = Page("limit=2&fieldSelector=type=Normal");
  EXPECT_TRUE(page["metadata"].contains("continue"));
  EXPECT_FALSE(page["metadata"].contains("remainingItemCount"));
}

TEST_F(List, UnknownPathsAndResourcesAreNotFound) {
  EXPECT_EQ(Get(server_.Url() + "/apis/events.k8s.io/v2/events").status, 404);
  EXPECT_EQ(Get(server_.Url() + "/api/v1/pods").status, 404);
  EXPECT_EQ(Get(server_.Url() + "/api/v1/namespaces/shop").status, 404);
  EXPECT_EQ(Get(server_.Url() + "/api/v1/events/a").status, 404) << "a name needs a namespace";
}

TEST_F(List, RawObjectsAreServedAsTheyAre) {
  server_.CreateRaw(MakeEvent("shop", "odd"), R"("involvedObject":17,"count":"many")");
  const json item = Page("")["items"][0];
  EXPECT_EQ(item["metadata"]["name"], "odd");
  EXPECT_EQ(item["involvedObject"], 17);
}

}  // namespace
}  // namespace kube_events::sim
