// Histories that a simpler set of rules gets wrong.
#include <gtest/gtest.h>

#include "counting/counter_fixture.h"

namespace kube_events::testing {
namespace {

class Histories : public CounterFixture {};

TEST_F(Histories, DeletedBeforeTheFirstListAndReCreatedAfterItWithTheFullCount) {
  const WallTime first = now_ - minutes{30};
  List(ListReason::kFirst, {});
  now_ += minutes{1};
  Added({.count = 31, .first_time = first});
  ExpectLast(1, 0, 30);
  Modified({.count = 32, .first_time = first});
  ExpectLast(1);
}

TEST_F(Histories, AnEventWithoutAnyTimestampIsReCreatedWithItsFullCount) {
  List(ListReason::kFirst, {{.count = 4}});
  now_ += minutes{1};
  Modified({.count = 5});
  ExpectLast(1);
  Deleted({.count = 5});
  Added({.count = 6, .uid = "uid-2"});
  ExpectLast(1, 0, 5);
  Modified({.count = 7, .uid = "uid-2"});
  ExpectLast(1);
}

TEST_F(Histories, TheFirstTimestampIsRenewedAtEveryUpdate) {
  List(ListReason::kFirst, {});
  for (std::int64_t count = 1; count <= 5; ++count) {
    now_ += minutes{1};
    Modified({.count = count, .first_time = now_});
    ExpectLast(count, count - 1);  // one for sure each time
  }
}

TEST_F(Histories, ALateWriteOfTheRunBeforeAfterAReset) {
  List(ListReason::kFirst, {});
  now_ += minutes{1};
  const WallTime old_run = now_;
  Added({.count = 5, .first_time = old_run});
  now_ += minutes{1};
  const WallTime new_run = now_;
  Modified({.count = 1, .first_time = new_run});
  ExpectLast(1);
  Modified({.count = 6, .first_time = old_run});
  ExpectLast(0, 0, 6);
  Modified({.count = 3, .first_time = new_run});
  ExpectLast(2);
}

TEST_F(Histories, AHeartbeatOfABaselinedSeriesWithoutANewOccurrence) {
  const WallTime first = now_ - minutes{20};
  List(ListReason::kFirst, {{.series = 2, .event_time = first}});
  now_ += minutes{10};
  Modified({.series = 40, .event_time = first});
  ExpectLast(38, 38);
  now_ += minutes{30};
  Modified({.series = 40, .event_time = first});
  ExpectLast(0);
  Modified({.series = 41, .event_time = first});
  ExpectLast(1);
}

TEST_F(Histories, ASingletonOfTheBaselineBecomesASeries) {
  const WallTime first = now_ - minutes{1};
  List(ListReason::kFirst, {{.event_time = first}});
  now_ += minutes{1};
  Modified({.series = 2, .event_time = first});
  ExpectLast(1);
  Modified({.series = 40, .event_time = first});
  ExpectLast(38);
}

TEST_F(Histories, ASeriesAppearsAndGrowsWithItsHeartbeats) {
  List(ListReason::kFirst, {});
  now_ += minutes{1};
  const WallTime first = now_;
  Added({.event_time = first});
  ExpectLast(1);
  Modified({.series = 2, .event_time = first});
  ExpectLast(1);
  now_ += minutes{30};
  Modified({.series = 40, .event_time = first});
  ExpectLast(38);
}

TEST_F(Histories, ASpamFilterLetsTheCountJump) {
  List(ListReason::kFirst, {});
  now_ += minutes{1};
  const WallTime first = now_;
  Added({.count = 1, .first_time = first});
  Modified({.count = 27, .first_time = first});
  EXPECT_EQ(value_, 27);
}

TEST_F(Histories, ALateRetryLetsTheCountFallAndRiseAgain) {
  List(ListReason::kFirst, {});
  now_ += minutes{1};
  const WallTime first = now_;
  Added({.count = 40, .first_time = first});
  Modified({.count = 2, .first_time = first});
  ExpectLast(0, 0, 2);
  Modified({.count = 45, .first_time = first});
  ExpectLast(5, 0, 38);
  EXPECT_EQ(value_, 45);
}

TEST_F(Histories, AnEventReCreatedByHandWithALowerCountCountsAgain) {
  List(ListReason::kFirst, {});
  now_ += minutes{1};
  Added({.count = 40, .first_time = now_});
  Deleted({.count = 40, .first_time = now_});
  now_ += minutes{1};
  Added({.count = 2, .first_time = now_, .uid = "uid-2"});
  ExpectLast(2);
}

TEST_F(Histories, AGapHidesADeletionAndTheReCreation) {
  List(ListReason::kFirst, {});
  now_ += minutes{1};
  const WallTime first = now_;
  Added({.count = 40, .first_time = first});
  now_ += minutes{20};
  List(ListReason::kRelist, {{.count = 60, .first_time = first, .uid = "uid-2"}});
  ExpectLast(20);
}

TEST_F(Histories, ASpamFilterLetsTheCountJumpWithinAGap) {
  List(ListReason::kFirst, {});
  now_ += minutes{1};
  const WallTime first = now_;
  Added({.count = 1, .first_time = first});
  now_ += minutes{1};
  List(ListReason::kRelist, {{.count = 27, .first_time = first}});
  ExpectLast(26);
  EXPECT_EQ(value_, 27);
}

TEST_F(Histories, AFallBeforeAGapIsNotTakenForTheHighest) {
  List(ListReason::kFirst, {});
  now_ += minutes{1};
  const WallTime first = now_;
  Added({.count = 4, .first_time = first});
  Modified({.count = 2, .first_time = first});
  ExpectLast(0, 0, 2);
  List(ListReason::kRelist, {{.count = 5, .first_time = first}});
  ExpectLast(1, 0, 2);
}

TEST_F(Histories, ASingletonThatExpiresWithinAGapAddsNothing) {
  List(ListReason::kFirst, {});
  now_ += minutes{1};
  Added({.count = 1, .first_time = now_});
  const int calls = calls_;
  now_ += minutes{5};
  List(ListReason::kRelist, {});
  EXPECT_EQ(calls_, calls);
  EXPECT_EQ(value_, 1);
}

TEST_F(Histories, TwoIncarnationsAroundAGapAreEachCounted) {
  List(ListReason::kFirst, {});
  now_ += minutes{1};
  const State first{.count = 1, .first_time = now_};
  Added(first);
  Deleted(first);
  now_ += minutes{1};
  List(ListReason::kRelist, {{.count = 1, .first_time = now_, .uid = "uid-2"}});
  ExpectLast(1);
  EXPECT_EQ(value_, 2);
}

TEST_F(Histories, OnlyALabelChangesWithinAGap) {
  List(ListReason::kFirst, {});
  now_ += minutes{1};
  const State state{.count = 3, .first_time = now_};
  Added(state);
  List(ListReason::kRelist, {state});
  ExpectLast(0);
  EXPECT_EQ(value_, 3);
}

TEST_F(Histories, ARestoredEtcdReUsesVersions) {
  List(ListReason::kFirst, {});
  now_ += minutes{1};
  const WallTime first = now_;
  Added({.name = "a", .count = 3, .first_time = first, .version = "500"});
  Added({.name = "b", .count = 1, .first_time = first, .version = "501"});
  EXPECT_EQ(value_, 4);
  now_ += minutes{1};
  // a comes back in an older state, b is gone, c is an object that nobody has shown us before.
  List(ListReason::kRestored, {{.name = "a", .count = 2, .first_time = first, .version = "400"},
                               {.name = "c", .count = 4, .first_time = first, .version = "390"}});
  ExpectLast(1, 1, 3);
  EXPECT_EQ(value_, 5);
  EXPECT_EQ(counter_->Stats().live, 2U);
  // The writers go on as if nothing had happened, with versions that we have seen already.
  Modified({.name = "a", .count = 4, .first_time = first, .version = "401"});
  ExpectLast(1, 0, 1);
  Added({.name = "b", .count = 2, .first_time = first, .uid = "uid-2", .version = "402"});
  ExpectLast(1);
  Modified({.name = "c", .count = 6, .first_time = first, .version = "403"});
  ExpectLast(2, 2);
}

TEST_F(Histories, AfterARestoredEtcdNothingOlderIsFresh) {
  List(ListReason::kFirst, {});
  now_ += minutes{1};
  const WallTime first = now_;
  now_ += minutes{1};
  List(ListReason::kRestored, {});
  Added({.count = 3, .first_time = first});
  ExpectLast(1, 0, 2);
}

TEST_F(Histories, ARestoredListThatFailsHalfWayIsStartedAgain) {
  List(ListReason::kFirst, {});
  now_ += minutes{1};
  const State known{.name = "a", .count = 3, .first_time = now_, .version = "500"};
  Added(known);
  const State unknown{.name = "c", .count = 1, .first_time = now_ - hours{1}, .version = "390"};
  counter_->OnListBegin(0, ListReason::kRestored, now_);
  Send(ChangeKind::kListed, unknown, 0);
  ExpectLast(1, 1);
  List(ListReason::kRestored, {known, unknown});
  EXPECT_EQ(value_, 4);
}

class SelectorHistories : public CounterFixture {
 protected:
  SelectorHistories() : CounterFixture(OneScope("team=a")) {}
};

TEST_F(SelectorHistories, AnEventStartsStopsAndStartsAgainToMatch) {
  const WallTime first = now_ - minutes{30};
  List(ListReason::kFirst, {});
  now_ += minutes{1};
  Added({.count = 5, .first_time = first});  // it may have been there, with all of them
  ExpectLast(1, 1, 4);
  Modified({.count = 6, .first_time = first});
  ExpectLast(1);
  Deleted({.count = 6, .first_time = first});
  Added({.count = 9, .first_time = first});  // the same object
  ExpectLast(3);
}

TEST_F(SelectorHistories, AFreshEventIsCertain) {
  List(ListReason::kFirst, {});
  now_ += minutes{1};
  Added({.count = 3, .first_time = now_});
  ExpectLast(3);
}

class SyncPeriodHistories : public CounterFixture {
 protected:
  SyncPeriodHistories() : CounterFixture(Options()) {}
  static OccurrenceCounterOptions Options() {
    OccurrenceCounterOptions options = OneScope({});
    options.sync_period = minutes{35};
    return options;
  }
};

TEST_F(SyncPeriodHistories, TheFirstHeartbeatJoinsTheBaselineAndTheSecondCounts) {
  const WallTime first = now_ - minutes{20};
  List(ListReason::kFirst,
       {{.name = "early", .series = 2, .event_time = first}, {.name = "late", .series = 2, .event_time = first}});
  now_ += minutes{35};
  Modified({.name = "early", .series = 40, .event_time = first});
  ExpectLast(0, 0, 38);
  now_ += seconds{1};
  Modified({.name = "early", .series = 70, .event_time = first});
  ExpectLast(30);
  Modified({.name = "late", .series = 40, .event_time = first});
  ExpectLast(38, 38);
}

}  // namespace
}  // namespace kube_events::testing
