// One thread counts while others scrape: what ThreadSanitizer looks at, and what a scrape may see meanwhile.
#include <gtest/gtest.h>

#include <atomic>
#include <sstream>
#include <thread>
#include <unordered_map>

#include "kube_events/metrics/event_counters.h"

namespace kube_events {
namespace {

using Values = std::unordered_map<std::string, long>;

// Line start to value; fails the test where a line is not complete or comes twice.
Values Parse(const std::string& page) {
  Values values;
  std::istringstream lines(page);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with('#')) continue;
    const auto space = line.rfind(' ');
    EXPECT_NE(space, line.npos) << line;
    EXPECT_TRUE(line.starts_with("kube_events_total{type=\"")) << line;
    EXPECT_TRUE(values.emplace(line.substr(0, space), std::stol(line.substr(space + 1))).second) << line;
  }
  return values;
}

void ScrapeUntil(const std::atomic<bool>& done, const EventCounters& counters, std::atomic<int>& scrapes) {
  Values before;
  while (!done) {
    std::string page;
    counters.AppendTo(page, ++scrapes % 2 == 0 ? ExpositionFormat::kText : ExpositionFormat::kOpenMetrics);
    Values now = Parse(page);
    for (const auto& [line, value] : before) {
      ASSERT_TRUE(now.contains(line)) << "a series is gone: " << line;
      ASSERT_GE(now[line], value) << line;
    }
    before = std::move(now);
    ASSERT_LE(before.size(), counters.Series());
    counters.Collect();
  }
}

TEST(EventCountersThreadsTest, ScrapesSeeSeriesAppearAndGrowWhileOneThreadCounts) {
  constexpr int kReasons = 1500;
  EventCounters counters(1000);
  std::atomic<bool> done = false;
  std::atomic<int> scrapes = 0;
  std::vector<std::thread> scrapers;
  scrapers.reserve(2);
  for (int i = 0; i < 2; ++i) scrapers.emplace_back([&] { ScrapeUntil(done, counters, scrapes); });
  long added = 0;
  // At least three rounds, and until both scrapers have seen some of it.
  for (int round = 0; round < 3 || scrapes < 10; ++round) {
    for (int i = 0; i < kReasons; ++i) {
      counters.Add({"Normal", "default", "Pod", "Reason" + std::to_string(i)}, 1 + i % 3);
      added += 1 + i % 3;
    }
  }
  done = true;
  for (auto& scraper : scrapers) scraper.join();
  std::string page;
  counters.AppendTo(page, ExpositionFormat::kText);
  long total = 0;
  for (const auto& [line, value] : Parse(page)) total += value;
  EXPECT_EQ(total, added);
  EXPECT_EQ(counters.Series(), 1001U);
}

}  // namespace
}  // namespace kube_events
