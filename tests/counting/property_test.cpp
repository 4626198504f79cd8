// Random histories against the truth: value - counted <= truth <= value + not_counted, for every name, after every
// step. KUBE_EVENTS_HISTORIES sets how many, KUBE_EVENTS_SEED where to begin.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "counting/history.h"
#include "counting/history_runner.h"

namespace kube_events::testing {
namespace {

std::uint64_t FromEnvironment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::stoull(text);
}

// The seeds of this run, printed so that a failure can be repeated.
struct Seeds {
  std::uint64_t first = FromEnvironment("KUBE_EVENTS_SEED", std::random_device{}());
  std::uint64_t count = FromEnvironment("KUBE_EVENTS_HISTORIES", 4'000);
  Seeds() { std::cout << "KUBE_EVENTS_SEED=" << first << " KUBE_EVENTS_HISTORIES=" << count << "\n"; }
};

// What is wrong with a history, or nothing.
using Judge = std::optional<std::string> (*)(const History& history, Tally& tally);

std::optional<std::string> BreaksTheBounds(const History& history, Tally& tally) {
  HistoryRunner runner(history);
  const auto problem = runner.Run();
  tally = runner.Total();
  return problem;
}

std::optional<std::string> IsNotExact(const History& history, Tally& tally) {
  // What an honest history begins with; a shorter one proves nothing.
  const std::vector<Step>& steps = history.steps;
  if (steps.size() < 2 || steps[0].kind != StepKind::kList || steps[1].amount < 15'000) return std::nullopt;
  const auto problem = BreaksTheBounds(history, tally);
  if (problem || tally.counted + tally.not_counted == 0) return problem;
  return "uncertain " + std::to_string(tally.counted) + ", uncertain and not counted " +
         std::to_string(tally.not_counted);
}

// Runs the histories of this run's seeds and fails with the simplest form of the first that is judged wrong.
void ExpectNoProblem(History (*make)(std::uint64_t seed), Judge judge) {
  const Seeds seeds;
  Tally sum;
  for (std::uint64_t seed = seeds.first; seed < seeds.first + seeds.count; ++seed) {
    const History history = make(seed);
    Tally tally;
    if (judge(history, tally)) {
      const History shortest = Shrink(history, [&](const History& h) { return judge(h, tally).has_value(); });
      FAIL() << "seed " << seed << ": " << judge(shortest, tally).value_or("") << "\n" << ToString(shortest);
    }
    sum.value += tally.value;
    sum.counted += tally.counted;
    sum.not_counted += tally.not_counted;
  }
  std::cout << "counted " << sum.value << ", of these uncertain " << sum.counted << ", uncertain and not counted "
            << sum.not_counted << "\n";
  EXPECT_GT(sum.value, 0);
}

TEST(CountingProperty, TruthAlwaysLiesBetweenTheBoundsOfRandomHistories) {
  ExpectNoProblem(MakeHistory, BreaksTheBounds);
}

TEST(CountingProperty, HonestWritersOnAnUnbrokenWatchAreCountedExactly) {
  ExpectNoProblem([](std::uint64_t seed) { return MakeHonestHistory(seed, false); }, IsNotExact);
}

TEST(CountingProperty, HonestRecordersAreCountedExactlyThroughGapsToo) {
  ExpectNoProblem([](std::uint64_t seed) { return MakeHonestHistory(seed, true); }, IsNotExact);
}

TEST(CountingProperty, HonestWritersAreCountedExactlyOverStopsAndCrashes) {
  ExpectNoProblem(MakeHonestRestarts, IsNotExact);
}

}  // namespace
}  // namespace kube_events::testing
