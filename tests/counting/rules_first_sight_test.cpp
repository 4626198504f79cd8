// One test per row of "First sight" in docs/counting.md, and the edges of freshness.
#include <gtest/gtest.h>

#include <chrono>
#include <optional>

#include "counting/rule_shorthands.h"

namespace kube_events::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(FirstSight, ColdFirstListIsTheBaselineAndAddsNothing) {
  const Verdict verdict = Judge(std::nullopt, Series(See(7, kEarlier)), At(Moment::kFirstList));
  EXPECT_EQ(verdict.occurrences, (Occurrences{.baseline = true}));
  EXPECT_TRUE(verdict.known.baselined);
  EXPECT_TRUE(verdict.known.series_at_baseline);
  EXPECT_EQ(verdict.known.highest, 7);
  EXPECT_FALSE(Judge(std::nullopt, See(7, kEarlier), At(Moment::kFirstList)).known.series_at_baseline);
}

TEST(FirstSight, FreshCountsItsTotal) {
  EXPECT_EQ(First(See(5)), Adds(5));
  EXPECT_EQ(First(Series(See(5))), Adds(5));
  EXPECT_EQ(First(See(5), WithSelector()), Adds(5));
  EXPECT_FALSE(Judge(std::nullopt, See(5), WithSelector()).known.baselined);
}

TEST(FirstSight, NearlyFreshCountsItsTotalAndIsSureOfOne) {
  EXPECT_EQ(First(See(5, kHorizon)), Adds(5, 4));
  EXPECT_EQ(First(See(1, kHorizon)), Adds(1));
}

TEST(FirstSight, NotFreshCountsOne) {
  EXPECT_EQ(First(See(5, kEarlier)), Adds(1, 0, 4));
  EXPECT_EQ(First(See(1, kEarlier)), Adds(1));
  EXPECT_EQ(First(See(5, std::nullopt)), Adds(1, 0, 4));
  EXPECT_FALSE(Judge(std::nullopt, See(5, kEarlier)).known.baselined);
}

TEST(FirstSight, NotFreshSeriesIsNotSureOfAny) {
  EXPECT_EQ(First(Series(See(5, kEarlier))), Adds(1, 1, 4));
  EXPECT_EQ(First(Series(See(5, kHorizon))), Adds(5, 5));
  EXPECT_FALSE(Judge(std::nullopt, Series(See(5, kEarlier))).known.baselined);
}

TEST(FirstSight, UnderALabelSelectorNotFreshIsNotSureOfAnyAndIsBaselined) {
  EXPECT_EQ(First(See(5, kEarlier), WithSelector()), Adds(1, 1, 4));
  EXPECT_EQ(First(See(5, kHorizon), WithSelector()), Adds(5, 5));
  EXPECT_EQ(First(Series(See(5, kEarlier)), WithSelector()), Adds(1, 1, 4));
  const Verdict singleton = Judge(std::nullopt, See(1, kEarlier), WithSelector());
  EXPECT_TRUE(singleton.known.baselined);
  EXPECT_FALSE(singleton.known.series_at_baseline);
  EXPECT_TRUE(Judge(std::nullopt, Series(See(5, kEarlier)), WithSelector()).known.series_at_baseline);
}

TEST(FirstSight, AfterLivingEventsWereForgottenNotFreshIsNotSureOfAny) {
  RuleContext context = Context();
  context.forgot_living = true;
  EXPECT_EQ(First(See(5, kEarlier), context), Adds(1, 1, 4));
  EXPECT_TRUE(Judge(std::nullopt, See(5, kEarlier), context).known.baselined);
  EXPECT_TRUE(Judge(std::nullopt, See(5, kEarlier), context).known.series_at_baseline);
  EXPECT_EQ(First(See(5), context), Adds(5));
}

TEST(Freshness, BeginsSixSecondsAfterTheHorizon) {
  EXPECT_EQ(First(See(3, kHorizon + seconds{6})), Adds(3, 2));
  EXPECT_EQ(First(See(3, kHorizon + seconds{6} + milliseconds{1})), Adds(3));
}

TEST(Freshness, NearlyFreshReachesFiveSecondsBeforeTheHorizon) {
  EXPECT_EQ(First(See(3, kHorizon - seconds{5})), Adds(3, 2));
  EXPECT_EQ(First(See(3, kHorizon - seconds{5} - milliseconds{1})), Adds(1, 0, 2));
}

TEST(Freshness, EndsSixSecondsInTheFuture) {
  const RuleContext context = Context();
  EXPECT_EQ(First(See(3, context.now + seconds{6})), Adds(3));
  EXPECT_EQ(First(See(3, context.now + seconds{6} + milliseconds{1})), Adds(1, 0, 2));
}

TEST(Freshness, NothingUpToTheNewestForgottenEpochIsFresh) {
  RuleContext context = Context();
  context.forgotten = kLater;
  EXPECT_EQ(First(See(3, kLater), context), Adds(1, 0, 2));
  EXPECT_EQ(First(See(3, kLater + seconds{1}), context), Adds(3));
  context.forgotten = kHorizon + seconds{1};
  EXPECT_EQ(First(See(3, kHorizon), context), Adds(1, 0, 2));
}

}  // namespace
}  // namespace kube_events::testing
