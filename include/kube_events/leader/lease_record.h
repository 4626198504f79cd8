// What a Lease of coordination.k8s.io/v1 says about who leads. Plain values and pure functions, any thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "kube_events/base/clock.h"

namespace kube_events {

struct LeaseRecord {
  std::string holder;                // holderIdentity; empty: nobody, the Lease was released
  std::chrono::seconds duration{0};  // leaseDurationSeconds; 0: the Lease does not say
  // As they are written. They are only ever compared with themselves: the clock of another machine proves nothing.
  std::string acquire_time;
  std::string renew_time;
  std::int32_t transitions = 0;  // leaseTransitions: how often the holder has changed

  friend bool operator==(const LeaseRecord&, const LeaseRecord&) = default;
};

// Kubernetes' MicroTime, e.g. "2026-01-31T12:00:00.000000Z": always six digits, without which the API server refuses
// it.
std::string FormatMicroTime(WallTime time);

}  // namespace kube_events
