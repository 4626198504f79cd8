// A sink that lagged behind is brought up by a second stream.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "forward/sink_feed_fixture.h"

namespace kube_events {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

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

}  // namespace
}  // namespace kube_events
