// The Event as the simulated API server stores it: one value that both APIs show under their own field names.
// A plain value without thread rules.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "kube_events/base/clock.h"

namespace kube_events::sim {

// The two APIs that serve the same stored Events.
enum class Api { kCoreV1 = 0, kEventsV1 = 1 };
inline constexpr int kApis = 2;

struct ObjectReference {
  std::string kind = {};
  std::string namespace_name = {};
  std::string name = {};
  std::string uid = {};
  std::string api_version = {};
  std::string resource_version = {};
  std::string field_path = {};

  bool operator==(const ObjectReference&) const = default;
};

struct EventSeries {
  std::int32_t count = 0;
  OptionalTime last_observed_time = {};

  bool operator==(const EventSeries&) const = default;
};

using StringMap = std::map<std::string, std::string>;

struct EventMetadata {
  std::string name = {};
  std::string generate_name = {};
  std::string namespace_name = {};
  std::string uid = {};
  std::uint64_t resource_version = 0;
  OptionalTime creation_time = {};
  StringMap labels = {};
  StringMap annotations = {};
  std::string managed_fields = {};  // a JSON array as text, or empty

  bool operator==(const EventMetadata&) const = default;
};

// Field names follow the internal type of Kubernetes; in comments, what events.k8s.io/v1 calls them.
struct EventObject {
  EventMetadata metadata = {};
  ObjectReference involved_object = {};  // regarding
  std::string reason = {};
  std::string message = {};           // note
  std::string source_component = {};  // deprecatedSource.component
  std::string source_host = {};
  OptionalTime first_time = {};  // deprecatedFirstTimestamp; whole seconds
  OptionalTime last_time = {};   // deprecatedLastTimestamp; whole seconds
  std::int32_t count = 0;        // deprecatedCount
  std::string type = {};
  OptionalTime event_time = {};  // microseconds
  std::optional<EventSeries> series = {};
  std::string action = {};
  std::optional<ObjectReference> related = {};
  std::string reporting_controller = {};  // core/v1: reportingComponent
  std::string reporting_instance = {};

  bool operator==(const EventObject&) const = default;

  // "namespace/name": the order of lists.
  std::string Key() const { return metadata.namespace_name + "/" + metadata.name; }
};

}  // namespace kube_events::sim
