#include "chaos/receipts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kube_events::chaos {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr WallTime kStart{1'767'225'600s};  // 2026-01-01

Received Of(const std::string& uid, std::uint64_t version, int process = 1) {
  Received record;
  record.uid = uid;
  record.version = version;
  record.process = process;
  return record;
}

Received Gap(WallTime from, WallTime until) {
  Received record;
  record.gap = true;
  record.gap_reason = "expired";
  record.gap_from = from;
  record.gap_until = until;
  record.process = 1;
  return record;
}

TEST(ReadRecord, TakesEventsAndGapsAndNothingElse) {
  const auto event = ReadRecord(
      R"({"type":"ADDED","id":"a-b/17","object":{"metadata":{"uid":"a-b","resourceVersion":"17"},"count":3}})");
  ASSERT_TRUE(event);
  EXPECT_EQ(event->uid, "a-b");
  EXPECT_EQ(event->version, 17U);
  const auto gap =
      ReadRecord(R"({"type":"GAP","id":"gap/x","gap_reason":"expired","gap_from":"2026-01-01T00:00:00.500000Z",)"
                 R"("gap_until":"2026-01-01T00:00:02.000000Z","timestamp":"2026-01-01T00:00:02.000000Z"})");
  ASSERT_TRUE(gap);
  EXPECT_TRUE(gap->gap);
  EXPECT_EQ(gap->gap_from, kStart + 500ms);
  EXPECT_EQ(gap->gap_until, kStart + 2s);
  for (const char* text : {"", "{}", "17", R"({"type":"GAP"})", R"({"type":"ADDED","id":"a/1","object":{}})",
                           R"({"type":"ADDED","id":"a/1","object":{"metadata":{"uid":"a","resourceVersion":"2"}}})"}) {
    EXPECT_FALSE(ReadRecord(text)) << text;
  }
  EXPECT_FALSE(ReadRecords("{}", 1));
  EXPECT_FALSE(ReadRecords("[17]", 1));
}

TEST(Receipts, AnOlderStateMustNotComeFirstAfterANewerOne) {
  Receipts receipts;
  receipts.Take(Of("a", 5));
  receipts.Take(Of("b", 3));
  EXPECT_THAT(receipts.faults(), IsEmpty());
  receipts.Take(Of("a", 4));
  EXPECT_THAT(receipts.faults(), ElementsAre(HasSubstr("a/4 came after its version 5")));
}

TEST(Receipts, AfterAKillWhatTheCheckpointDidNotKnowMayComeAgain) {
  Receipts receipts;
  for (const std::uint64_t version : {5U, 6U, 7U}) receipts.Take(Of("a", version));
  receipts.ProcessEnded({.killed = true, .safe = 6, .newest = 7});
  receipts.Take(Of("a", 7, 2));
  EXPECT_EQ(receipts.again(), 1U);
  EXPECT_THAT(receipts.faults(), IsEmpty());
  receipts.Take(Of("a", 6, 2));
  EXPECT_THAT(receipts.faults(), ElementsAre(HasSubstr("a/6 came from process 1 and again from 2")));
}

TEST(Receipts, AfterAGracefulEndNothingMayComeAgain) {
  Receipts receipts;
  receipts.Take(Of("a", 7));
  receipts.ProcessEnded({.killed = false, .safe = 6, .newest = 7});
  receipts.Take(Of("a", 7, 2));
  EXPECT_EQ(receipts.faults().size(), 1U);
}

TEST(Receipts, AfterAnEndWithinAListOnlyWhatIsNewerThanTheCheckpointMayComeAgain) {
  Receipts receipts;
  for (const std::uint64_t version : {6U, 7U}) receipts.Take(Of("a", version));
  receipts.ProcessEnded({.killed = false, .safe = 6, .newest = 7, .listing = true});
  receipts.Take(Of("a", 7, 2));
  EXPECT_THAT(receipts.faults(), IsEmpty());
  receipts.Take(Of("a", 6, 2));
  EXPECT_EQ(receipts.faults().size(), 1U);
}

TEST(Receipts, OneProcessThatHandsOnTwiceIsCountedApart) {
  Receipts receipts;
  receipts.Take(Of("a", 7));
  receipts.Take(Of("a", 7));
  EXPECT_EQ(receipts.again_from_one_process(), 1U);
  EXPECT_EQ(receipts.again(), 0U);
}

TEST(Receipts, ASpoolMayBringAgainWhatWasDeliveredLast) {
  for (const std::size_t unsettled : {0U, 1U}) {
    Receipts receipts(true, unsettled);
    receipts.Take(Of("a", 5));
    receipts.Take(Of("a", 6));
    receipts.ProcessEnded({.killed = true, .safe = 9, .newest = 9});
    receipts.Take(Of("a", 6, 2));
    EXPECT_EQ(receipts.faults().size(), 1 - unsettled);
    receipts.Take(Of("a", 5, 2));
    EXPECT_EQ(receipts.faults().size(), 2 - unsettled);
  }
}

TEST(Receipts, AListThatWasBegunAnewMayStandInTheSpoolTwice) {
  for (const bool listing : {true, false}) {
    Receipts receipts(true, 0);
    receipts.Take(Of("a", 5));
    receipts.ProcessEnded({.killed = true, .safe = 9, .newest = 9, .listing = listing});
    receipts.Take(Of("a", 5, 2));
    EXPECT_EQ(receipts.again_from_one_process(), listing ? 1U : 0U);
    EXPECT_EQ(receipts.faults().size(), listing ? 0U : 1U);
  }
}

TEST(Receipts, WhatStoodInTheSpoolBeforeAKillMayComeTwiceFromTheNextProcess) {
  Receipts receipts(true, 0);
  receipts.ProcessEnded({.killed = true, .safe = 4, .newest = 5});
  receipts.Take(Of("a", 5, 2));
  receipts.Take(Of("a", 5, 2));
  EXPECT_EQ(receipts.again(), 1U);
  receipts.Take(Of("a", 6, 2));
  receipts.Take(Of("a", 6, 2));
  EXPECT_EQ(receipts.again_from_one_process(), 1U);
}

TEST(Receipts, OnlyWithinAGapMayAnythingButALastStateBeMissing) {
  const std::vector<sim::SimChange> history = {{5, false, "a", kStart},
                                               {6, false, "a", kStart + 60s},
                                               {7, false, "b", kStart + 60s},
                                               {8, true, "b", kStart + 61s}};
  Receipts receipts;
  EXPECT_EQ(receipts.Compare(history).outside, 3U);
  receipts.Take(Gap(kStart + 55s, kStart + 65s));
  receipts.Take(Of("a", 5));
  const auto missing = receipts.Compare(history);
  EXPECT_EQ(missing.within_gaps, 1U) << "b has come and gone";
  EXPECT_THAT(missing.examples, ElementsAre(HasSubstr("a/6, the last state")));
  EXPECT_EQ(receipts.Compare(history, true).outside, 0U) << "unless it was dropped";
  receipts.Take(Of("a", 6));
  EXPECT_EQ(receipts.Compare(history).outside, 0U);
  EXPECT_EQ(receipts.gaps_with("expired"), 1U);
  EXPECT_EQ(receipts.gaps_with("overflow"), 0U);
}

}  // namespace
}  // namespace kube_events::chaos
