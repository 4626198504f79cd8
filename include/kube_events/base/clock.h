// The seam for time: code asks a Clock, tests pass a FakeClock (tests/support/fake_clock.h).
// Owned by the composition root, passed by reference; every method may be called from any thread.
#pragma once

#include <chrono>
#include <optional>

namespace kube_events {

// Wall time in microseconds since 1970 UTC: the resolution of Kubernetes' MicroTime.
using WallTime = std::chrono::time_point<std::chrono::system_clock, std::chrono::microseconds>;
using OptionalTime = std::optional<WallTime>;
using MonotonicTime = std::chrono::steady_clock::time_point;

class Clock {
 public:
  virtual ~Clock() = default;
  // Never goes backwards; for deadlines, intervals and health.
  virtual MonotonicTime Monotonic() const = 0;
  // May jump; only for what is compared with other machines' timestamps or shown.
  virtual WallTime Wall() const = 0;
};

class SystemClock final : public Clock {
 public:
  MonotonicTime Monotonic() const override { return std::chrono::steady_clock::now(); }
  WallTime Wall() const override {
    return std::chrono::time_point_cast<std::chrono::microseconds>(std::chrono::system_clock::now());
  }
};

}  // namespace kube_events
