#include "kube_events/event/event.h"

#include <algorithm>

namespace kube_events {

std::int64_t Event::Total() const { return std::max({std::int64_t{1}, count, series_count}); }

OptionalTime Event::Epoch() const { return first_time ? first_time : event_time; }

OptionalTime Event::LastSeen() const {
  // An unset time is less than any other.
  return std::max({series_last_observed_time, last_time, event_time, first_time, creation_time});
}

std::string_view Event::Controller() const {
  return reporting_controller.empty() ? source_component : reporting_controller;
}

std::string_view Event::InvolvedApiGroup() const {
  const std::size_t slash = involved.api_version.find('/');
  return slash == std::string_view::npos ? std::string_view{} : involved.api_version.substr(0, slash);
}

}  // namespace kube_events
