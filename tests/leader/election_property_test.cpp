// Random histories of two or three candidates. KUBE_EVENTS_SEED repeats one, KUBE_EVENTS_HISTORIES says how many.
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <random>
#include <string>

#include "leader/election_world.h"

namespace kube_events {
namespace {

using namespace std::chrono_literals;

std::uint64_t FromEnvironment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
}

struct Sums {
  int leaderships = 0;
  int lost = 0;
  int released = 0;
  int violations = 0;
  int leaderless = 0;  // histories at whose calm end nobody leads
  std::string first;
};

Sums Play(int histories, ElectionWorldOptions options) {
  Sums sums;
  for (int i = 0; i < histories; ++i, ++options.seed) {
    options.candidates = 2 + i % 2;
    ElectionWorld world(options);
    const std::string violation = world.Play();
    if (!violation.empty() && sums.first.empty()) sums.first = violation;
    sums.violations += violation.empty() ? 0 : 1;
    sums.leaderless += violation.empty() && world.leaders() != 1 ? 1 : 0;
    sums.leaderships += world.leaderships();
    sums.lost += world.lost();
    sums.released += world.released();
  }
  return sums;
}

TEST(ElectionProperty, NeverTwoLeadersByTheirOwnDeadlines) {
  const std::uint64_t seed = FromEnvironment("KUBE_EVENTS_SEED", std::random_device{}());
  const int histories = static_cast<int>(FromEnvironment("KUBE_EVENTS_HISTORIES", 200));
  std::cout << "KUBE_EVENTS_SEED=" << seed << "\n";
  const Sums sums = Play(histories, {.seed = seed, .times = {}});
  EXPECT_EQ(sums.violations, 0) << sums.first;
  EXPECT_EQ(sums.leaderless, 0) << "nobody leads although all is well";
  // Otherwise nothing would have been tried.
  EXPECT_GT(sums.leaderships, 3 * histories);
  EXPECT_GT(sums.lost, histories / 2);
  EXPECT_GT(sums.released, histories / 2);
}

// The world is hard enough to find what the times are there to prevent.
TEST(ElectionProperty, HistoriesFindTwoLeadersWhereTheDeadlineIsTooLong) {
  ASSERT_FALSE(CheckElectionTimes({15s, 20s, 2s}));
  EXPECT_GT(Play(80, {.seed = 1, .times = {15s, 20s, 2s}}).violations, 0);
}

TEST(ElectionProperty, HistoriesFindTwoLeadersWhereClocksDifferByMoreThanTheMargin) {
  EXPECT_GT(Play(200, {.seed = 1, .times = {}, .drift = 0.6}).violations, 0);
}

}  // namespace
}  // namespace kube_events
