// What is exported for a checkpoint and what is restored of it.
#include <gtest/gtest.h>

#include "counting/restart_fixture.h"
#include "kube_events/counting/event_cache.h"

namespace kube_events::testing {
namespace {

TEST_F(Restarts, AColdListThatIsNotCommittedSavesNoScope) {
  counter_->OnListBegin(0, ListReason::kFirst, now_);
  Send(ChangeKind::kListed, {.count = 3}, 0);
  Save();
  EXPECT_TRUE(saved_.scopes.empty());
  EXPECT_TRUE(saved_.live.empty());
}

TEST_F(Restarts, OnlyWhatTheRulesCannotConcludeIsSaved) {
  Begin({{.name = "baseline", .count = 1, .first_time = now_ - hours{3}, .created = now_ - hours{3}}});
  const WallTime old = now_ - minutes{1};
  Added({.name = "once", .count = 1, .first_time = old, .created = old});
  Added({.name = "twice", .count = 2, .first_time = old, .created = old});
  Added({.name = "late epoch", .count = 1, .first_time = old + seconds{6}, .created = old});
  Added({.name = "recent", .count = 1, .first_time = now_, .created = now_});
  Save();
  EXPECT_EQ(saved_.live.size(), 3U);
  EXPECT_TRUE(saved_.complete);
  EXPECT_EQ(saved_.scopes.at(0).newest, now_);
  EXPECT_EQ(saved_.scopes.at(0).baseline_time, now_ - hours{2});
  EXPECT_EQ(saved_.scopes.at(0).horizon, now_);
}

TEST_F(Restarts, TombstonesAreCutBeforeTheLivingAndThoseBeforeTheRecent) {
  Begin();
  for (const char* name : {"a", "b", "c"}) Added({.name = name, .count = 2, .first_time = now_});
  Deleted({.name = "a", .count = 2, .first_time = now_});
  Save();
  ASSERT_EQ(saved_.live.size(), 2U);
  ASSERT_EQ(saved_.tombstones.size(), 1U);
  EXPECT_FALSE(saved_.cut);
  const SavedCounts all = saved_;

  Save(2);
  EXPECT_EQ(saved_.live, all.live);
  EXPECT_TRUE(saved_.tombstones.empty());
  EXPECT_TRUE(saved_.cut);
  EXPECT_TRUE(saved_.complete);

  Save(1);
  ASSERT_EQ(saved_.live.size(), 1U);
  EXPECT_EQ(saved_.live[0].key, MakeEventKey("shop", "c", 0).high);
  EXPECT_FALSE(saved_.complete);
}

TEST_F(Restarts, WhatIsExportedRestoresToTheSame) {
  Begin({{.name = "s", .series = 4, .event_time = now_ - hours{3}, .created = now_ - hours{3}}});
  Added({.name = "a", .count = 7, .first_time = now_});
  Added({.name = "b", .count = 2, .first_time = now_});
  Deleted({.name = "b", .count = 2, .first_time = now_});
  Save();
  const SavedCounts before = saved_;
  Restart();
  Save();
  // Until the list shows what lives, all are tombstones.
  EXPECT_EQ(saved_.tombstones.size(), before.live.size() + before.tombstones.size());
  EXPECT_TRUE(saved_.living_among_dead);
  EXPECT_EQ(saved_.scopes, before.scopes);
  EXPECT_EQ(saved_.hash_seed, before.hash_seed);
}

class SmallRestarts : public Restarts {
 protected:
  SmallRestarts() {
    options_.max_live = 1;
    options_.max_tombstones = 1;
    counter_.emplace(options_, sink_);
  }
};

TEST_F(SmallRestarts, WhereTheCacheIsTooSmallForItWhatIsRestoredIsIncomplete) {
  Begin();
  const WallTime old = now_ - minutes{10};
  Newest();
  Save();
  saved_.live.resize(3, saved_.live.at(0));
  saved_.live[1].key = 1;
  saved_.live[2].key = 2;
  Restart();
  Resume({});
  Modified({.name = "old", .count = 3, .first_time = old, .version = "50", .created = old});
  ExpectLast(1, 1, 2);
}

TEST_F(SmallRestarts, WhatAListUnderWayHadCountedIsNotCountedAgainWhereItIsForgotten) {
  Begin();
  const State event{.count = 1, .first_time = now_, .version = "500", .created = now_};
  counter_->OnListBegin(0, ListReason::kRelist, now_);
  Send(ChangeKind::kListed, event, 0);
  ExpectLast(1);
  counter_->OnListBegin(0, ListReason::kRelist, now_);  // it broke off, and so does the next one, before the Event
  Save();
  saved_.live.resize(3, saved_.live.at(0));  // more than the cache may hold: the Event itself goes first
  saved_.live[0].key = 1;
  saved_.live[1].key = 2;
  Restart();
  Resume({});
  List(ListReason::kRelist, {event});
  ExpectLast(1, 1);
}

TEST_F(SmallRestarts, WhereLivingEventsWereForgottenTheExportIsIncomplete) {
  Begin();
  for (const char* name : {"a", "b", "c"}) Added({.name = name, .count = 2, .first_time = now_});
  Save();
  EXPECT_FALSE(saved_.complete);
}

class TwoScopeRestarts : public Restarts {
 protected:
  TwoScopeRestarts() {
    options_.scopes[0].namespace_name = "shop";
    options_.scopes.push_back({EventApi::kCoreV1, "bank", "", ""});
    counter_.emplace(options_, sink_);
  }
};

TEST_F(TwoScopeRestarts, AScopeThatIsNotSavedStartsColdAlone) {
  Begin();
  const State event{.count = 3, .first_time = now_, .created = now_};
  Added(event);
  SaveAndRestart();
  List(ListReason::kFirst, {{.name = "other", .count = 9}}, 1);
  ExpectLast(0);
  Resume({At(event, Position())});
  Modified({.count = 4, .first_time = event.first_time, .created = event.created});
  ExpectLast(1);
}

}  // namespace
}  // namespace kube_events::testing
