// Until when to wait, and what ends a wait sooner. A plain value; any thread.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <stop_token>

namespace kube_events {

struct Patience {
  using Clock = std::chrono::steady_clock;  // the network keeps real time

  std::chrono::milliseconds allowed{0};  // how much time there was at first; for messages
  Clock::time_point deadline = {};
  std::stop_token stop = {};

  static Patience For(std::chrono::milliseconds time, std::stop_token stop = {}) {
    return {time, Clock::now() + time, std::move(stop)};
  }
  bool Over() const { return stop.stop_requested() || Clock::now() >= deadline; }
  std::chrono::milliseconds Left() const {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
    return std::max(left, std::chrono::milliseconds{0});
  }
  // At most `time` of it.
  Patience AtMost(std::chrono::milliseconds time) const { return Left() <= time ? *this : For(time, stop); }
  // An equal share for the first of so many attempts. 1 or more.
  Patience Share(std::size_t attempts) const {
    return attempts <= 1 ? *this : For(Left() / static_cast<int>(attempts), stop);
  }
};

}  // namespace kube_events
