// One test per row of "A known key" in docs/counting.md: replays and rises.
#include <gtest/gtest.h>

#include <chrono>
#include <optional>

#include "counting/rule_shorthands.h"

namespace kube_events::testing {
namespace {

TEST(KnownKey, TheSameOrAnOlderVersionChangesNothing) {
  Known known = Knows(5);
  known.resource_version = 100;
  for (const std::uint64_t version : {99U, 100U}) {
    Sighting sighting = See(9, kLatest, kOtherUid);
    sighting.resource_version = version;
    const Verdict verdict = Decide(known, sighting, Context());
    EXPECT_TRUE(verdict.replay);
    EXPECT_EQ(verdict.occurrences, Adds(0));
    EXPECT_EQ(verdict.known.highest, 5);
    EXPECT_EQ(verdict.known.uid, kUid);
  }
}

TEST(KnownKey, AVersionThatIsNoNumberCountsAsChanged) {
  Sighting sighting = See(9);
  sighting.resource_version = 0;
  EXPECT_EQ(Decide(Knows(5), sighting, Context()).occurrences, Adds(4));
}

TEST(KnownKey, ARiseAddsWhatIsAboveTheHighest) {
  const Verdict verdict = Judge(Knows(1), See(5));
  EXPECT_EQ(verdict.occurrences, Adds(4));
  EXPECT_EQ(verdict.known.highest, 5);
  EXPECT_EQ(verdict.known.last, 5);
  EXPECT_EQ(Judge(verdict.known, See(6)).occurrences, Adds(1));
}

TEST(KnownKey, ASeriesThatAppearsWithTwoAddsOne) { EXPECT_EQ(Judge(Knows(1), Series(See(2))).occurrences, Adds(1)); }

TEST(KnownKey, AHeartbeatFromTwoToFortyAddsThirtyEight) {
  EXPECT_EQ(Judge(Knows(2), Series(See(40))).occurrences, Adds(38));
}

TEST(KnownKey, ReCreatedWithANewUidAndTheSameEpochAddsTheDifference) {
  const Verdict verdict = Judge(Knows(40), See(60, kLater, kOtherUid));
  EXPECT_EQ(verdict.occurrences, Adds(20));
  EXPECT_EQ(verdict.known.uid, kOtherUid);
  EXPECT_EQ(Judge(Knows(40), See(40, kLater, kOtherUid)).occurrences, Adds(0));
}

TEST(KnownKey, ASetEpochThatBecomesUnsetIsNoChange) {
  const Verdict verdict = Judge(Knows(3), See(5, std::nullopt));
  EXPECT_EQ(verdict.occurrences, Adds(2));
  EXPECT_EQ(verdict.known.epoch, kLater);
  EXPECT_EQ(Judge(verdict.known, See(6)).occurrences, Adds(1));
}

TEST(KnownKey, WithoutAnEpochTheUidNamesTheRun) {
  EXPECT_EQ(Judge(Knows(3, std::nullopt), See(5, std::nullopt)).occurrences, Adds(2));
}

TEST(KnownKey, TheFirstRiseOfABaselinedEventIsSureOfOne) {
  const Verdict verdict = Judge(Baselined(3, false), See(8, kEarlier));
  EXPECT_EQ(verdict.occurrences, Adds(5, 4));
  EXPECT_FALSE(verdict.known.baselined);
  EXPECT_EQ(Judge(verdict.known, See(10, kEarlier)).occurrences, Adds(2));
}

TEST(KnownKey, TheFirstRiseOfABaselinedSeriesIsNotSureOfAny) {
  const Verdict verdict = Judge(Baselined(3, true), Series(See(8, kEarlier)));
  EXPECT_EQ(verdict.occurrences, Adds(5, 5));
  EXPECT_EQ(Judge(verdict.known, Series(See(10, kEarlier))).occurrences, Adds(2));
}

TEST(KnownKey, TheFirstRiseAfterReCreationIsStillTheFirst) {
  EXPECT_EQ(Judge(Baselined(3, false), See(8, kEarlier, kOtherUid)).occurrences, Adds(5, 4));
  EXPECT_EQ(Judge(Baselined(3, true), Series(See(8, kEarlier, kOtherUid))).occurrences, Adds(5, 5));
}

TEST(KnownKey, ABaselinedSingletonThatBecomesASeriesIsSureOfAll) {
  const Verdict verdict = Judge(Baselined(1, false), Series(See(2, kEarlier)));
  EXPECT_EQ(verdict.occurrences, Adds(1));
  EXPECT_FALSE(verdict.known.baselined);
  EXPECT_EQ(Judge(Baselined(1, false), Series(See(40, kEarlier))).occurrences, Adds(39));
}

TEST(KnownKey, ABaselinedEventStaysBaselinedUntilItRises) {
  const Verdict verdict = Judge(Baselined(40, false), See(40, kEarlier));
  EXPECT_EQ(verdict.occurrences, Adds(0));
  EXPECT_TRUE(verdict.known.baselined);
  const Verdict fallen = Judge(Baselined(40, false), See(2, kEarlier));
  const Verdict below = Judge(fallen.known, See(7, kEarlier));
  EXPECT_EQ(below.occurrences, Adds(0, 0, 5));
  EXPECT_TRUE(below.known.baselined);
  EXPECT_EQ(Judge(below.known, See(45, kEarlier)).occurrences, Adds(5, 4, 33));
}

TEST(KnownKey, WithinTheSyncPeriodTheFirstRiseOfABaselinedSeriesJoinsTheBaseline) {
  RuleContext context = Context();
  context.sync_period = true;
  const Verdict verdict = Judge(Baselined(3, true), Series(See(8, kEarlier)), context);
  EXPECT_EQ(verdict.occurrences, Adds(0, 0, 5));
  EXPECT_EQ(verdict.known.highest, 8);
  EXPECT_EQ(Judge(verdict.known, Series(See(10, kEarlier)), context).occurrences, Adds(2));
  EXPECT_EQ(Judge(Baselined(3, false), See(8, kEarlier), context).occurrences, Adds(5, 4));
  EXPECT_EQ(Judge(Knows(3), Series(See(8)), context).occurrences, Adds(5));
}

}  // namespace
}  // namespace kube_events::testing
