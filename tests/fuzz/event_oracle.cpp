#include "fuzz/event_oracle.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <limits>
#include <set>

#include "event/rfc3339.h"

namespace kube_events::fuzz {
namespace {

enum Text {
  kNamespace,
  kName,
  kUid,
  kVersion,
  kApiVersion,
  kKind,
  kInvolvedNamespace,
  kInvolvedName,
  kType,
  kReason,
  kSource,
  kReporting,
  kTexts
};
enum Time { kCreation, kFirst, kLast, kEventTime, kObserved, kTimes };

constexpr int kDeepest = 500;

// Takes note of repeated names and of depth while the parser runs.
class Watcher {
 public:
  bool operator()(int depth, Json::parse_event_t event, Json& value) {
    if (depth > kDeepest) unclear_ = true;
    if (event == Json::parse_event_t::object_start) names_.emplace_back();
    if (event == Json::parse_event_t::object_end) names_.pop_back();
    if (event == Json::parse_event_t::key && !names_.back().insert(value.get<std::string>()).second) unclear_ = true;
    return true;
  }
  bool unclear() const { return unclear_; }

 private:
  std::vector<std::set<std::string>> names_;
  bool unclear_ = false;
};

// Whether a string with an escape in it is a name; the decoder compares names as they are written.
bool HasEscapedName(std::string_view text) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '"') continue;
    bool escaped = false;
    for (++at; at < text.size() && text[at] != '"'; ++at) {
      if (text[at] != '\\') continue;
      escaped = true;
      ++at;
    }
    const std::size_t next = text.find_first_not_of(" \t\r\n", std::min(at + 1, text.size()));
    if (escaped && next != std::string_view::npos && text[next] == ':') return true;
  }
  return false;
}

// Reads fields by name. null means absent; what has the wrong type makes the whole unusable.
class Reader {
 public:
  explicit Reader(OracleObject& out) : out_(out) {}
  bool ok() const { return ok_; }

  void Object(const Json& object) {
    for (const auto& [name, value] : Fields(object)) Field(name, value);
  }

 private:
  // An object's fields; none for null.
  std::vector<std::pair<std::string, Json>> Fields(const Json& value) {
    if (!value.is_object() && !value.is_null()) ok_ = false;
    std::vector<std::pair<std::string, Json>> fields;
    if (value.is_object()) {
      for (const auto& item : value.items()) fields.emplace_back(item.key(), item.value());
    }
    return fields;
  }

  void String(const Json& value, std::string& out) {
    if (value.is_null()) return;
    if (!value.is_string()) ok_ = false;
    if (value.is_string()) out = value.get<std::string>();
  }
  void String(const Json& value, Text text) { String(value, out_.event.texts[text]); }

  void Instant(const Json& value, Time time) {
    if (value.is_null()) return;
    ok_ = ok_ && value.is_string() && ParseRfc3339(value.get<std::string>(), out_.event.times[time]);
  }

  void Count(const Json& value, std::int64_t& out) {
    if (value.is_null()) return;
    if (!value.is_number()) ok_ = false;
    if (!value.is_number()) return;
    out = static_cast<std::int64_t>(std::clamp<double>(value.get<double>(), std::numeric_limits<std::int32_t>::min(),
                                                       std::numeric_limits<std::int32_t>::max()));
  }

  void Field(const std::string& name, const Json& value) {
    if (name == "kind") String(value, out_.kind);
    if (name == "type") NonEmpty(value, kType);
    if (name == "reason") NonEmpty(value, kReason);
    if (name == "reportingComponent" || name == "reportingController") NonEmpty(value, kReporting);
    if (name == "firstTimestamp" || name == "deprecatedFirstTimestamp") Instant(value, kFirst);
    if (name == "lastTimestamp" || name == "deprecatedLastTimestamp") Instant(value, kLast);
    if (name == "eventTime") Instant(value, kEventTime);
    if (name == "count" || name == "deprecatedCount") Count(value, out_.event.count);
    if (name == "metadata") Metadata(value);
    if (name == "involvedObject" || name == "regarding") Involved(value);
    if (name == "source" || name == "deprecatedSource") {
      for (const auto& [key, field] : Fields(value)) {
        if (key == "component") String(field, kSource);
      }
    }
    if (name == "series") Series(value);
  }

  void NonEmpty(const Json& value, Text text) {
    std::string given;
    String(value, given);
    if (!given.empty()) out_.event.texts[text] = given;
  }

