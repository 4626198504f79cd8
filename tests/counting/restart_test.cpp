// Restarts with a checkpoint: the histories that simpler rules get wrong.
#include <gtest/gtest.h>

#include "counting/restart_fixture.h"

namespace kube_events::testing {
namespace {

TEST_F(Restarts, WhatWasCountedIsNotCountedAgain) {
  Begin();
  const State event = Since(now_, 3);
  Added(event);
  SaveAndRestart();
  Resume({At(event, Position())});
  EXPECT_EQ(value_, 3);
  Modified({.count = 4, .first_time = event.first_time, .created = event.created});
  ExpectLast(1);
}

TEST_F(Restarts, WhatHappenedDuringTheDowntimeIsCountedByTheWatch) {
  Begin();
  Added(Since(now_, 3, "known"));
  const WallTime first = now_;
  SaveAndRestart();
  const State changed = Since(first, 5, "known");
  const State created{.name = "new", .count = 2, .first_time = now_};
  Resume({At(changed, Position() + 1), At(created, Position() + 2)});
  EXPECT_EQ(value_, 3);
  Modified(changed);
  ExpectLast(2);
  Added(created);
  ExpectLast(2);
}

TEST_F(Restarts, ASingletonThatExpiresDuringTheDowntimeAddsNothing) {
  Begin();
  Added(Since(now_, 1, "old"));
  const WallTime first = now_;
  now_ += minutes{50};
  Newest();
  SaveAndRestart();
  Resume({});
  Deleted({.name = "old", .count = 1, .first_time = first, .version = "900", .created = first});
  ExpectLast(0);
  EXPECT_EQ(value_, 2);
}

TEST_F(Restarts, TwoIncarnationsOfANameDuringTheDowntimeAreBothCounted) {
  Begin();
  SaveAndRestart();
  Resume({{.count = 1, .first_time = now_, .uid = "uid-2", .version = "900"}});
  Added({.count = 1, .first_time = now_});
  Deleted({.count = 1, .first_time = now_});
  Added({.count = 1, .first_time = now_, .uid = "uid-2"});
  EXPECT_EQ(value_, 2);
}

TEST_F(Restarts, AnEventCreatedBeforeTheCheckpointAndDeliveredAfterItCounts) {
  Begin();
  const WallTime first = now_;
  Newest();
  now_ += seconds{1};
  SaveAndRestart();
  const State late = Since(first, 1, "late");
  Resume({At(late, Position() + 1)});
  Added(late);
  ExpectLast(1);
}

TEST_F(Restarts, AFallIsNotSavedAsTheHighest) {
  Begin();
  const WallTime first = now_;
  Added(Since(first, 4));
  const State fallen = Since(first, 2);
  Modified(fallen);
  SaveAndRestart();
  Resume({At(fallen, Position())});
  Modified(Since(first, 5));
  ExpectLast(1, 0, 2);
  EXPECT_EQ(value_, 5);
}

TEST_F(Restarts, ALabelThatChangesDuringTheDowntimeAddsNothing) {
  Begin();
  Newest();
  const State event = Since(now_, 1, "newest");
  SaveAndRestart();
  Resume({At(event, Position() + 1)});
  Modified(event);
  ExpectLast(0);
}

TEST_F(Restarts, AHeartbeatOfABaselinedSeriesIsNotSureOfAny) {
  const WallTime first = now_ - hours{3};
  Begin({{.series = 10, .event_time = first, .created = first}});
  SaveAndRestart();
  Resume({});
  Modified({.series = 30, .event_time = first, .created = first});
  ExpectLast(20, 20);
}

TEST_F(Restarts, ASpamFilterLetsTheCountJumpDuringTheDowntime) {
  Begin();
  const WallTime first = now_;
  Added(Since(first, 1, "old"));
  now_ += minutes{5};
  Newest();
  SaveAndRestart();
  Resume({});
  Modified(Since(first, 27, "old"));
  ExpectLast(26);
}

TEST_F(Restarts, ATombstoneIsKnownAfterwards) {
  Begin();
  const WallTime first = now_;
  Added(Since(first, 40));
  Deleted(Since(first, 40));
  SaveAndRestart();
  Resume({});
  Added({.count = 60, .first_time = first, .uid = "uid-2"});
  ExpectLast(20);
}

TEST_F(Restarts, ATombstoneExpiresADayAfterItsDeletionInWhateverProcess) {
  Begin();
  const WallTime first = now_;
  Added(Since(first, 40));
  Deleted(Since(first, 40));
  now_ += hours{23};
  SaveAndRestart();
  EXPECT_EQ(counter_->Stats().tombstones, 1U);
  Save();
  now_ += hours{1};
  Restart();
  EXPECT_EQ(counter_->Stats().tombstones, 0U);
}

TEST_F(Restarts, WhenTheWatchIsLostTheListIsCounted) {
  Begin();
  const WallTime first = now_;
  Added(Since(first, 3, "known"));
  Added(Since(first, 1, "once"));
  now_ += minutes{1};
  Newest();
  SaveAndRestart();
  const std::vector<State> states{
      {.name = "known", .count = 5, .first_time = first, .version = "901", .created = first},
      {.name = "once", .count = 2, .first_time = first, .version = "902", .created = first},
      {.name = "new", .count = 4, .first_time = now_, .version = "903"}};
  value_ = 0;
  Resume(states);
  EXPECT_EQ(value_, 0);
  List(ListReason::kRelist, states);
  EXPECT_EQ(value_, 2 + 1 + 4);
  List(ListReason::kRelist, states);
  EXPECT_EQ(value_, 2 + 1 + 4);
}

TEST_F(Restarts, WhatTheWatchHadToldBeforeItWasLostIsNotCountedTwice) {
  Begin();
  const WallTime first = now_;
  Added({.name = "a", .count = 3, .first_time = first, .created = first});
  Added({.name = "b", .count = 3, .first_time = first, .created = first});
  now_ += minutes{1};
  Newest();
  SaveAndRestart();
  const State a{.name = "a", .count = 5, .first_time = first, .created = first};
  const std::vector<State> states{At(a, Position() + 1),
                                  At({.name = "b", .count = 6, .first_time = first, .created = first}, Position() + 2),
                                  At({.name = "new", .count = 4, .first_time = now_}, Position() + 3)};
  value_ = 0;
  Resume(states);
  Modified(a);
  EXPECT_EQ(value_, 2);
  List(ListReason::kRelist, states);
  EXPECT_EQ(value_, 2 + 3 + 4);
}

TEST_F(Restarts, AClockThatIsDaysBehindForgetsNothing) {
  Begin();
  const WallTime first = now_;
  const State living{.name = "living", .count = 40, .first_time = first, .created = first};
  const State dead{.name = "dead", .count = 40, .first_time = first, .created = first};
  Added(living);
  Added(dead);
  Deleted(dead);
  Save();
  now_ += minutes{1};
  RestartAt(now_ - hours{48});
  const State changed{.name = "living", .count = 41, .first_time = first, .created = first};
  Resume({At(changed, Position() + 1)});
  Modified(changed);
  ExpectLast(1);
  Added({.name = "dead", .count = 60, .first_time = first, .uid = "uid-2"});
  ExpectLast(20);
}

TEST_F(Restarts, AClockThatIsDaysAheadMakesWhatWasDeletedLessCertainAndNothingWrong) {
  Begin();
  const WallTime first = now_;
  const State living{.name = "living", .count = 40, .first_time = first, .created = first};
  const State dead{.name = "dead", .count = 40, .first_time = first, .created = first};
  Added(living);
  Added(dead);
  Deleted(dead);
  Save();
  now_ += minutes{1};
  RestartAt(now_ + hours{48});
  Resume({At(living, Position())});
  Modified({.name = "living", .count = 41, .first_time = first, .created = first});
  ExpectLast(1);
  Added({.name = "dead", .count = 60, .first_time = first, .uid = "uid-2"});
  ExpectLast(60, 59);
}

TEST_F(Restarts, BeyondTheListTheWatchIsAnOrdinaryOne) {
  Begin();
  Newest();
  const WallTime first = now_;
  SaveAndRestart();
  Resume({});
  Modified({.name = "x", .count = 5, .first_time = first - hours{1}, .version = "1000"});
  ExpectLast(4);  // it existed, and was seen once
  Modified({.name = "y", .count = 5, .first_time = first - hours{1}, .version = "1001"});
  ExpectLast(1, 0, 4);
}

TEST_F(Restarts, AServerBehindThePositionWasRestored) {
  Begin();
  const WallTime first = now_;
  Added(Since(first, 3));
  SaveAndRestart();
  List(ListReason::kRestored, {{.count = 4, .first_time = first, .version = "7", .created = first}});
  ExpectLast(1, 1);
}

TEST_F(Restarts, ACheckpointDuringACatchUpIsAsGoodAsTheOneBefore) {
  Begin();
  const WallTime first = now_;
  Added(Since(first, 3, "a"));
  Added(Since(first, 3, "b"));
  SaveAndRestart();
  const State a = Since(first, 5, "a");
  const State b = Since(first, 6, "b");
  Resume({At(a, Position() + 1), At(b, Position() + 2)});
  Modified(a);
  SaveAndRestart();
  Resume({At(a, Position()), At(b, Position() + 1)});
  Modified(b);
  ExpectLast(3);
  EXPECT_EQ(value_, 6 + 2 + 3);
}

}  // namespace
}  // namespace kube_events::testing
