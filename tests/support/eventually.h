// Waiting for a condition instead of sleeping: `EXPECT_TRUE(Eventually([&] { return server.Requests() == 1; }));`
// Any thread.
#pragma once

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

namespace kube_events {

// Asks `condition` until it holds or `deadline` is over (real time) and returns whether it held. Blocks. The deadline
// only matters for a failing test; the pause between two questions grows from 0.1 ms to 10 ms.
template <typename Condition>
bool Eventually(Condition&& condition, std::chrono::milliseconds deadline = std::chrono::seconds{10}) {
  const auto end = std::chrono::steady_clock::now() + deadline;
  std::chrono::microseconds pause{100};
  while (!condition()) {
    if (std::chrono::steady_clock::now() >= end) return static_cast<bool>(condition());
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, std::chrono::microseconds{10'000});
  }
  return true;
}

}  // namespace kube_events
