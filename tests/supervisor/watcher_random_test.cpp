// Random changes under random swallowing, with the real watcher and the stub of Fluent Bit: the last content runs.
// KUBE_EVENTS_CHANGES: how many (100); KUBE_EVENTS_SEED: of what is random.
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <thread>

#include "supervisor/watcher_process.h"
#include "support/eventually.h"

namespace kube_events {
namespace {

std::uint64_t FromEnvironment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

TEST(WatcherRandomTest, AfterRandomChangesUnderRandomSwallowingTheLastContentRuns) {
  const auto seed = FromEnvironment("KUBE_EVENTS_SEED", std::random_device{}());
  const auto changes = FromEnvironment("KUBE_EVENTS_CHANGES", 100);
  std::printf("%llu changes from KUBE_EVENTS_SEED=%llu\n", static_cast<unsigned long long>(changes),
              static_cast<unsigned long long>(seed));
  std::mt19937_64 random(seed);
  WatcherProcess watcher;
  watcher.Set("STUB_SEED", std::to_string(seed));
  watcher.WriteConf("start");
  watcher.StartOnFolder({"--debounce", "20ms"});
  ASSERT_TRUE(watcher.EventuallyRuns("start"));

  const auto between = [&random](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  std::string last = "start";
  for (std::uint64_t i = 0; i < changes; ++i) {
    // Not to wait for anything: the moment of the change is what is random.
    std::this_thread::sleep_for(std::chrono::milliseconds{between(0, 2) == 0 ? between(0, 900) : between(0, 40)});
    const bool bad = i + 1 < changes && between(0, 5) == 0;
    const std::string id = (bad ? "bad" : "change") + std::to_string(i);
    watcher.WriteConf(id, "    stub.drain_ms " + std::to_string(between(1, 200)) + "\n    stub.swallow 0.3\n" +
                              (bad ? "    stub.fail parse\n" : ""));
    last = id;
  }
  EXPECT_TRUE(Eventually([&] { return watcher.Running() == last && watcher.Metric("pending_reload") == 0; },
                         std::chrono::seconds{90}))
      << watcher.Running() << " runs instead of " << last;
  const std::size_t reloads = watcher.Count("running ") - 1;
  EXPECT_LE(reloads, changes) << "no more reloads than changes";
  // Fewer only where a trigger was repeated in the moment in which the first one worked after all.
  const double applied = watcher.Metric("reloads_total{result=\"applied\"}");
  EXPECT_LE(applied, static_cast<double>(reloads));
  EXPECT_GE(applied + watcher.Metric("triggers_swallowed_total") + 1, static_cast<double>(reloads));
  std::printf("%zu reloads, %zu triggers swallowed, %zu met a busy child\n", reloads,
              watcher.Count("trigger swallowed"), watcher.Count("trigger busy"));
}

}  // namespace
}  // namespace kube_events
