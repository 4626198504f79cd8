// The Status that a fault asks for. Pure function.
#pragma once

#include "sim/faults.h"
#include "sim/status.h"

namespace kube_events::sim {

// `fault.status` with its usual reason and message unless the fault names others. 410 is the one of a watch; reason
// "ResourceVersionTooLarge" (with code 504) is the "too large resource version" of current servers,
// "TooLargeCauseMessage" and "TooLargeMessageOnly" are those of older ones.
Status FaultStatus(const Fault& fault);

}  // namespace kube_events::sim
