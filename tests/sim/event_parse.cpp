#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>

#include "sim/event_json.h"
#include "sim/json_text.h"
#include "sim/write_request.h"

namespace kube_events::sim {
namespace {

using nlohmann::json;

// Reads typed members of one JSON object; the first wrong type is kept as the error of the whole parse.
class ObjectReader {
 public:
  // `object`: null where there is none, which reads as an empty one.
  ObjectReader(const json* object, std::string path, std::string& error)
      : object_(object), path_(std::move(path)), error_(error) {
    if (object == nullptr || object->is_object()) return;
    SetError(path_, *object, "object");
    object_ = nullptr;
  }

  // The member, or null where it is absent.
  const json* Find(const char* key) const {
    if (object_ == nullptr) return nullptr;
    const auto found = object_->find(key);
    return found == object_->end() || found->is_null() ? nullptr : &*found;
  }
  std::string Text(const char* key) {
    const json* value = Find(key);
    if (value == nullptr) return {};
    if (value->is_string()) return value->get<std::string>();
    SetError(Path(key), *value, "string");
    return {};
  }
  std::int32_t Number(const char* key) {
    const json* value = Find(key);
    if (value == nullptr) return 0;
    const bool fits = value->is_number_integer() && value->get<std::int64_t>() >= std::numeric_limits<int>::min() &&
                      value->get<std::int64_t>() <= std::numeric_limits<int>::max();
    if (fits) return value->get<std::int32_t>();
    SetError(Path(key), *value, "int32");
    return 0;
  }
  OptionalTime Time(const char* key, bool micro) {
    const std::string text = Text(key);
    if (text.empty()) return std::nullopt;
    const OptionalTime time = ParseTime(text);
    if (error_.empty()) error_ = micro ? MicroTimeError(text) : TimeError(text);
    // How Go spells an unset time.
    if (!time || *time <= WallTime{std::chrono::seconds{-62'135'596'800}}) return std::nullopt;
    return micro ? *time : WallTime{std::chrono::floor<std::chrono::seconds>(*time)};
  }
  StringMap Map(const char* key) {
    StringMap map;
    const json* value = Find(key);
    if (value == nullptr) return map;
    ObjectReader reader(value, Path(key), error_);
    if (!value->is_object()) return map;
    for (const auto& [name, unused] : value->items()) map.emplace(name, reader.Text(name.c_str()));
    return map;
  }
  ObjectReader Object(const char* key) { return {Find(key), Path(key), error_}; }

 private:
  std::string Path(const char* key) const { return path_.empty() ? key : path_ + "." + key; }
  void SetError(const std::string& path, const json& value, const char* type) {
    if (!error_.empty()) return;
    error_ = "json: cannot unmarshal " + GoTypeOf(value) + " into Go struct field Event." + path + " of type " + type;
  }

  const json* object_;
  std::string path_;
  std::string& error_;
};

std::uint64_t ParseVersion(const std::string& text) {
  std::uint64_t value = 0;
  for (const char digit : text) {
    if (digit < '0' || digit > '9') return 0;
    value = value * 10 + static_cast<std::uint64_t>(digit - '0');
  }
  return value;
}

EventMetadata ReadMetadata(ObjectReader reader) {
  EventMetadata metadata;
  metadata.name = reader.Text("name");
  metadata.generate_name = reader.Text("generateName");
  metadata.namespace_name = reader.Text("namespace");
  metadata.uid = reader.Text("uid");
  metadata.resource_version = ParseVersion(reader.Text("resourceVersion"));
  metadata.creation_time = reader.Time("creationTimestamp", false);
  metadata.labels = reader.Map("labels");
  metadata.annotations = reader.Map("annotations");
  const json* managed = reader.Find("managedFields");
  if (managed != nullptr) metadata.managed_fields = managed->dump();
  return metadata;
}

ObjectReference ReadReference(ObjectReader reader) {
  return {reader.Text("kind"),       reader.Text("namespace"),       reader.Text("name"),     reader.Text("uid"),
          reader.Text("apiVersion"), reader.Text("resourceVersion"), reader.Text("fieldPath")};
}

// What the two APIs call the same fields.
struct FieldNames {
  const char* involved_object;
  const char* message;
  const char* source;
  const char* first_time;
  const char* last_time;
  const char* count;
  const char* reporting_controller;
};
constexpr FieldNames kCoreNames = {"involvedObject", "message",           "source", "firstTimestamp", "lastTimestamp",
                                   "count",          "reportingComponent"};
constexpr FieldNames kEventsNames = {"regarding",
                                     "note",
                                     "deprecatedSource",
                                     "deprecatedFirstTimestamp",
                                     "deprecatedLastTimestamp",
                                     "deprecatedCount",
                                     "reportingController"};

EventObject ReadEvent(ObjectReader& reader, const FieldNames& names) {
  EventObject event;
  event.metadata = ReadMetadata(reader.Object("metadata"));
  event.involved_object = ReadReference(reader.Object(names.involved_object));
  event.reason = reader.Text("reason");
  event.message = reader.Text(names.message);
  ObjectReader source = reader.Object(names.source);
  event.source_component = source.Text("component");
  event.source_host = source.Text("host");
  event.first_time = reader.Time(names.first_time, false);
  event.last_time = reader.Time(names.last_time, false);
  event.count = reader.Number(names.count);
  event.type = reader.Text("type");
  event.event_time = reader.Time("eventTime", true);
  if (reader.Find("series") != nullptr) {
    ObjectReader series = reader.Object("series");
    event.series = EventSeries{series.Number("count"), series.Time("lastObservedTime", true)};
  }
  event.action = reader.Text("action");
  if (reader.Find("related") != nullptr) event.related = ReadReference(reader.Object("related"));
  event.reporting_controller = reader.Text(names.reporting_controller);
  event.reporting_instance = reader.Text("reportingInstance");
  return event;
}

}  // namespace

Result<EventObject> ParseEvent(const json& object, Api api) {
  std::string error;
  ObjectReader reader(&object, "", error);
  EventObject event = ReadEvent(reader, api == Api::kCoreV1 ? kCoreNames : kEventsNames);
  if (!error.empty()) return Fail(ErrorKind::kInvalid, error);
  return event;
}

}  // namespace kube_events::sim
