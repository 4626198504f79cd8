// The managedFields that the API server keeps for what a client has written. Pure functions.
#pragma once

#include <string>
#include <string_view>

#include "kube_events/base/clock.h"
#include "sim/event_object.h"

namespace kube_events::sim {

// One entry as a JSON array: `manager` owns the fields that a recorder of core/v1 or events.k8s.io/v1 sets.
std::string RecorderManagedFields(std::string_view manager, bool events_v1, WallTime time);

// … for a client that has written the fields that are set in `event`.
std::string WriterManagedFields(const EventObject& event, std::string_view manager, Api api, WallTime time);
// … after an update: the entry of `manager` is renewed, or one is added behind those of others.
std::string UpdatedManagedFields(const EventObject& event, std::string_view manager, Api api, WallTime time);

}  // namespace kube_events::sim
