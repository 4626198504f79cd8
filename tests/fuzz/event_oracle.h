// A second reading of Events, written with nlohmann::json: slow and plain, to hold the decoder against.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kube_events/base/clock.h"
#include "kube_events/event/event.h"

namespace kube_events::fuzz {

using Json = nlohmann::ordered_json;

// An Event with texts of its own.
struct OwnedEvent {
  // namespace, name, uid, resourceVersion; apiVersion, kind, namespace and name of the involved object; type, reason,
  // source and reporting component
  std::vector<std::string> texts;
  // creation, first, last, event time, last observed
  std::vector<OptionalTime> times;
  std::int64_t count = 0;
  std::int64_t series_count = 0;
  bool has_series = false;

  bool operator==(const OwnedEvent&) const = default;
};
OwnedEvent Own(const Event& event);
std::string ToString(const OwnedEvent& event);

// The text as JSON, or nothing where the oracle cannot tell what the decoder has to make of it: it is no JSON, nested
// deeper than the decoder goes, or has repeated or escaped names.
std::optional<Json> ParseForOracle(std::string_view text);

// What an object says, or nothing where a field that is read has the wrong type. `kind` is empty where missing.
struct OracleObject {
  OwnedEvent event;
  std::string kind;
};
std::optional<OracleObject> ReadObject(const Json& object);

// Whether the decoder has to take it as an Event (`named`) or bookmark.
bool IsUsable(const OracleObject& object, bool named);

// The Event as core/v1 writes it.
std::string Encode(const Event& event);

}  // namespace kube_events::fuzz
