// What a sink takes of the live stream.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "forward/sink_feed_fixture.h"

namespace kube_events {
namespace {

using ::testing::ElementsAre;

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

// Neither by a second watch nor by the one that counts.
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
