// The managedFields that the API server keeps for what a recorder has written. Pure function.
#pragma once

#include <string>
#include <string_view>

#include "kube_events/base/clock.h"

namespace kube_events::sim {

// One entry as a JSON array: `manager` owns the fields that a recorder of core/v1 or events.k8s.io/v1 sets.
std::string RecorderManagedFields(std::string_view manager, bool events_v1, WallTime time);

}  // namespace kube_events::sim
