// The API server's clock, estimated from the Date headers of its answers and our monotonic clock, so that a jump of
// the local wall clock changes nothing. Owned by a ScopeSession on the informer thread.
#pragma once

#include <optional>

#include "kube_events/base/clock.h"

namespace kube_events {

class ServerClock {
 public:
  explicit ServerClock(const Clock& clock) : clock_(clock) {}

  // A response with this Date header has just arrived.
  void Observe(WallTime date) {
    date_ = date;
    observed_at_ = clock_.Monotonic();
  }

  // The server's time, at most about a second behind (Date has whole seconds); ours, before the first Observe.
  WallTime Now() const {
    if (!date_) return clock_.Wall();
    return *date_ + std::chrono::duration_cast<WallTime::duration>(clock_.Monotonic() - observed_at_);
  }

 private:
  const Clock& clock_;
  OptionalTime date_;
  MonotonicTime observed_at_{};
};

}  // namespace kube_events
