#include "kube_events/base/backoff.h"

#include <gtest/gtest.h>

#include <set>

namespace kube_events {
namespace {

using namespace std::chrono_literals;

TEST(Backoff, DoublesUpToItsMaximum) {
  Backoff backoff(BackoffOptions{.jitter = 0});
  for (const auto pause : {800ms, 1600ms, 3200ms, 6400ms, 12800ms, 25600ms, 30000ms, 30000ms}) {
    EXPECT_EQ(backoff.Next(), pause);
  }
}

TEST(Backoff, JitterAddsUpToThePauseItself) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Backoff backoff(BackoffOptions{.seed = seed});
    const auto pause = backoff.Next();
    EXPECT_GE(pause, 800ms) << "seed " << seed;
    EXPECT_LE(pause, 1600ms) << "seed " << seed;
  }
}

TEST(Backoff, WithoutASeedNoTwoWaitAlike) {
  const auto sum = [](Backoff backoff) {
    std::chrono::milliseconds all{0};
    for (int i = 0; i < 50; ++i) all += backoff.Next();
    return all;
  };
  std::set<std::chrono::milliseconds> sums;
  for (int i = 0; i < 20; ++i) sums.insert(sum(Backoff(BackoffOptions{})));
  EXPECT_GT(sums.size(), 1U);
  EXPECT_EQ(sum(Backoff({.seed = 7})), sum(Backoff({.seed = 7})));
}

TEST(Backoff, ResetStartsAgain) {
  Backoff backoff(BackoffOptions{.jitter = 0});
  backoff.Next();
  backoff.Next();
  backoff.Reset();
  EXPECT_EQ(backoff.Next(), 800ms);
}

TEST(Backoff, ARetryAfterIsAFloorOfAtMostAMinute) {
  Backoff backoff(BackoffOptions{.jitter = 0});
  EXPECT_EQ(backoff.Next(5s), 5s);
  EXPECT_EQ(backoff.Next(1h), 60s);
  EXPECT_EQ(backoff.Next(1ms), 3200ms);
}

TEST(Backoff, ARetryAfterMayBeObeyedForLonger) {
  Backoff backoff(BackoffOptions{.jitter = 0, .max_floor = 10min});
  EXPECT_EQ(backoff.Next(5min), 5min);
  EXPECT_EQ(backoff.Next(1h), 10min);
}

}  // namespace
}  // namespace kube_events
