// Random histories of writes, swallowed triggers, slow drains and rejections: in the end the last good content runs.
#include <gtest/gtest.h>

#include <cstdlib>

#include "supervisor/reload_world.h"

namespace kube_events {
namespace {

std::string ComplaintAbout(const History& history) {
  ReloadWorld world(history);
  world.Play();
  return world.Complaint();
}

// The history with every write left out that the failure does not need.
History Shrink(History history) {
  for (std::size_t i = 0; i < history.writes.size();) {
    History shorter = history;
    const auto removed = shorter.writes.begin() + static_cast<std::ptrdiff_t>(i);
    if (i + 1 < shorter.writes.size()) (removed + 1)->after += removed->after;
    shorter.writes.erase(removed);
    if (ComplaintAbout(shorter).empty()) {
      ++i;
    } else {
      history = std::move(shorter);
    }
  }
  return history;
}

std::uint64_t FromEnvironment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

TEST(ReloadPropertyTest, AfterAnyHistoryTheLastGoodContentRuns) {
  const std::uint64_t seed = FromEnvironment("KUBE_EVENTS_SEED", std::random_device{}());
  const std::uint64_t histories = FromEnvironment("KUBE_EVENTS_HISTORIES", 500);
  std::printf("%llu histories from KUBE_EVENTS_SEED=%llu\n", static_cast<unsigned long long>(histories),
              static_cast<unsigned long long>(seed));
  for (std::uint64_t i = 0; i < histories; ++i) {
    const History history = RandomHistory(seed + i);
    if (ComplaintAbout(history).empty()) continue;
    const History shortest = Shrink(history);
    FAIL() << ComplaintAbout(shortest) << "\n" << Describe(shortest);
  }
}

TEST(ReloadPropertyTest, WithoutSwallowingEachChangeThatComesAloneIsOneReload) {
  History history{.seed = 1};
  for (int i = 0; i < 20; ++i) history.writes.push_back({.after = std::chrono::seconds{20}});
  for (int i = 0; i < 5; ++i) history.writes.push_back({DiskWrite::Kind::kTouch, std::chrono::seconds{20}});
  ReloadWorld world(history);
  world.Play();
  EXPECT_EQ(world.Complaint(), "");
  EXPECT_EQ(world.reloads(), 20) << "one for each new content, none for a touch";
}

TEST(ReloadPropertyTest, TenWritesInQuickSuccessionAreOneReload) {
  History history{.seed = 2};
  history.writes.push_back({.after = std::chrono::seconds{10}});
  for (int i = 0; i < 9; ++i) history.writes.push_back({.after = std::chrono::milliseconds{100}});
  ReloadWorld world(history);
  world.Play();
  EXPECT_EQ(world.Complaint(), "");
  EXPECT_EQ(world.reloads(), 1);
}

}  // namespace
}  // namespace kube_events
