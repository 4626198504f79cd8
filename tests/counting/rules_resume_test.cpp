// One test per row of "After a restart" in docs/counting.md.
#include <gtest/gtest.h>

#include <chrono>
#include <optional>

#include "counting/rule_shorthands.h"

namespace kube_events::testing {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr std::uint64_t kPosition = 50;
constexpr WallTime kBaseline = kHorizon - hours{10};
constexpr WallTime kNewest = kHorizon - minutes{1};
constexpr WallTime kLongAgo = kHorizon - hours{1};

// The horizon is the checkpoint's time.
RuleContext Resuming(Moment moment, bool complete = true) {
  RuleContext context = At(moment);
  context.resumed = {.position = kPosition, .baseline_time = kBaseline, .newest = kNewest, .complete = complete};
  return context;
}

RuleContext UnderASelector(RuleContext context) {
  context.label_selector = true;
  return context;
}

// What a checkpoint restores: no version, no last total, no creation time.
Known Saved(std::int64_t highest, OptionalTime epoch = kEarlier) {
  Known known = Knows(highest, epoch);
  known.resource_version = 0;
  return known;
}

struct Object {
  std::int64_t total = 1;
  OptionalTime epoch = kLongAgo;
  OptionalTime created = kLongAgo;
  std::uint64_t version = kPosition + 1;
  std::uint64_t uid = kUid;
};

Sighting See(const Object& object) {
  Sighting sighting = testing::See(object.total, object.epoch, object.uid);
  sighting.creation_time = object.created;
  sighting.resource_version = object.version;
  return sighting;
}

// MODIFIED or DELETED.
Sighting Modified(const Object& object) {
  Sighting sighting = See(object);
  sighting.was_there = true;
  return sighting;
}

Verdict Unknown(const Sighting& sighting, const RuleContext& context) {
  return Decide(std::nullopt, sighting, context);
}

TEST(Resumed, WhatTheListShowsUpToThePositionAddsNothingAndIsKnown) {
  const Verdict verdict =
      Decide(Saved(4), See({.total = 2, .epoch = kEarlier, .version = kPosition}), Resuming(Moment::kResumedList));
  EXPECT_EQ(verdict.occurrences, (Occurrences{.baseline = true}));
  EXPECT_EQ(verdict.known.highest, 4);
  EXPECT_EQ(verdict.known.last, 2);
  EXPECT_EQ(verdict.known.resource_version, kPosition);
  EXPECT_FALSE(verdict.known.baselined);
  const Verdict higher =
      Decide(Saved(4), See({.total = 6, .epoch = kEarlier, .version = kPosition}), Resuming(Moment::kResumedList));
  EXPECT_EQ(higher.known.highest, 6);
}

TEST(Resumed, WhatTheListShowsAfterThePositionIsLeftToTheWatch) {
  const Verdict verdict = Unknown(See({.total = 5}), Resuming(Moment::kResumedList));
  EXPECT_EQ(verdict.occurrences, (Occurrences{.baseline = true}));
  EXPECT_TRUE(verdict.later);
  EXPECT_FALSE(Unknown(See({.version = kPosition}), Resuming(Moment::kResumedList)).later);
}

TEST(Resumed, WhatIsListedAndNotSavedIsBaselinedWhereItMayHaveBeenThereBeforeUs) {
  const auto list = [](OptionalTime created, bool complete) {
    return Unknown(See({.created = created, .version = kPosition}), Resuming(Moment::kResumedList, complete)).known;
  };
  EXPECT_FALSE(list(kBaseline + seconds{1}, true).baselined);
  EXPECT_TRUE(list(kBaseline, true).baselined);
  EXPECT_TRUE(list(std::nullopt, true).baselined);
  EXPECT_TRUE(list(kBaseline + seconds{1}, false).baselined);
  EXPECT_FALSE(list(kBaseline, true).series_at_baseline);
  EXPECT_TRUE(list(kBaseline, false).series_at_baseline);
}

TEST(Resumed, ALateWriteThatIsListedDoesNotChangeTheRun) {
  const Verdict verdict = Decide(Saved(4, kEarlier), See({.total = 9, .epoch = kLongAgo, .version = kPosition}),
                                 Resuming(Moment::kResumedList));
  EXPECT_EQ(verdict.known.epoch, kEarlier);
  EXPECT_EQ(verdict.known.highest, 4);
  EXPECT_EQ(verdict.known.last, 4);
}

TEST(Resumed, ASavedEventIsAKnownOne) {
  for (const Moment moment : {Moment::kCatchUp, Moment::kLostList}) {
    EXPECT_EQ(Decide(Saved(4), Modified({.total = 7, .epoch = kEarlier}), Resuming(moment)).occurrences, Adds(3));
    EXPECT_EQ(Decide(Saved(4), See({.total = 2, .epoch = kLater}), Resuming(moment)).occurrences, Adds(2));
    EXPECT_EQ(Decide(Saved(4), See({.total = 6, .epoch = kEarlier, .uid = kOtherUid}), Resuming(moment)).occurrences,
              Adds(2));
  }
}

TEST(Resumed, ASavedBaselinedEventRisesForTheFirstTime) {
  Known known = Saved(4);
  known.baselined = true;
  EXPECT_EQ(Decide(known, Modified({.total = 7, .epoch = kEarlier}), Resuming(Moment::kCatchUp)).occurrences,
            Adds(3, 2));
}

TEST(Resumed, WhatExistedAndIsNotSavedHadOneOccurrence) {
  const RuleContext context = Resuming(Moment::kCatchUp);
  EXPECT_EQ(Unknown(Modified({.total = 5}), context).occurrences, Adds(4));
  EXPECT_EQ(Unknown(Modified({.total = 1}), context).occurrences, Adds(0));
  EXPECT_EQ(Unknown(Modified({.total = 5, .epoch = std::nullopt}), context).occurrences, Adds(4));
  EXPECT_EQ(Unknown(Modified({.total = 5, .epoch = kLongAgo + seconds{5}}), context).occurrences, Adds(4));
}

TEST(Resumed, WhatExistedAtTheBaselineAndIsNotSavedRisesForTheFirstTime) {
  const Object object{.total = 5, .epoch = kBaseline, .created = kBaseline};
  const RuleContext context = Resuming(Moment::kCatchUp);
  EXPECT_EQ(Unknown(Modified(object), context).occurrences, Adds(4, 3));
  EXPECT_EQ(Unknown(Series(Modified(object)), context).occurrences, Adds(4));  // a singleton became a series
}

TEST(Resumed, WhatExistedAndIsNotSavedButHasALaterEpochIsANewRun) {
  const RuleContext context = Resuming(Moment::kCatchUp);
  EXPECT_EQ(Unknown(Modified({.total = 5, .epoch = kLongAgo + seconds{6}}), context).occurrences, Adds(5, 1));
  EXPECT_EQ(Unknown(Modified({.total = 1, .epoch = kLongAgo + seconds{6}}), context).occurrences, Adds(1));
}

TEST(Resumed, WhereTotalsAreIncompleteWhatExistedIsNotSureOfAny) {
  const Verdict verdict = Unknown(Modified({.total = 5}), Resuming(Moment::kCatchUp, false));
  EXPECT_EQ(verdict.occurrences, Adds(1, 1, 4));
  EXPECT_TRUE(verdict.known.baselined);
  EXPECT_TRUE(verdict.known.series_at_baseline);
}

TEST(Resumed, AnEventThatTheWatchAddsIsAFirstSight) {
  for (const bool complete : {true, false}) {
    const RuleContext context = Resuming(Moment::kCatchUp, complete);
    EXPECT_EQ(Unknown(See({.total = 3, .epoch = kLater, .created = kLater}), context).occurrences, Adds(3));
    EXPECT_EQ(Unknown(See({.total = 3, .epoch = kHorizon, .created = kLater}), context).occurrences, Adds(3, 2));
    EXPECT_EQ(Unknown(See({.total = 3, .created = kLater}), context).occurrences, Adds(1, 0, 2));
  }
}

TEST(LostList, WhatWasCreatedHalfAMinuteBeforeTheNewestExisted) {
  const RuleContext context = Resuming(Moment::kLostList);
  EXPECT_EQ(Unknown(See({.total = 5}), context).occurrences, Adds(4));
  const WallTime edge = kNewest - seconds{30};
  EXPECT_EQ(Unknown(See({.epoch = edge, .created = edge}), context).occurrences, Adds(1));
  EXPECT_EQ(Unknown(See({.epoch = edge, .created = edge - seconds{1}}), context).occurrences, Adds(0));
}

TEST(LostList, WhereTotalsAreIncompleteWhatIsNotNewerThanTheNewestExisted) {
  const RuleContext context = Resuming(Moment::kLostList, false);
  EXPECT_EQ(Unknown(See({.total = 5}), context).occurrences, Adds(1, 1, 4));
  const WallTime edge = kNewest + seconds{5};
  EXPECT_EQ(Unknown(See({.epoch = edge, .created = edge}), context).occurrences, Adds(1, 1));
  EXPECT_EQ(Unknown(See({.epoch = edge, .created = edge + seconds{1}}), context).occurrences, Adds(1));
}

TEST(LostList, UnderALabelSelectorWhatExistedIsNotSureOfAny) {
  const Verdict verdict = Unknown(See({.total = 5}), UnderASelector(Resuming(Moment::kLostList)));
  EXPECT_EQ(verdict.occurrences, Adds(1, 1, 4));
  EXPECT_TRUE(verdict.known.baselined);
  EXPECT_EQ(Unknown(Modified({.total = 5}), UnderASelector(Resuming(Moment::kCatchUp))).occurrences, Adds(4));
}

TEST(LostList, AnEventCreatedLaterIsAFirstSight) {
  const RuleContext context = Resuming(Moment::kLostList);
  EXPECT_EQ(Unknown(See({.total = 3, .epoch = kLater, .created = kLater}), context).occurrences, Adds(3));
  EXPECT_EQ(Unknown(See({.total = 3, .created = kLater}), context).occurrences, Adds(1, 0, 2));
}

TEST(LostList, WhatIsNotNewerThanThePositionAddsNothing) {
  EXPECT_EQ(Unknown(See({.total = 5, .version = kPosition}), Resuming(Moment::kLostList)).occurrences,
            (Occurrences{.baseline = true}));
}

}  // namespace
}  // namespace kube_events::testing
