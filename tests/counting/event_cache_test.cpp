#include "kube_events/counting/event_cache.h"

#include <gtest/gtest.h>

#include <chrono>
#include <limits>
#include <string>

namespace kube_events {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

constexpr WallTime kNow{seconds{1'767'225'600}};

EventKey Key(int number) { return MakeEventKey("shop", "event-" + std::to_string(number), 7); }

Known Knows(std::int64_t total, OptionalTime epoch = kNow) {
  Known known;
  known.uid = static_cast<std::uint64_t>(total);
  known.epoch = epoch;
  known.highest = total;
  known.last = total;
  known.resource_version = 100;
  return known;
}

void ExpectSame(const Known& a, const Known& b) {
  EXPECT_EQ(a.uid, b.uid);
  EXPECT_EQ(a.epoch, b.epoch);
  EXPECT_EQ(a.highest, b.highest);
  EXPECT_EQ(a.last, b.last);
  EXPECT_EQ(a.resource_version, b.resource_version);
  EXPECT_EQ(a.creation_time, b.creation_time);
  EXPECT_EQ(a.baselined, b.baselined);
  EXPECT_EQ(a.series_at_baseline, b.series_at_baseline);
}

Known Strange() {
  Known known;
  known.uid = std::numeric_limits<std::uint64_t>::max();
  known.epoch = WallTime{std::chrono::microseconds{-1}};
  known.highest = std::numeric_limits<std::int32_t>::max();
  known.last = 1;
  known.resource_version = std::numeric_limits<std::uint64_t>::max();
  known.creation_time = kNow;
  known.series_at_baseline = true;
  return known;
}

TEST(EventKey, NamesSeedsAndTheirBorderMatter) {
  EXPECT_EQ(MakeEventKey("a", "bc", 1), MakeEventKey("a", "bc", 1));
  EXPECT_NE(MakeEventKey("a", "bc", 1), MakeEventKey("ab", "c", 1));
  EXPECT_NE(MakeEventKey("", "abc", 1), MakeEventKey("abc", "", 1));
  EXPECT_NE(MakeEventKey("a", "bc", 1), MakeEventKey("a", "bc", 2));
  EXPECT_NE(HashUid("a", 1), HashUid("a", 2));
  EXPECT_NE(HashUid("a", 1), HashUid("b", 1));
}

TEST(EventCache, AnUnknownKeyIsNotFound) {
  EventCache cache({});
  EXPECT_FALSE(cache.Find(Key(1)).has_value());
  cache.Put(Key(2), Knows(3), {}, kNow);
  EXPECT_FALSE(cache.Find(Key(1)).has_value());
}

TEST(EventCache, ALiveEntryKeepsEverything) {
  EventCache cache({});
  for (const Known& known : {Knows(3), Knows(3, std::nullopt), Strange()}) {
    cache.Put(Key(1), known, {}, kNow);
    ASSERT_TRUE(cache.Find(Key(1)).has_value());
    ExpectSame(*cache.Find(Key(1)), known);
  }
  EXPECT_EQ(cache.live(), 1U);
}

TEST(EventCache, ATombstoneKeepsEverythingButTheVersion) {
  EventCache cache({});
  for (Known known : {Knows(3), Knows(3, std::nullopt), Strange()}) {
    cache.Put(Key(1), known, {}, kNow);
    cache.Bury(Key(1), known, kNow);
    ASSERT_TRUE(cache.Find(Key(1)).has_value());
    known.resource_version = 0;
    ExpectSame(*cache.Find(Key(1)), known);
    EXPECT_EQ(cache.live(), 0U);
    EXPECT_EQ(cache.tombstones(), 1U);
  }
}

TEST(EventCache, ATombstoneComesBackToLife) {
  EventCache cache({});
  cache.Bury(Key(1), Knows(3), kNow);
  cache.Put(Key(1), Knows(5), {}, kNow);
  EXPECT_EQ(cache.Find(Key(1))->highest, 5);
  EXPECT_EQ(cache.live(), 1U);
  EXPECT_EQ(cache.tombstones(), 0U);
}

TEST(EventCache, BeyondMaxLiveTheLeastRecentlySeenBecomesATombstone) {
  EventCache cache({.max_live = 3, .max_tombstones = 10, .tombstone_ttl = hours{24}});
  for (int i = 1; i <= 3; ++i) cache.Put(Key(i), Knows(i), {}, kNow);
  cache.Put(Key(1), Knows(1), {}, kNow);  // seen again: now 2 is the oldest
  cache.Put(Key(4), Knows(4), {}, kNow);
  EXPECT_EQ(cache.live(), 3U);
  EXPECT_EQ(cache.tombstones(), 1U);
  EXPECT_EQ(cache.evicted(), 1U);
  EXPECT_EQ(cache.Find(Key(2))->resource_version, 0U);
  for (const int i : {1, 3, 4}) EXPECT_EQ(cache.Find(Key(i))->resource_version, 100U) << i;
  EXPECT_FALSE(cache.forgot_living());
}

TEST(EventCache, AnEvictedBaselinedEntryIsTakenForASeries) {
  EventCache cache({.max_live = 1, .max_tombstones = 10, .tombstone_ttl = hours{24}});
  Known known = Knows(1);
  known.baselined = true;
  cache.Put(Key(1), known, {}, kNow);
  cache.Put(Key(2), Knows(2), {}, kNow);
  EXPECT_TRUE(cache.Find(Key(1))->series_at_baseline);
  EXPECT_TRUE(cache.Find(Key(1))->baselined);
}

TEST(EventCache, BeyondTheirBoundTheOldestTombstonesAreForgotten) {
  EventCache cache({.max_live = 10, .max_tombstones = 2, .tombstone_ttl = hours{24}});
  for (int i = 1; i <= 3; ++i) cache.Bury(Key(i), Knows(i, kNow - seconds{10 * i}), kNow);
  EXPECT_EQ(cache.tombstones(), 2U);
  EXPECT_FALSE(cache.Find(Key(1)).has_value());
  EXPECT_TRUE(cache.Find(Key(2)).has_value());
  EXPECT_TRUE(cache.Find(Key(3)).has_value());
}

TEST(EventCache, ForgottenIsTheNewestEpochOfAllThatWereDropped) {
  EventCache cache({.max_live = 10, .max_tombstones = 0, .tombstone_ttl = hours{24}});
  EXPECT_EQ(cache.forgotten(), std::nullopt);
  cache.Bury(Key(1), Knows(1, std::nullopt), kNow);
  EXPECT_EQ(cache.forgotten(), std::nullopt);
  cache.Bury(Key(2), Knows(1, kNow - seconds{10}), kNow);
  EXPECT_EQ(cache.forgotten(), kNow - seconds{10});
  cache.Bury(Key(3), Knows(1, kNow - seconds{30}), kNow);
  EXPECT_EQ(cache.forgotten(), kNow - seconds{10});
  cache.Bury(Key(4), Knows(1, kNow - seconds{5}), kNow);
  EXPECT_EQ(cache.forgotten(), kNow - seconds{5});
}

TEST(EventCache, ForgottenIsCappedSixSecondsAfterTheDropping) {
  EventCache cache({.max_live = 10, .max_tombstones = 0, .tombstone_ttl = hours{24}});
  cache.Bury(Key(1), Knows(1, kNow + hours{1000}), kNow);
  EXPECT_EQ(cache.forgotten(), kNow + seconds{6});
}

TEST(EventCache, TombstonesAreKeptForTheirTimeToLive) {
  EventCache cache({});
  cache.Bury(Key(1), Knows(1), kNow);
  cache.Bury(Key(2), Knows(2), kNow + hours{1});
  cache.Expire(kNow + hours{24} - seconds{1});
  EXPECT_TRUE(cache.Find(Key(1)).has_value());
  EXPECT_EQ(cache.forgotten(), std::nullopt);
  cache.Expire(kNow + hours{24});
  EXPECT_FALSE(cache.Find(Key(1)).has_value());
  EXPECT_TRUE(cache.Find(Key(2)).has_value());
  EXPECT_EQ(cache.forgotten(), kNow);
  cache.Expire(kNow + hours{25});
  EXPECT_EQ(cache.tombstones(), 0U);
}

TEST(EventCache, ASecondDeathStartsTheTimeAnew) {
  EventCache cache({});
  cache.Bury(Key(1), Knows(1), kNow);
  cache.Put(Key(1), Knows(2), {}, kNow + hours{20});
  cache.Bury(Key(1), Knows(2), kNow + hours{20});
  cache.Expire(kNow + hours{40});
  EXPECT_TRUE(cache.Find(Key(1)).has_value());
  EXPECT_EQ(cache.tombstones(), 1U);
}

TEST(EventCache, LivingEventsCountAsForgottenOnlyAfterAnEviction) {
  EventCache cache({.max_live = 1, .max_tombstones = 0, .tombstone_ttl = hours{24}});
  cache.Bury(Key(1), Knows(1), kNow);
  EXPECT_FALSE(cache.forgot_living());
  cache.Put(Key(2), Knows(2), {}, kNow);
  cache.Put(Key(3), Knows(3), {}, kNow);
  EXPECT_TRUE(cache.forgot_living());
}

TEST(EventCache, OnlyWhatTheListOfTheScopeDidNotBringIsBuried) {
  EventCache cache({});
  cache.Put(Key(1), Knows(1), {.scope = 0, .list = 1}, kNow);
  cache.Put(Key(2), Knows(2), {.scope = 0, .list = 2}, kNow);
  cache.Put(Key(3), Knows(3), {.scope = 1, .list = 1}, kNow);
  cache.BuryUnseen({.scope = 0, .list = 2}, kNow);
  EXPECT_EQ(cache.live(), 2U);
  EXPECT_EQ(cache.Find(Key(1))->resource_version, 0U);
  EXPECT_EQ(cache.Find(Key(1))->highest, 1);
  EXPECT_EQ(cache.Find(Key(2))->resource_version, 100U);
  EXPECT_EQ(cache.Find(Key(3))->resource_version, 100U);
}

TEST(EventCache, VersionsAreForgottenPerScope) {
  EventCache cache({});
  cache.Put(Key(1), Knows(1), {.scope = 0, .list = 1}, kNow);
  cache.Put(Key(2), Knows(2), {.scope = 1, .list = 1}, kNow);
  cache.ForgetVersions(0);
  EXPECT_EQ(cache.Find(Key(1))->resource_version, 0U);
  EXPECT_EQ(cache.Find(Key(2))->resource_version, 100U);
  EXPECT_EQ(cache.live(), 2U);
}

TEST(EventCache, DroppingAScopeLeavesNoTrace) {
  EventCache cache({});
  cache.Put(Key(1), Knows(1), {.scope = 0, .list = 1}, kNow);
  cache.Put(Key(2), Knows(2), {.scope = 1, .list = 1}, kNow);
  cache.DropLive(0);
  EXPECT_FALSE(cache.Find(Key(1)).has_value());
  EXPECT_TRUE(cache.Find(Key(2)).has_value());
  EXPECT_EQ(cache.tombstones(), 0U);
  EXPECT_EQ(cache.forgotten(), std::nullopt);
}

}  // namespace
}  // namespace kube_events
