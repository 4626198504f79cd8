// Whether this process may do what only a leader may, at this very moment: also after it was suspended for longer than
// its Lease lasted, when nothing else in it has noticed yet.
// Owned by the composition root; every method may be called from any thread and none blocks.
#pragma once

#include <atomic>

#include "kube_events/base/clock.h"

namespace kube_events {

class LeaderFence {
 public:
  // Closed at first. The clock must outlive the fence.
  explicit LeaderFence(const Clock& clock) : clock_(clock) {}

  void OpenUntil(MonotonicTime until) { until_.store(until.time_since_epoch().count(), std::memory_order_relaxed); }
  void Close() { OpenUntil(MonotonicTime::min()); }
  // Ask right before whatever must not happen twice. Reads the clock.
  bool IsOpen() const { return clock_.Monotonic().time_since_epoch().count() < until_.load(std::memory_order_relaxed); }

 private:
  const Clock& clock_;
  std::atomic<MonotonicTime::rep> until_{MonotonicTime::min().time_since_epoch().count()};
};

}  // namespace kube_events