  void Metadata(const Json& value) {
    for (const auto& [name, field] : Fields(value)) {
      if (name == "namespace") String(field, kNamespace);
      if (name == "name") String(field, kName);
      if (name == "uid") String(field, kUid);
      if (name == "resourceVersion") String(field, kVersion);
      if (name == "creationTimestamp") Instant(field, kCreation);
    }
  }

  void Involved(const Json& value) {
    for (const auto& [name, field] : Fields(value)) {
      if (name == "apiVersion") String(field, kApiVersion);
      if (name == "kind") String(field, kKind);
      if (name == "namespace") String(field, kInvolvedNamespace);
      if (name == "name") String(field, kInvolvedName);
    }
  }

  void Series(const Json& value) {
    for (const auto& [name, field] : Fields(value)) {
      if (name == "count") Count(field, out_.event.series_count);
      if (name == "lastObservedTime") Instant(field, kObserved);
    }
    out_.event.has_series = value.is_object();
  }

  OracleObject& out_;
  bool ok_ = true;
};

std::string Written(OptionalTime time) {
  using std::chrono::floor;
  using std::chrono::seconds;
  if (!time) return "";
  const std::time_t whole = floor<seconds>(*time).time_since_epoch().count();
  const auto fraction = std::chrono::duration_cast<std::chrono::microseconds>(*time - floor<seconds>(*time));
  std::tm parts{};
  gmtime_r(&whole, &parts);
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%04d-%02d-%02dT%02d:%02d:%02d.%06ldZ", parts.tm_year + 1900,
                parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec,
                static_cast<long>(fraction.count()));
  return text.data();
}

}  // namespace

OwnedEvent Own(const Event& event) {
  OwnedEvent owned;
  for (const std::string_view text :
       {event.namespace_name, event.name, event.uid, event.resource_version, event.involved.api_version,
        event.involved.kind, event.involved.namespace_name, event.involved.name, event.type, event.reason,
        event.source_component, event.reporting_controller}) {
    owned.texts.emplace_back(text);
  }
  owned.times = {event.creation_time, event.first_time, event.last_time, event.event_time,
                 event.series_last_observed_time};
  owned.count = event.count;
  owned.series_count = event.series_count;
  owned.has_series = event.has_series;
  return owned;
}

std::string ToString(const OwnedEvent& event) {
  std::string text;
  for (const std::string& field : event.texts) text += "\"" + field + "\" ";
  for (const OptionalTime& time : event.times) text += Written(time) + " ";
  return text + std::to_string(event.count) + " " + std::to_string(event.series_count) +
         (event.has_series ? " series" : "");
}

std::optional<Json> ParseForOracle(std::string_view text) {
  // The other library skips a byte order mark and stops at a NUL.
  const bool lenient = text.starts_with("\xEF\xBB\xBF") || text.find('\0') != std::string_view::npos;
  if (lenient || HasEscapedName(text)) return std::nullopt;
  Watcher watcher;
  Json json = Json::parse(text, std::ref(watcher), false);
  if (json.is_discarded() || watcher.unclear()) return std::nullopt;
  return json;
}

std::optional<OracleObject> ReadObject(const Json& object) {
  OracleObject out;
  out.event.texts.resize(kTexts);
  out.event.times.resize(kTimes);
  Reader reader(out);
  reader.Object(object);
  return reader.ok() ? std::optional(out) : std::nullopt;
}

bool IsUsable(const OracleObject& object, bool named) {
  const bool right_kind = object.kind.empty() || object.kind == "Event";
  return right_kind && !object.event.texts[kVersion].empty() && (!named || !object.event.texts[kName].empty());
}

std::string Encode(const Event& event) {
  Json json{{"kind", "Event"},
            {"apiVersion", "v1"},
            {"metadata",
             {{"namespace", event.namespace_name},
              {"name", event.name},
              {"uid", event.uid},
              {"resourceVersion", event.resource_version},
              {"creationTimestamp", Written(event.creation_time)}}},
            {"involvedObject",
             {{"apiVersion", event.involved.api_version},
              {"kind", event.involved.kind},
              {"namespace", event.involved.namespace_name},
              {"name", event.involved.name}}},
            {"type", event.type},
            {"reason", event.reason},
            {"source", {{"component", event.source_component}}},
            {"reportingComponent", event.reporting_controller},
            {"firstTimestamp", Written(event.first_time)},
            {"lastTimestamp", Written(event.last_time)},
            {"eventTime", Written(event.event_time)},
            {"count", event.count}};
  if (event.has_series) {
    json["series"] = {{"count", event.series_count}, {"lastObservedTime", Written(event.series_last_observed_time)}};
  }
  return json.dump();
}

}  // namespace kube_events::fuzz
