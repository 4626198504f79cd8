#include <gtest/gtest.h>

#include <algorithm>

#include "counting/history.h"

namespace kube_events::testing {
namespace {

// Holds where writer `kind` fails a write and, later, a list of at least `amount` items breaks off.
bool HasFailureThenList(const History& history, WriterKind kind, std::int64_t amount) {
  bool failed = false;
  for (const Step& step : history.steps) {
    failed =
        failed || (step.kind == StepKind::kFail && history.writers[static_cast<std::size_t>(step.writer)].kind == kind);
    if (failed && step.kind == StepKind::kFailedList && step.amount >= amount) return true;
  }
  return false;
}

// Random histories until one has what a test looks for.
History Find(const std::function<bool(const History&)>& fails) {
  for (std::uint64_t seed = 1;; ++seed) {
    const History history = MakeHistory(seed);
    if (history.steps.size() > 40 && history.writers.size() > 2 && fails(history)) return history;
  }
}

TEST(ShrinkHistory, OnlyWhatMattersIsLeft) {
  const auto fails = [](const History& history) { return HasFailureThenList(history, WriterKind::kRenewing, 3); };
  const History shortest = Shrink(Find(fails), fails);
  ASSERT_EQ(shortest.steps.size(), 2U) << ToString(shortest);
  EXPECT_EQ(shortest.steps[0].kind, StepKind::kFail);
  EXPECT_EQ(shortest.steps[0].amount, 0);
  EXPECT_EQ(shortest.steps[1].kind, StepKind::kFailedList);
  EXPECT_EQ(shortest.steps[1].amount, 3);
  ASSERT_EQ(shortest.writers.size(), 1U);
  EXPECT_EQ(shortest.writers[0].skew.count(), 0);
  EXPECT_TRUE(shortest.writers[0].matches);
}

TEST(ShrinkHistory, OptionsThatMatterStay) {
  const auto fails = [](const History& history) {
    const auto gaps = std::count_if(history.steps.begin(), history.steps.end(),
                                    [](const Step& step) { return step.kind == StepKind::kGap; });
    return history.selector && history.max_live < 10 && gaps >= 2;
  };
  const History shortest = Shrink(Find(fails), fails);
  EXPECT_TRUE(shortest.selector);
  EXPECT_LT(shortest.max_live, 10U);
  EXPECT_EQ(shortest.max_tombstones, History{}.max_tombstones);
  EXPECT_EQ(shortest.steps.size(), 2U) << ToString(shortest);
}

}  // namespace
}  // namespace kube_events::testing
