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

// The seeds of this run, printed so that a failure can be repeated.
struct Seeds {
  std::uint64_t first = FromEnvironment("KUBE_EVENTS_SEED", std::random_device{}());
  std::uint64_t count = FromEnvironment("KUBE_EVENTS_HISTORIES", 4'000);
  Seeds() { std::cout << "KUBE_EVENTS_SEED=" << first << " KUBE_EVENTS_HISTORIES=" << count << "\n"; }
};

TEST(CountingProperty, TruthAlwaysLiesBetweenTheBoundsOfRandomHistories) {
  const Seeds seeds;
  Tally sum;
  for (std::uint64_t seed = seeds.first; seed < seeds.first + seeds.count; ++seed) {
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

TEST(CountingProperty, HonestWritersOnAnUnbrokenWatchAreCountedExactly) {
  const Seeds seeds;
  std::int64_t value = 0;
  for (std::uint64_t seed = seeds.first; seed < seeds.first + seeds.count; ++seed) {
    const History history = MakeHonestHistory(seed);
    HistoryRunner runner(history);
    const std::optional<std::string> problem = runner.Run();
    ASSERT_FALSE(problem.has_value()) << "seed " << seed << ": " << *problem << "\n" << ToString(history);
    ASSERT_EQ(runner.Total().counted + runner.Total().not_counted, 0) << "seed " << seed << "\n" << ToString(history);
    value += runner.Total().value;
  }
  EXPECT_GT(value, 0);
}

}  // namespace
}  // namespace kube_events::testing
