#include <algorithm>
#include <set>

#include "sim/sim_test_support.h"
#include "support/eventually.h"

namespace kube_events::sim {
namespace {

using nlohmann::json;
using namespace std::chrono_literals;

class Watch : public ::testing::Test {
 protected:
  std::uint64_t Create(const std::string& name, std::int32_t count = 1) {
    return server_.Create(MakeEvent("shop", name, count))->metadata.resource_version;
  }

  SimServer server_{SimServerOptions{.history = 200}};
};

void ExpectFrame(const json& frame, const std::string& type, const std::string& name) {
  ASSERT_TRUE(frame.is_object());
  EXPECT_EQ(frame["type"], type) << frame;
  EXPECT_EQ(frame["object"]["metadata"]["name"], name) << frame;
}

TEST_F(Watch, FromARevisionDeliversWhatFollowsIt) {
  Create("a");
  const std::uint64_t from = Create("b");
  Create("c");
  FetchStream stream(WatchUrl(server_, from));
  EXPECT_EQ(stream.headers().at("content-type"), "application/json");
  ExpectFrame(NextFrame(stream), "ADDED", "c");
  server_.Update(MakeEvent("shop", "a", 5));
  const json frame = NextFrame(stream);
  ExpectFrame(frame, "MODIFIED", "a");
  EXPECT_EQ(frame["object"]["count"], 5);
  EXPECT_EQ(frame["object"]["kind"], "Event");
  EXPECT_EQ(frame["object"]["metadata"]["resourceVersion"], std::to_string(server_.State().revision));
}

TEST_F(Watch, DeletedCarriesTheRevisionOfTheDeletion) {
  const std::uint64_t created = Create("a", 3);
  FetchStream stream(WatchUrl(server_, created));
  server_.Delete("shop", "a");
  const json frame = NextFrame(stream);
  ExpectFrame(frame, "DELETED", "a");
  EXPECT_EQ(frame["object"]["count"], 3);
  EXPECT_EQ(frame["object"]["metadata"]["resourceVersion"], std::to_string(created + 1));
}

TEST_F(Watch, WithoutAVersionBeginsWithTheState) {
  Create("a");
  Create("b");
  server_.Delete("shop", "a");
  for (const std::string version : {"", "&resourceVersion=", "&resourceVersion=0"}) {
    FetchStream stream(server_.Url() + "/apis/events.k8s.io/v1/events?watch=1" + version);
    const json frame = NextFrame(stream);
    ExpectFrame(frame, "ADDED", "b");
    EXPECT_EQ(frame["object"]["apiVersion"], "events.k8s.io/v1");
    Create("c");
    ExpectFrame(NextFrame(stream), "ADDED", "c");
    server_.Delete("shop", "c");
  }
}

TEST_F(Watch, WatchListClosesTheStateWithABookmarkAndGoesOn) {
  Create("a");
  const std::uint64_t revision = Create("b");
  FetchStream stream(server_.Url() +
                     "/api/v1/events?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan"
                     "&allowWatchBookmarks=true&resourceVersion=");
  std::set<std::string> names;
  for (int i = 0; i < 2; ++i) {
    const json frame = NextFrame(stream);
    EXPECT_EQ(frame["type"], "ADDED");
    names.insert(frame["object"]["metadata"]["name"]);
  }
  EXPECT_EQ(names, (std::set<std::string>{"a", "b"}));
  const json bookmark = NextFrame(stream);
  EXPECT_EQ(bookmark["type"], "BOOKMARK");
  EXPECT_EQ(bookmark["object"]["metadata"]["resourceVersion"], std::to_string(revision));
  EXPECT_EQ(bookmark["object"]["metadata"]["annotations"]["k8s.io/initial-events-end"], "true");
  server_.Delete("shop", "a");
  ExpectFrame(NextFrame(stream), "DELETED", "a");
}

TEST_F(Watch, SelectorTurnsTheStartOfAMatchIntoAddedAndItsEndIntoDeleted) {
  const std::uint64_t from = Create("a", 1);
  FetchStream stream(WatchUrl(server_, from, "&labelSelector=team=red"));
  EventObject labelled = MakeEvent("shop", "a", 2);
  labelled.metadata.labels["team"] = "red";
  server_.Update(labelled);
  ExpectFrame(NextFrame(stream), "ADDED", "a");
  labelled.count = 3;
  server_.Update(labelled);
  ExpectFrame(NextFrame(stream), "MODIFIED", "a");
  const auto last = server_.Update(MakeEvent("shop", "a", 4));
  const json frame = NextFrame(stream);
  ExpectFrame(frame, "DELETED", "a");
  EXPECT_EQ(frame["object"]["count"], 3) << "the last state that matched";
  EXPECT_EQ(frame["object"]["metadata"]["resourceVersion"], std::to_string(last->metadata.resource_version));
}

TEST_F(Watch, OfOneNamespaceIsSilentAboutOthers) {
  FetchStream stream(server_.Url() + "/api/v1/namespaces/shop/events?watch=1&resourceVersion=1");
  server_.Create(MakeEvent("other", "x"));
  Create("a");
  ExpectFrame(NextFrame(stream), "ADDED", "a");
}

TEST_F(Watch, CompactedVersionIsOneErrorFrameAndTheEnd) {
  const std::uint64_t from = Create("a");
  Create("b");
  Create("c");
  server_.Compact();
  FetchStream stream(WatchUrl(server_, from));
  EXPECT_EQ(stream.status(), 200);
  const json frame = NextFrame(stream);
  EXPECT_EQ(frame["type"], "ERROR");
  EXPECT_EQ(frame["object"]["code"], 410);
  EXPECT_EQ(frame["object"]["reason"], "Expired");
  EXPECT_EQ(stream.NextLine(), std::nullopt);
  EXPECT_EQ(stream.end(), FetchEnd::kComplete);
}

TEST_F(Watch, FromTheCompactionItselfGoesOn) {
  const std::uint64_t at = Create("a");
  server_.Compact();
  Create("b");
  FetchStream stream(WatchUrl(server_, at));
  ExpectFrame(NextFrame(stream), "ADDED", "b");
}

TEST_F(Watch, FutureVersionIsSilentUntilItIsReached) {
  const std::uint64_t now = Create("a");
  FetchStream stream(WatchUrl(server_, now + 2));
  Create("b");
  Create("c");
  Create("d");
  ExpectFrame(NextFrame(stream), "ADDED", "d");
}

TEST_F(Watch, FallingBehindTheHistoryEndsWithExpired) {
  FetchStream stream(WatchUrl(server_, 1));
  // More at once than the history holds.
  server_.PrepareLoad({.objects = 1'000});
  json frame;
  do {
    frame = NextFrame(stream);
  } while (frame.is_object() && frame["type"] != "ERROR");
  ASSERT_TRUE(frame.is_object());
  EXPECT_EQ(frame["object"]["code"], 410);
}

TEST_F(Watch, EndsCompletelyAfterTimeoutSeconds) {
  FetchStream stream(WatchUrl(server_, 1, "&timeoutSeconds=1"));
  EXPECT_EQ(stream.NextLine(), std::nullopt);
  EXPECT_EQ(stream.end(), FetchEnd::kComplete);
  EXPECT_TRUE(server_.WaitForWatches(0));
}

TEST_F(Watch, IsForgottenWhenItsClientGoes) {
  {
    FetchStream stream(WatchUrl(server_, 1));
    EXPECT_TRUE(server_.WaitForWatches(1));
  }
  EXPECT_TRUE(server_.WaitForWatches(0));
}

TEST_F(Watch, ContradictoryParametersAreRefused) {
  const std::string url = server_.Url() + "/api/v1/events?watch=1";
  EXPECT_EQ(Get(url + "&resourceVersionMatch=NotOlderThan").status, 422);
  EXPECT_EQ(Get(url + "&sendInitialEvents=true").status, 422);
  EXPECT_EQ(Get(url + "&continue=x").status, 422);
  EXPECT_EQ(Get(url + "&resourceVersion=banana").status, 500);
}

TEST_F(Watch, WatchListFromTheFutureIsOneErrorFrame) {
  FetchStream stream(server_.Url() +
                     "/api/v1/events?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan"
                     "&allowWatchBookmarks=true&resourceVersion=1000");
  EXPECT_EQ(stream.status(), 200);
  const json frame = NextFrame(stream);
  EXPECT_EQ(frame["type"], "ERROR");
  EXPECT_EQ(frame["object"]["details"]["causes"][0]["reason"], "ResourceVersionTooLarge");
  EXPECT_EQ(stream.NextLine(), std::nullopt);
}

TEST_F(Watch, SendsOneFramePerChunk) {
  for (int i = 0; i < 20; ++i) Create("e" + std::to_string(i));
  FetchStream stream(WatchUrl(server_, 1));
  std::vector<std::size_t> sizes(20);
  for (std::size_t& size : sizes) size = stream.NextLine().value().size() + 1;
  EXPECT_EQ(stream.chunks(), sizes);
}

TEST(WatchChunks, OfAGivenSizeCutFramesAnywhere) {
  SimServer server({.chunk_bytes = 100});
  for (int i = 0; i < 20; ++i) server.Create(MakeEvent("shop", "e" + std::to_string(i)));
  FetchStream stream(WatchUrl(server, 1, "&timeoutSeconds=1"));
  int frames = 0;
  while (NextFrame(stream).is_object()) ++frames;
  EXPECT_EQ(frames, 20);
  EXPECT_LE(*std::max_element(stream.chunks().begin(), stream.chunks().end()), 100U);
  EXPECT_GT(stream.chunks().size(), 20U);
}

TEST_F(Watch, DropsAsItIsTold) {
  const std::pair<DropMode, FetchEnd> cases[] = {{DropMode::kEnd, FetchEnd::kComplete},
                                                 {DropMode::kClose, FetchEnd::kClosed},
                                                 {DropMode::kReset, FetchEnd::kReset}};
  for (const auto& [mode, end] : cases) {
    FetchStream stream(WatchUrl(server_, server_.State().revision));
    server_.DropWatches(mode);
    EXPECT_EQ(stream.NextLine(), std::nullopt);
    EXPECT_EQ(stream.end(), end);
    EXPECT_TRUE(server_.WaitForWatches(0));
  }
}

TEST_F(Watch, InjectedFramesAreSentAsTheyAre) {
  FetchStream stream(WatchUrl(server_, 1));
  server_.InjectFrame("this is no JSON\n");
  EXPECT_EQ(stream.NextLine(), "this is no JSON");
  Create("a");
  ExpectFrame(NextFrame(stream), "ADDED", "a");
}

TEST_F(Watch, RestoredEtcdForgetsWhatCameLater) {
  const std::uint64_t backup = Create("a");
  Create("b");
  FetchStream stream(WatchUrl(server_, server_.State().revision));
  server_.Rewind(backup);
  EXPECT_EQ(stream.NextLine(), std::nullopt);
  EXPECT_EQ(stream.end(), FetchEnd::kReset);
  const json list = GetJson(server_.Url() + "/api/v1/events");
  EXPECT_EQ(list["metadata"]["resourceVersion"], std::to_string(backup));
  EXPECT_EQ(Names(list), std::vector<std::string>{"a"});
  EXPECT_EQ(Create("c"), backup + 1) << "revisions are used again";
}

}  // namespace
}  // namespace kube_events::sim
