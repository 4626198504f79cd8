// One test per row of "A known key" in docs/counting.md: falls, new runs, re-creations; and the restored list.
#include <gtest/gtest.h>

#include <chrono>
#include <optional>

#include "counting/rule_shorthands.h"

namespace kube_events::testing {
namespace {

TEST(KnownKey, AFallAddsNothingAndLeavesItsTotalUncertain) {
  const Verdict verdict = Judge(Knows(40), See(2));
  EXPECT_EQ(verdict.occurrences, Adds(0, 0, 2));
  EXPECT_EQ(verdict.known.highest, 40);
  EXPECT_EQ(verdict.known.last, 2);
}

TEST(KnownKey, ARiseAfterAFallAddsOnlyWhatIsAboveTheHighest) {
  const Verdict fallen = Judge(Knows(40), See(2));
  EXPECT_EQ(Judge(fallen.known, See(45)).occurrences, Adds(5, 0, 38));
  EXPECT_EQ(Judge(fallen.known, See(7)).occurrences, Adds(0, 0, 5));
}

TEST(KnownKey, ALaterEpochIsANewRun) {
  for (const std::uint64_t uid : {kUid, kOtherUid}) {
    const Verdict verdict = Judge(Knows(40), See(3, kLatest, uid));
    EXPECT_EQ(verdict.occurrences, Adds(3));
    EXPECT_EQ(verdict.known.highest, 3);
    EXPECT_EQ(verdict.known.epoch, kLatest);
    EXPECT_EQ(Judge(Knows(40), See(1, kLatest, uid)).occurrences, Adds(1));
  }
}

TEST(KnownKey, ALaterEpochWithAHigherTotalMayBeARenewedTimestamp) {
  EXPECT_EQ(Judge(Knows(4), See(5, kLatest)).occurrences, Adds(5, 4));
  EXPECT_EQ(Judge(Knows(4), See(9, kLatest, kOtherUid)).occurrences, Adds(9, 4));
}

TEST(KnownKey, ALaterEpochOfABaselinedEventIsSureOfOne) {
  const Verdict verdict = Judge(Baselined(4, false), See(6, kLatest));
  EXPECT_EQ(verdict.occurrences, Adds(6, 5));
  EXPECT_FALSE(verdict.known.baselined);
  EXPECT_EQ(Judge(Baselined(4, true), See(3, kLatest)).occurrences, Adds(3, 2));
  EXPECT_EQ(Judge(Baselined(4, false), See(1, kLatest)).occurrences, Adds(1));
}

TEST(KnownKey, AnEpochWhereThereWasNoneMayContinueTheOldRun) {
  EXPECT_EQ(Judge(Knows(4, std::nullopt), See(6)).occurrences, Adds(6, 4));
  EXPECT_EQ(Judge(Knows(4, std::nullopt), See(3)).occurrences, Adds(3, 3));
  EXPECT_EQ(Judge(Baselined(4, false, std::nullopt), See(9)).occurrences, Adds(9, 8));
  EXPECT_EQ(Judge(Baselined(4, false, std::nullopt), See(3)).occurrences, Adds(3, 3));
}

TEST(KnownKey, AnEarlierEpochOfTheSameUidIsALateWrite) {
  const Verdict verdict = Judge(Knows(2, kLatest), See(30, kLater));
  EXPECT_EQ(verdict.occurrences, Adds(0, 0, 30));
  EXPECT_EQ(verdict.known.epoch, kLatest);
  EXPECT_EQ(verdict.known.highest, 2);
  EXPECT_EQ(verdict.known.last, 2);
  EXPECT_GT(verdict.known.resource_version, 10U);
  EXPECT_EQ(Judge(verdict.known, See(3, kLatest)).occurrences, Adds(1));
}

TEST(KnownKey, ANewUidWithTotalOneAddsOne) {
  for (const OptionalTime& epoch :
       {OptionalTime{kLater}, OptionalTime{kLatest}, OptionalTime{kEarlier}, OptionalTime{}}) {
    const Verdict verdict = Judge(Knows(40), See(1, epoch, kOtherUid));
    EXPECT_EQ(verdict.occurrences, Adds(1));
    EXPECT_EQ(verdict.known.highest, 1);
  }
  EXPECT_EQ(Judge(Knows(40, std::nullopt), See(1, std::nullopt, kOtherUid)).occurrences, Adds(1));
}

TEST(KnownKey, ANewUidWithTotalOneIsCertainAlsoUnderALabelSelector) {
  EXPECT_EQ(Judge(Knows(40), See(1, kEarlier, kOtherUid), WithSelector()).occurrences, Adds(1));
}

TEST(KnownKey, ANewUidWithAnUnsetEpochIsAFirstSight) {
  EXPECT_EQ(Judge(Knows(4), See(5, std::nullopt, kOtherUid)).occurrences, Adds(1, 0, 4));
  EXPECT_EQ(Judge(Knows(4, std::nullopt), See(5, std::nullopt, kOtherUid)).occurrences, Adds(1, 0, 4));
}

TEST(KnownKey, ANewUidWithANewlySetEpochIsAFirstSight) {
  EXPECT_EQ(Judge(Knows(4, std::nullopt), See(5, kLater, kOtherUid)).occurrences, Adds(5));
  EXPECT_EQ(Judge(Knows(4, std::nullopt), See(5, kEarlier, kOtherUid)).occurrences, Adds(1, 0, 4));
}

TEST(KnownKey, ANewUidWithAnEarlierEpochIsAFirstSightThatIsNotSureOfAny) {
  const Verdict verdict = Judge(Knows(4, kLatest), See(5, kLater, kOtherUid));
  EXPECT_EQ(verdict.occurrences, Adds(5, 5));
  EXPECT_TRUE(verdict.known.baselined);
  EXPECT_FALSE(verdict.known.series_at_baseline);
  EXPECT_TRUE(Judge(Knows(4, kLatest), Series(See(5, kLater, kOtherUid))).known.series_at_baseline);
  EXPECT_EQ(Judge(Knows(4, kLatest), See(5, kEarlier, kOtherUid)).occurrences, Adds(1, 1, 4));
}

TEST(KnownKey, AChangeOfLabelsOnlyAddsNothing) {
  const Verdict verdict = Judge(Knows(4), See(4));
  EXPECT_EQ(verdict.occurrences, Adds(0));
  EXPECT_FALSE(verdict.replay);
  EXPECT_GT(verdict.known.resource_version, 10U);
}

TEST(KnownKey, StartingToMatchASelectorIsTheSameRun) {
  Known tombstone = Knows(4);
  tombstone.resource_version = 0;
  EXPECT_EQ(Judge(tombstone, See(6), WithSelector()).occurrences, Adds(2));
}

TEST(RestoredList, WhatARiseAddsIsAlsoUncertain) {
  Known known = Knows(4);
  known.resource_version = 0;
  const Verdict verdict = Judge(known, See(6), At(Moment::kRestoredList));
  EXPECT_EQ(verdict.occurrences, Adds(2, 2));
  EXPECT_TRUE(verdict.known.baselined);
}

TEST(RestoredList, TheSameSetEpochIsTheSameRunAlsoWithTotalOne) {
  EXPECT_EQ(Judge(Knows(4), See(1, kLater, kOtherUid), At(Moment::kRestoredList)).occurrences, Adds(0, 0, 1));
  EXPECT_EQ(Judge(Knows(1), See(1, kLater, kOtherUid), At(Moment::kRestoredList)).occurrences, Adds(0));
}

TEST(RestoredList, ANewKeyIsUncertainAndBaselinedAsASeries) {
  RuleContext context = At(Moment::kRestoredList);
  context.horizon = context.now;
  const Verdict verdict = Judge(std::nullopt, See(4), context);
  EXPECT_EQ(verdict.occurrences, Adds(1, 1, 3));
  EXPECT_TRUE(verdict.known.baselined);
  EXPECT_TRUE(verdict.known.series_at_baseline);
}

TEST(RestoredList, ALaterEpochIsUncertainAsAWhole) {
  EXPECT_EQ(Judge(Knows(4), See(3, kLatest), At(Moment::kRestoredList)).occurrences, Adds(3, 3));
}

}  // namespace
}  // namespace kube_events::testing
