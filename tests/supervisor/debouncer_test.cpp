#include "kube_events/supervisor/debouncer.h"

#include <gtest/gtest.h>

namespace kube_events {
namespace {

using namespace std::chrono_literals;

TEST(DebouncerTest, WaitsForQuietButNotForEver) {
  const MonotonicTime start{1h};
  Debouncer debouncer(1s, 10s);
  EXPECT_EQ(debouncer.Due(), std::nullopt);
  EXPECT_FALSE(debouncer.Take(start));
  debouncer.OnChange(start);
  EXPECT_EQ(debouncer.Due(), start + 1s);
  debouncer.OnChange(start + 900ms);
  EXPECT_EQ(debouncer.Due(), start + 1900ms);
  EXPECT_FALSE(debouncer.Take(start + 1800ms));
  for (auto at = 1s; at < 12s; at += 1s) debouncer.OnChange(start + at);
  EXPECT_EQ(debouncer.Due(), start + 10s);
  EXPECT_TRUE(debouncer.Take(start + 10s));
  EXPECT_FALSE(debouncer.Take(start + 20s)) << "they were looked at";
}

}  // namespace
}  // namespace kube_events
