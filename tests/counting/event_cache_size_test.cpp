// The memory that the cache needs, and that it holds what it should under any load.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <iostream>
#include <list>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "kube_events/counting/event_cache.h"

namespace kube_events {
namespace {

constexpr WallTime kNow{std::chrono::seconds{1'767'225'600}};

EventKey Key(std::uint64_t number) { return MakeEventKey("shop", "event-" + std::to_string(number), 7); }

Known Knows(std::int64_t total) {
  Known known;
  known.epoch = kNow;
  known.highest = total;
  known.last = total;
  return known;
}

TEST(EventCacheSize, ALiveEventTakesAtMostAHundredBytes) {
  constexpr std::size_t kEvents = 300'000;
  EventCache cache({});
  for (std::size_t i = 0; i < kEvents; ++i) cache.Put(Key(i), Knows(1), {}, kNow);
  const double bytes = static_cast<double>(cache.MemoryBytes()) / kEvents;
  std::cout << "bytes per live Event: " << bytes << "\n";
  EXPECT_GE(bytes, 64);
  EXPECT_LE(bytes, 100);
}

TEST(EventCacheSize, ATombstoneTakesAboutFiftyBytes) {
  constexpr std::size_t kTombstones = 300'000;
  EventCache cache({});
  for (std::size_t i = 0; i < kTombstones; ++i) cache.Bury(Key(i), Knows(1), kNow);
  const double bytes = static_cast<double>(cache.MemoryBytes()) / kTombstones;
  std::cout << "bytes per tombstone: " << bytes << "\n";
  EXPECT_GE(bytes, 40);
  EXPECT_LE(bytes, 54);
}

constexpr std::size_t kSlack = 500'000;  // for chunks that are not full

TEST(EventCacheSize, PlacesAreUsedAgain) {
  constexpr std::size_t kBound = 1'000;
  EventCache cache({.max_live = kBound, .max_tombstones = kBound, .tombstone_ttl = std::chrono::hours{24}});
  const auto churn = [&cache](std::uint64_t from, std::uint64_t to) {
    for (std::uint64_t i = from; i < to; ++i) cache.Put(Key(i), Knows(1), {}, kNow);
  };
  churn(0, 20 * kBound);
  const std::size_t before = cache.MemoryBytes();
  churn(20 * kBound, 100 * kBound);
  EXPECT_EQ(cache.live(), kBound);
  EXPECT_EQ(cache.tombstones(), kBound);
  EXPECT_LE(cache.MemoryBytes(), before + kSlack);
}

TEST(EventCacheSize, EventsThatComeAndGoDoNotGrowTheQueueOfTombstones) {
  constexpr std::size_t kBound = 5'000;
  EventCache cache({.max_live = kBound, .max_tombstones = kBound, .tombstone_ttl = std::chrono::hours{24}});
  cache.Bury(Key(1'000'000), Knows(1), kNow);  // stays in front
  std::size_t largest = 0;
  for (std::uint64_t i = 0; i < 200'000; ++i) {
    cache.Bury(Key(i % 10), Knows(1), kNow);
    cache.Put(Key(i % 10), Knows(1), {}, kNow);
    largest = std::max(largest, cache.MemoryBytes());
  }
  EXPECT_LE(largest, 2 * kBound * 40 + kSlack);
  EXPECT_EQ(cache.live(), 10U);
}

// The cache as one would write it without a thought for memory.
class NaiveCache {
 public:
  NaiveCache(std::size_t max_live, std::size_t max_tombstones) : max_live_(max_live), max_tombstones_(max_tombstones) {}

  void Put(std::uint64_t key, std::int64_t total) {
    Erase(key);
    live_.emplace_back(key, total);
    if (live_.size() <= max_live_) return;
    const auto [oldest, last_total] = live_.front();
    Bury(oldest, last_total);
  }
  void Bury(std::uint64_t key, std::int64_t total) {
    Erase(key);
    tombstones_.emplace_back(key, total);
    buried_.push_back(key);
    while (tombstones_.size() > max_tombstones_ || Places() > 2 * max_tombstones_ + 1) tombstones_.pop_front();
  }
  std::optional<std::int64_t> Find(std::uint64_t key) const {
    for (const auto* list : {&live_, &tombstones_}) {
      for (const auto& [known, total] : *list) {
        if (known == key) return total;
      }
    }
    return std::nullopt;
  }
  std::size_t live() const { return live_.size(); }
  std::size_t tombstones() const { return tombstones_.size(); }

 private:
  using Entries = std::list<std::pair<std::uint64_t, std::int64_t>>;
  void Erase(std::uint64_t key) {
    for (Entries* list : {&live_, &tombstones_})
      list->remove_if([key](const auto& entry) { return entry.first == key; });
  }

  // From the oldest tombstone on, what has been buried since, whether it is still there or not: it takes memory.
  std::size_t Places() const {
    if (tombstones_.empty()) return 0;
    const auto oldest = std::find(buried_.rbegin(), buried_.rend(), tombstones_.front().first);
    return static_cast<std::size_t>(oldest - buried_.rbegin()) + 1;
  }

  std::size_t max_live_;
  std::size_t max_tombstones_;
  std::vector<std::uint64_t> buried_;  // all, in order
  Entries live_;                       // least recently seen first
  Entries tombstones_;                 // oldest first
};

TEST(EventCacheSize, AnyLoadLeavesWhatANaiveCacheHolds) {
  const std::uint64_t seed = std::random_device{}();
  std::cout << "seed " << seed << "\n";
  std::mt19937_64 random(seed);
  for (int round = 0; round < 20; ++round) {
    const std::size_t max_live = 1 + random() % 30;
    const std::size_t max_tombstones = random() % 30;
    EventCache cache({max_live, max_tombstones, std::chrono::hours{24}});
    NaiveCache naive(max_live, max_tombstones);
    for (int step = 0; step < 3'000; ++step) {
      const std::uint64_t key = random() % 80;
      const auto total = static_cast<std::int64_t>(1 + random() % 1000);
      if (random() % 3 == 0) {
        cache.Bury(Key(key), Knows(total), kNow);
        naive.Bury(key, total);
      } else {
        cache.Put(Key(key), Knows(total), {}, kNow);
        naive.Put(key, total);
      }
      const std::uint64_t asked = random() % 80;
      const std::optional<Known> known = cache.Find(Key(asked));
      ASSERT_EQ(known ? std::optional(known->highest) : std::nullopt, naive.Find(asked)) << "step " << step;
      ASSERT_EQ(cache.live(), naive.live());
      ASSERT_EQ(cache.tombstones(), naive.tombstones());
    }
  }
}

}  // namespace
}  // namespace kube_events
