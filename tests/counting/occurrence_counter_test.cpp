// Lists, scopes, bounds: what OccurrenceCounter adds to the rules.
#include "kube_events/counting/occurrence_counter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <thread>

#include "counting/counter_fixture.h"

namespace kube_events::testing {
namespace {

class OccurrenceCounterTest : public CounterFixture {};

TEST_F(OccurrenceCounterTest, TheFirstListIsTheBaseline) {
  List(ListReason::kFirst, {{.name = "a", .count = 7}, {.name = "b"}});
  EXPECT_EQ(value_, 0);
  EXPECT_EQ(baselines_, 2);
  EXPECT_EQ(counter_->Stats().live, 2U);
}

TEST_F(OccurrenceCounterTest, AnEventAddedAfterTheFirstListCountsItsTotal) {
  List(ListReason::kFirst, {});
  now_ += minutes{1};
  Added({.count = 3, .first_time = now_});
  ExpectLast(3);
}

TEST_F(OccurrenceCounterTest, TheSinkHearsNothingOfChangesWithoutMeaning) {
  List(ListReason::kFirst, {{.count = 7}});
  calls_ = 0;
  Modified({.count = 7});
  Modified({.count = 9, .version = "1"});  // a replay
  Deleted({.count = 7});
  EXPECT_EQ(calls_, 0);
}

TEST_F(OccurrenceCounterTest, ARelistOfTheSameStatesAddsNothing) {
  List(ListReason::kFirst, {{.name = "a", .version = "5"}});
  now_ += minutes{1};
  Added({.name = "b", .count = 3, .first_time = now_, .version = "6"});
  List(ListReason::kRelist,
       {{.name = "a", .version = "5"}, {.name = "b", .count = 3, .first_time = now_, .version = "6"}});
  EXPECT_EQ(value_, 3);
}

TEST_F(OccurrenceCounterTest, ARelistCountsTheDifferences) {
  List(ListReason::kFirst, {});
  now_ += minutes{1};
  const WallTime first = now_;
  Added({.name = "a", .count = 3, .first_time = first});
  now_ += minutes{10};
  List(ListReason::kRelist,
       {{.name = "a", .count = 8, .first_time = first}, {.name = "b", .count = 2, .first_time = now_}});
  EXPECT_EQ(value_, 3 + 5 + 2);
}

TEST_F(OccurrenceCounterTest, ARelistDoesNotMoveTheHorizon) {
  List(ListReason::kFirst, {});
  const WallTime in_between = now_ + minutes{1};
  now_ += minutes{10};
  List(ListReason::kRelist, {});
  Added({.count = 4, .first_time = in_between});
  ExpectLast(4);
}

TEST_F(OccurrenceCounterTest, WhatARelistDoesNotBringIsRememberedWithItsHighest) {
  List(ListReason::kFirst, {});
  now_ += minutes{1};
  const WallTime first = now_;
  Added({.count = 5, .first_time = first});
  Modified({.count = 2, .first_time = first});
  List(ListReason::kRelist, {});
  EXPECT_EQ(counter_->Stats().live, 0U);
  EXPECT_EQ(counter_->Stats().tombstones, 1U);
  Added({.count = 6, .first_time = first, .uid = "uid-2"});
  ExpectLast(1, 0, 3);
}

TEST_F(OccurrenceCounterTest, AListThatFailsHalfWayDoesNoHarm) {
  List(ListReason::kFirst, {});
  now_ += minutes{1};
  const WallTime first = now_;
  Added({.name = "a", .count = 1, .first_time = first, .version = "10"});
  Added({.name = "b", .count = 1, .first_time = first, .version = "11"});
  counter_->OnListBegin(0, ListReason::kRelist, now_);
  Send(ChangeKind::kListed, {.name = "a", .count = 4, .first_time = first, .version = "12"}, 0);
  List(ListReason::kRelist, {{.name = "a", .count = 4, .first_time = first, .version = "12"},
                             {.name = "b", .count = 1, .first_time = first, .version = "11"}});
  EXPECT_EQ(value_, 5);
  EXPECT_EQ(counter_->Stats().live, 2U);
  EXPECT_EQ(counter_->Stats().tombstones, 0U);
}

TEST_F(OccurrenceCounterTest, AFirstListThatIsStartedAgainIsTheLaterBaseline) {
  counter_->OnListBegin(0, ListReason::kFirst, now_);
  Send(ChangeKind::kListed, {.name = "a", .count = 2}, 0);
  Send(ChangeKind::kListed, {.name = "gone"}, 0);
  now_ += minutes{1};
  List(ListReason::kFirst, {{.name = "a", .count = 9}, {.name = "new", .count = 3}});
  EXPECT_EQ(value_, 0);
  EXPECT_EQ(counter_->Stats().live, 2U);
  EXPECT_EQ(counter_->Stats().tombstones, 0U);
}

TEST_F(OccurrenceCounterTest, TheHorizonIsThatOfTheFirstListThatWasWhole) {
  counter_->OnListBegin(0, ListReason::kFirst, now_);
  const WallTime between = now_ + minutes{1};
  now_ += minutes{2};
  List(ListReason::kFirst, {});
  Added({.count = 4, .first_time = between});  // shown late; it may have been shown before the second attempt
  ExpectLast(1, 0, 3);
}

TEST_F(OccurrenceCounterTest, DeletionCountsWhatTheLastStateAdds) {
  List(ListReason::kFirst, {});
  now_ += minutes{1};
  const WallTime first = now_;
  Added({.count = 3, .first_time = first});
  Deleted({.count = 5, .first_time = first});
  ExpectLast(2);
  EXPECT_EQ(counter_->Stats().live, 0U);
  Added({.count = 6, .first_time = first, .uid = "uid-2"});
  ExpectLast(1);
}

TEST_F(OccurrenceCounterTest, ALateDeletionOfAnOlderObjectLeavesTheNewerOneAlive) {
  List(ListReason::kFirst, {});
  now_ += minutes{1};
  Added({.count = 1, .first_time = now_, .uid = "uid-2", .version = "20"});
  Deleted({.count = 1, .first_time = now_, .uid = "uid-1", .version = "19"});
  EXPECT_EQ(value_, 1);
  EXPECT_EQ(counter_->Stats().live, 1U);
}

TEST_F(OccurrenceCounterTest, AVersionThatIsNoNumberIsComparedByTotals) {
  List(ListReason::kFirst, {});
  now_ += minutes{1};
  for (const char* version : {"", "x", "12x", "-1", "99999999999999999999999"}) {
    State state{.name = std::string("event-") + version, .count = 2, .first_time = now_, .version = version};
    if (state.version.empty()) state.version = " ";
    Added(state);
    ExpectLast(2);
    Modified(state);
    ExpectLast(0);
    state.count = 5;
    Modified(state);
    ExpectLast(3);
  }
}

TEST_F(OccurrenceCounterTest, ForgottenEventsAreNotFresh) {
  List(ListReason::kFirst, {});
  now_ += minutes{1};
  const WallTime first = now_;
  Added({.count = 5, .first_time = first});
  Deleted({.count = 5, .first_time = first});
  now_ += hours{24};
  Added({.count = 6, .first_time = first, .uid = "uid-2"});
  ExpectLast(1, 0, 5);
  EXPECT_EQ(counter_->Stats().tombstones, 0U);
}

TEST_F(OccurrenceCounterTest, StatsMayBeReadFromAnotherThread) {
  std::atomic<bool> done{false};
  std::size_t largest = 0;
  std::thread reader([&] {
    while (!done) largest = std::max(largest, counter_->Stats().live);
  });
  List(ListReason::kFirst, {});
  for (int i = 0; i < 1000; ++i) Added({.name = std::to_string(i)});
  done = true;
  reader.join();
  EXPECT_LE(largest, 1000U);
  EXPECT_EQ(counter_->Stats().live, 1000U);
}

class SmallCounterTest : public CounterFixture {
 protected:
  SmallCounterTest() : CounterFixture(Options()) {}
  static OccurrenceCounterOptions Options() {
    OccurrenceCounterOptions options = OneScope({});
    options.max_live = 2;
    options.max_tombstones = 1;
    return options;
  }
};

TEST_F(SmallCounterTest, EvictedEventsAreStillKnown) {
  List(ListReason::kFirst, {});
  now_ += minutes{1};
  const WallTime first = now_;
  for (const char* name : {"a", "b", "c"}) Added({.name = name, .count = 2, .first_time = first});
  EXPECT_EQ(counter_->Stats().live, 2U);
  EXPECT_EQ(counter_->Stats().tombstones, 1U);
  EXPECT_EQ(counter_->Stats().evicted, 1U);
  Modified({.name = "a", .count = 3, .first_time = first});
  ExpectLast(1);
}

TEST_F(SmallCounterTest, WhenLivingEventsAreForgottenNothingOldIsCertain) {
  List(ListReason::kFirst, {});
  now_ += minutes{1};
  const WallTime first = now_;
  for (const char* name : {"a", "b", "c", "d"}) Added({.name = name, .count = 2, .first_time = first});
  Modified({.name = "a", .count = 2, .first_time = first});
  ExpectLast(1, 1, 1);
}

class SmallSelectorTest : public CounterFixture {
 protected:
  SmallSelectorTest() : CounterFixture(Options()) {}
  static OccurrenceCounterOptions Options() {
    OccurrenceCounterOptions options = OneScope("team=a");
    options.max_live = 1;
    return options;
  }
};

// The selector hides a while a first list that breaks off is started again; what a counts then is older than we are.
TEST_F(SmallSelectorTest, WhatAFirstListThatBrokeOffHadEvictedIsForgotten) {
  const WallTime first = now_ - minutes{1};
  counter_->OnListBegin(0, ListReason::kFirst, now_);
  for (const char* name : {"a", "b"}) Send(ChangeKind::kListed, {.name = name, .event_time = first}, 0);
  now_ += minutes{1};
  List(ListReason::kFirst, {});
  EXPECT_EQ(counter_->Stats().tombstones, 0U);
  now_ += minutes{1};
  Added({.name = "a", .series = 2, .event_time = first});
  ExpectLast(1, 1, 1);
  Modified({.name = "a", .series = 3, .event_time = first});
  ExpectLast(1, 1);
}

class TwoScopesTest : public CounterFixture {
 protected:
  TwoScopesTest() : CounterFixture(Options()) {}
  static OccurrenceCounterOptions Options() {
    OccurrenceCounterOptions options;
    options.scopes.push_back({EventApi::kCoreV1, "one", "", ""});
    options.scopes.push_back({EventApi::kCoreV1, "two", "", ""});
    return options;
  }
};

TEST_F(TwoScopesTest, AListOfOneScopeBuriesNothingOfTheOther) {
  List(ListReason::kFirst, {{.name = "a"}}, 0);
  List(ListReason::kFirst, {{.name = "b"}}, 1);
  List(ListReason::kRelist, {}, 1);
  EXPECT_EQ(counter_->Stats().live, 1U);
  EXPECT_EQ(counter_->Stats().tombstones, 1U);
  List(ListReason::kFirst, {}, 0);
  EXPECT_EQ(counter_->Stats().tombstones, 1U);
}

TEST_F(TwoScopesTest, EachScopeHasItsHorizon) {
  List(ListReason::kFirst, {}, 0);
  now_ += minutes{10};
  const WallTime between = now_ - minutes{5};
  List(ListReason::kFirst, {}, 1);
  Send(ChangeKind::kAdded, {.name = "a", .count = 3, .first_time = between}, 0);
  ExpectLast(3);
  Send(ChangeKind::kAdded, {.name = "b", .count = 3, .first_time = between}, 1);
  ExpectLast(1, 0, 2);
}

}  // namespace
}  // namespace kube_events::testing
