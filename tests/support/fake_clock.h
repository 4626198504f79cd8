// A Clock that moves only when a test says so. Owned by the test; every method may be called from any thread.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include "kube_events/base/clock.h"

namespace kube_events {

class FakeClock final : public Clock {
 public:
  // A wall time that is easy to read in failures: 2026-01-01T00:00:00Z.
  static constexpr WallTime kDefaultStart{std::chrono::seconds{1'767'225'600}};

  explicit FakeClock(WallTime start = kDefaultStart) : wall_us_(start.time_since_epoch().count()) {}

  MonotonicTime Monotonic() const override {
    // Away from zero, so that "never" and "at the start" stay different.
    return MonotonicTime{std::chrono::hours{1} + std::chrono::nanoseconds{monotonic_ns_.load()}};
  }
  WallTime Wall() const override { return WallTime{std::chrono::microseconds{wall_us_.load()}}; }

  // Moves both clocks. `step`: 0 or more.
  void Advance(std::chrono::nanoseconds step) {
    monotonic_ns_ += step.count();
    wall_us_ += std::chrono::duration_cast<std::chrono::microseconds>(step).count();
  }
  // The wall clock is set, to any time; the monotonic one does not notice.
  void SetWall(WallTime time) { wall_us_ = time.time_since_epoch().count(); }

 private:
  std::atomic<std::int64_t> monotonic_ns_{0};
  std::atomic<std::int64_t> wall_us_;
};

}  // namespace kube_events
