// Random histories against the truth: value - counted <= truth <= value + not_counted, for every name, after every
// step. KUBE_EVENTS_HISTORIES sets how many, KUBE_EVENTS_SEED where to begin.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <random>
#include <string>

#include "counting/history.h"
#include "counting/history_runner.h"

namespace kube_events::testing {
namespace {

std::uint64_t FromEnvironment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::stoull(text);
}

TEST(CountingProperty, TruthAlwaysLiesBetweenTheBoundsOfRandomHistories) {
  const std::uint64_t histories = FromEnvironment("KUBE_EVENTS_HISTORIES", 4'000);
  const std::uint64_t first = FromEnvironment("KUBE_EVENTS_SEED", std::random_device{}());
  std::cout << "KUBE_EVENTS_SEED=" << first << " KUBE_EVENTS_HISTORIES=" << histories << "\n";
  Tally sum;
  for (std::uint64_t seed = first; seed < first + histories; ++seed) {
    const History history = MakeHistory(seed);
    HistoryRunner runner(history);
    if (runner.Run()) {
      const History shortest = Shrink(history);
      FAIL() << "seed " << seed << ": " << HistoryRunner(shortest).Run().value_or("") << "\n" << ToString(shortest);
    }
    const Tally tally = runner.Total();
    sum.value += tally.value;
    sum.counted += tally.counted;
    sum.not_counted += tally.not_counted;
  }
  std::cout << "counted " << sum.value << ", of these uncertain " << sum.counted << ", uncertain and not counted "
            << sum.not_counted << "\n";
  EXPECT_GT(sum.value, 0);
}

}  // namespace
}  // namespace kube_events::testing
