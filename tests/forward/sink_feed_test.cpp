#include "kube_events/forward/sink_feed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <thread>

#include "forward/fakes.h"
#include "support/eventually.h"

namespace kube_events {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

constexpr WallTime kStart{std::chrono::seconds{1'767'225'600}};

// One Event object as the API server tells it; the record's object is "NAME@VERSION".
struct Told {
  std::string name;
  int version = 0;
  WallTime created = kStart - 1h;
  std::string type = "Normal";
};

class SinkFeedTest : public ::testing::Test {
 protected:
  void Begin() {
    options_.scope_names = {"all"};
    if (options_.watch_types.empty()) options_.watch_types = settings_.watch_types;
    settings_.id = "sink";
    settings_.batch_wait = 0ms;
    feed_.emplace(
        options_, settings_,
        SinkWorkerParts{std::make_unique<FakeSink>(receiver_), nullptr, nullptr, clock_, health_, monitor_, Logger()});
  }
  void BeginFrom(int counted, std::optional<int> own = {}) {
    Begin();
    std::optional<ScopePosition> saved;
    if (own) saved = ScopePosition{std::to_string(*own), kStart};
    feed_->Resume(0, {std::to_string(counted), kStart}, saved);
  }

  template <typename Use>
  void With(const Told& told, ChangeKind kind, Use use) {
    const std::string version = std::to_string(told.version);
    const std::string raw = told.name + "@" + version;
    Event event;
    event.name = told.name;
    event.uid = told.name;
    event.type = told.type;
    event.resource_version = version;
    event.creation_time = told.created;
    use(Change{0, kind, event, raw, kStart + std::chrono::seconds{told.version}});
  }
  void Live(const Told& told, ChangeKind kind = ChangeKind::kAdded) {
    With(told, kind, [this](const Change& change) {
      SharedRecord record(change);
      feed_->OnLiveChange(change, record);
    });
  }
  void LiveList(ListReason reason, const std::vector<Told>& items, int version) {
    feed_->OnLiveListBegin(0, reason, kStart);
    for (const Told& item : items) Live(item, ChangeKind::kListed);
    feed_->OnLiveListCommitted(0, std::to_string(version), kStart);
  }
  void CatchUp(const Told& told, ChangeKind kind = ChangeKind::kAdded) {
    With(told, kind, [this](const Change& change) { feed_->OnCatchUpChange(change, {}); });
  }
  void CatchUpList(ListReason reason, const std::vector<Told>& items, int version) {
    feed_->OnCatchUpListBegin(0, reason, kStart);
    for (const Told& item : items) CatchUp(item, ChangeKind::kListed);
    feed_->OnCatchUpListCommitted(0, std::to_string(version), kStart);
  }

  std::vector<std::string> Received(std::size_t count) {
    EXPECT_TRUE(Eventually([&] { return receiver_.Received().size() >= count; }));
    return receiver_.Received();
  }
  std::string Safe() { return feed_->worker().queue().SafePositions().at(0).version; }
  WallTime ObservedUntil() { return feed_->worker().queue().SafePositions().at(0).observed_until; }
  bool SafeBecomes(const std::string& version) {
    return Eventually([&] { return Safe() == version; });
  }

  SystemClock clock_;
  Health health_{clock_};
  FakeForwardMonitor monitor_;
  Receiver receiver_;
  SinkFeedOptions options_;
  SinkSettings settings_;
  std::optional<SinkFeed> feed_;
};

TEST_F(SinkFeedTest, ColdListIsThereBeforeUsAndWhatFollowsIsHandedOn) {
  Begin();
  LiveList(ListReason::kFirst, {{"old", 3}}, 5);
  EXPECT_EQ(Safe(), "5");
  Live({"new", 6});
  Live({"new", 7}, ChangeKind::kModified);
  EXPECT_THAT(Received(2), ElementsAre("new@6", "new@7"));
  EXPECT_TRUE(SafeBecomes("7"));
}

TEST_F(SinkFeedTest, ColdListIsHandedOnWhereThatIsWanted) {
  options_.existing = true;
  Begin();
  LiveList(ListReason::kFirst, {{"old", 3}}, 5);
  EXPECT_THAT(Received(1), ElementsAre("old@3"));
  EXPECT_TRUE(SafeBecomes("5"));
}

TEST_F(SinkFeedTest, WhatIsNotForThisSinkMovesItsPositionAllTheSame) {
  options_.filter = EventFilter::Create({.event_types = {"Warning"}}).value();
  BeginFrom(5);
  LiveList(ListReason::kResumed, {{"old", 3}}, 5);
  Live({"normal", 6});
  EXPECT_EQ(Safe(), "6");
  Live({.name = "warning", .version = 7, .type = "Warning"});
  Live({"gone", 8}, ChangeKind::kDeleted);
  EXPECT_THAT(Received(1), ElementsAre("warning@7"));
  EXPECT_TRUE(SafeBecomes("8"));
}

TEST_F(SinkFeedTest, DeletionsAreHandedOnWhereThatIsWanted) {
  options_.watch_types = {"DELETED"};
  BeginFrom(5);
  LiveList(ListReason::kResumed, {}, 5);
  Live({"a", 6});
  Live({"a", 7}, ChangeKind::kDeleted);
  EXPECT_THAT(Received(1), ElementsAre("a@7"));
}

TEST_F(SinkFeedTest, FirstLeavesUpdatesOutAndThrottleSomeOfThem) {
  options_.updates = {UpdatePolicy::Kind::kFirst, 0ms};
  BeginFrom(5);
  LiveList(ListReason::kResumed, {}, 5);
  Live({"a", 6});
  Live({"a", 7}, ChangeKind::kModified);
  Live({"b", 8});
  EXPECT_THAT(Received(2), ElementsAre("a@6", "b@8"));
}

TEST_F(SinkFeedTest, ThrottleTakesAnUpdateOfOneEventAtMostSoOften) {
  options_.updates = {UpdatePolicy::Kind::kThrottle, 10s};
  BeginFrom(5);
  LiveList(ListReason::kResumed, {}, 5);
  Live({"a", 6});
  Live({"a", 15}, ChangeKind::kModified);  // a version is a second here
  Live({"b", 15}, ChangeKind::kModified);
  Live({"a", 16}, ChangeKind::kModified);
  EXPECT_THAT(Received(2), ElementsAre("a@6", "a@16")) << "b has the version of a change that was taken";
}

TEST_F(SinkFeedTest, GapIsMarkedAndListedStatesFollow) {
  BeginFrom(5);
  LiveList(ListReason::kResumed, {{"known", 3}}, 5);
  LiveList(ListReason::kRelist, {{"known", 3}, {"changed", 9}, {.name = "new", .version = 10, .created = kStart + 1h}},
           12);
  EXPECT_THAT(Received(3), ElementsAre("gap expired", "changed@9", "new@10"));
  EXPECT_TRUE(SafeBecomes("12"));
}

TEST_F(SinkFeedTest, ListThatIsBegunAgainMarksTheGapOnce) {
  BeginFrom(5);
  LiveList(ListReason::kResumed, {}, 5);
  feed_->OnLiveListBegin(0, ListReason::kRelist, kStart);
  LiveList(ListReason::kRelist, {{"a", 9}}, 12);
  EXPECT_THAT(Received(2), ElementsAre("gap expired", "a@9"));
}

TEST_F(SinkFeedTest, SinkThatIsFurtherThanCountingSkipsWhatItHas) {
  BeginFrom(5, 7);
  LiveList(ListReason::kResumed, {{"a", 4}}, 8);
  for (const int version : {6, 7, 8}) Live({"a", version}, ChangeKind::kModified);
  EXPECT_THAT(Received(1), ElementsAre("a@8"));
}

TEST_F(SinkFeedTest, SinkThatLaggedBehindIsBroughtUpAndJoinsTheLiveStreamWithoutALoss) {
  BeginFrom(8, 5);
  LiveList(ListReason::kResumed, {{"a", 8}}, 8);
  Live({"live", 9});
  ASSERT_THAT(feed_->BeginCatchUp(), ElementsAre(Pair(0, ScopePosition{"5", kStart})));
  EXPECT_THAT(feed_->BeginCatchUp(), IsEmpty()) << "under way";
  CatchUpList(ListReason::kResumed, {{"a", 8}}, 9);
  CatchUp({"a", 6});
  CatchUp({"a", 8}, ChangeKind::kModified);
  EXPECT_TRUE(feed_->IsCatchingUp());
  Live({"live", 10}, ChangeKind::kModified);
  CatchUp({"live", 9});
  EXPECT_TRUE(feed_->IsCatchingUp());
  CatchUp({"live", 10}, ChangeKind::kModified);
  EXPECT_FALSE(feed_->IsCatchingUp());
  Live({"live", 10}, ChangeKind::kModified);
  Live({"live", 11}, ChangeKind::kModified);
  EXPECT_THAT(Received(5), ElementsAre("a@6", "a@8", "live@9", "live@10", "live@11"));
  EXPECT_TRUE(SafeBecomes("11"));
}

// Neither by a second watch nor by the one that counts.
TEST_F(SinkFeedTest, WhatWasWrittenBeforeIsNoSignThatNothingIsMissingUntilNow) {
  BeginFrom(10, 5);
  LiveList(ListReason::kResumed, {{"a", 12}}, 12);
  feed_->BeginCatchUp();
  CatchUp({"a", 6});
  EXPECT_TRUE(SafeBecomes("6"));
  EXPECT_EQ(ObservedUntil(), kStart);
  Live({"a", 11}, ChangeKind::kModified);
  CatchUp({"a", 11}, ChangeKind::kModified);
  EXPECT_FALSE(feed_->IsCatchingUp());
  EXPECT_TRUE(SafeBecomes("11"));
  EXPECT_EQ(ObservedUntil(), kStart) << "the list had more";
  Live({"a", 12}, ChangeKind::kModified);
  EXPECT_TRUE(SafeBecomes("12"));
  EXPECT_EQ(ObservedUntil(), kStart + 12s);
}

TEST_F(SinkFeedTest, SinkThatHasCaughtUpHasMissedNothingUntilNow) {
  BeginFrom(8, 5);
  LiveList(ListReason::kResumed, {{"a", 8}}, 8);
  feed_->BeginCatchUp();
  CatchUp({"a", 7});
  CatchUp({"a", 8}, ChangeKind::kModified);
  EXPECT_TRUE(SafeBecomes("8"));
  EXPECT_EQ(ObservedUntil(), kStart + 8s);
}

TEST_F(SinkFeedTest, CatchUpThatIsAheadOfTheLiveStreamHasItSkipWhatItTook) {
  BeginFrom(8, 5);
  LiveList(ListReason::kResumed, {{"a", 8}}, 8);
  feed_->BeginCatchUp();
  CatchUp({"b", 9});
  EXPECT_FALSE(feed_->IsCatchingUp());
  Live({"b", 9});
  Live({"b", 10}, ChangeKind::kModified);
  EXPECT_THAT(Received(2), ElementsAre("b@9", "b@10"));
}

TEST_F(SinkFeedTest, ExpiredHistoryIsMadeUpForByAList) {
  BeginFrom(8, 5);
  LiveList(ListReason::kResumed, {{"a", 8}}, 8);
  feed_->BeginCatchUp();
  CatchUpList(ListReason::kResumed, {{"a", 8}}, 8);
  CatchUpList(ListReason::kRelist, {{"older", 4}, {"a", 8}}, 20);
  EXPECT_FALSE(feed_->IsCatchingUp());
  EXPECT_THAT(Received(2), ElementsAre("gap expired", "a@8"));
  EXPECT_TRUE(SafeBecomes("20"));
}

TEST_F(SinkFeedTest, FullQueuePausesTheSinkAtItsPosition) {
  settings_.queue_records = 4;
  receiver_.Block(true);
  BeginFrom(5);
  LiveList(ListReason::kResumed, {}, 5);
  for (int version = 6; version < 20; ++version) Live({"a", version}, ChangeKind::kModified);
  EXPECT_EQ(feed_->worker().queue().Records(), 4U);
  EXPECT_THAT(feed_->BeginCatchUp(), IsEmpty()) << "there is no room yet";
  receiver_.Block(false);
  EXPECT_TRUE(Eventually([&] { return feed_->worker().queue().IsHalfEmpty(); }));
  const auto lagging = feed_->BeginCatchUp();
  ASSERT_EQ(lagging.size(), 1U);
  EXPECT_EQ(lagging[0].second.version, "9");
  for (int version = 10; version < 20; ++version) CatchUp({"a", version}, ChangeKind::kModified);
  EXPECT_FALSE(feed_->IsCatchingUp());
  EXPECT_TRUE(SafeBecomes("19"));
  EXPECT_EQ(receiver_.Received().size(), 14U);
}

TEST_F(SinkFeedTest, ColdListThatDoesNotFitIsTakenUpLater) {
  settings_.queue_records = 2;
  options_.existing = true;
  receiver_.Block(true);
  Begin();
  LiveList(ListReason::kFirst, {{"a", 1}, {"b", 2}, {"c", 3}}, 5);
  receiver_.Block(false);
  EXPECT_TRUE(Eventually([&] { return feed_->worker().queue().IsHalfEmpty(); }));
  EXPECT_TRUE(feed_->IsBehind()) << "paused";
  ASSERT_THAT(feed_->BeginCatchUp(), ElementsAre(Pair(0, ScopePosition{})));
  EXPECT_TRUE(feed_->IsBehind()) << "catching up";
  CatchUpList(ListReason::kFirst, {{"a", 1}, {"b", 2}, {"c", 3}}, 6);
  EXPECT_FALSE(feed_->IsCatchingUp());
  EXPECT_FALSE(feed_->IsBehind());
  EXPECT_TRUE(SafeBecomes("6"));
  EXPECT_THAT(receiver_.Received(), ::testing::Contains("c@3"));
}

TEST_F(SinkFeedTest, CatchUpWaitsForRoomAndEndsAtOnce) {
  settings_.queue_records = 2;
  receiver_.Block(true);
  BeginFrom(50, 5);
  LiveList(ListReason::kResumed, {{"a", 50}}, 50);
  feed_->BeginCatchUp();
  std::jthread thread([this](const std::stop_token& stop) {
    for (int version = 6; version < 20 && !stop.stop_requested(); ++version) {
      With({"a", version}, ChangeKind::kModified, [&](const Change& change) { feed_->OnCatchUpChange(change, stop); });
    }
  });
  EXPECT_TRUE(Eventually([&] { return feed_->worker().queue().Records() == 2; }));
  thread.request_stop();
  thread.join();
  EXPECT_LE(feed_->worker().queue().Records(), 2U);
}

TEST_F(SinkFeedTest, RestoredServerBeginsAnewWithWhatHappenedSince) {
  BeginFrom(50);
  LiveList(ListReason::kResumed, {{"old", 40}}, 50);
  Live({"b", 51});
  const WallTime since = kStart + 51s;
  LiveList(ListReason::kRestored, {{"old", 10}, {.name = "after", .version = 20, .created = since + 5s}}, 30);
  Live({"c", 31});
  EXPECT_THAT(Received(4), ElementsAre("b@51", "gap restored", "after@20", "c@31"));
  EXPECT_TRUE(SafeBecomes("31"));
}

TEST_F(SinkFeedTest, DroppedRecordsAreMarkedWhenThereIsRoomAgain) {
  settings_.queue_records = 2;
  settings_.overflow = OverflowPolicy::kDropOldest;
  settings_.batch_records = 1;
  receiver_.Block(true);
  BeginFrom(5);
  LiveList(ListReason::kResumed, {}, 5);
  for (int version = 6; version < 12; ++version) Live({"a", version}, ChangeKind::kModified);
  receiver_.Block(false);
  EXPECT_TRUE(Eventually([&] { return feed_->worker().queue().Records() == 0; }));
  Live({"a", 12}, ChangeKind::kModified);
  EXPECT_TRUE(SafeBecomes("12"));
  EXPECT_THAT(receiver_.Received(), ::testing::Contains("gap overflow"));
  EXPECT_EQ(monitor_.Count("dropped overflow"), 4U);
}

TEST_F(SinkFeedTest, ARecordKnowsItsIdAndTimeFromTheChange) {
  With({"a", 6}, ChangeKind::kModified, [](const Change& change) {
    SharedRecord shared(change);
    for (const RecordType type : {RecordType::kModified, RecordType::kAdded}) {
      EXPECT_EQ(shared.As(type)->type, type);
      EXPECT_EQ(shared.As(type)->id, "a/6");
      EXPECT_EQ(shared.As(type)->happened, kStart - 1h);
    }
  });
}

}  // namespace
}  // namespace kube_events
