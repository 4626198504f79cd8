#include "sim/managed_fields.h"

#include <map>

#include "sim/event_json.h"
#include "sim/json_text.h"

namespace kube_events::sim {
namespace {

constexpr std::string_view kCoreFields =
    R"({"f:count":{},"f:firstTimestamp":{},"f:involvedObject":{},"f:lastTimestamp":{},"f:message":{},"f:reason":{},)"
    R"("f:reportingComponent":{},"f:reportingInstance":{},"f:source":{"f:component":{},"f:host":{}},"f:type":{}})";
constexpr std::string_view kEventsFields =
    R"({"f:action":{},"f:eventTime":{},"f:note":{},"f:reason":{},"f:regarding":{},"f:reportingController":{},)"
    R"("f:reportingInstance":{},"f:series":{".":{},"f:count":{},"f:lastObservedTime":{}},"f:type":{}})";

void AppendField(std::string& out, std::string_view name, std::string_view content = "{}") {
  if (out.back() != '{') out += ',';
  out.append("\"f:").append(name).append("\":").append(content);
}

std::string MapFields(const StringMap& map) {
  std::string out = R"({".":{})";
  for (const auto& [key, value] : map) {
    out += ',';
    AppendJsonString(out, "f:" + key);
    out += ":{}";
  }
  return out + "}";
}

std::string MetadataFields(const EventMetadata& metadata) {
  std::string out = "{";
  if (!metadata.annotations.empty()) AppendField(out, "annotations", MapFields(metadata.annotations));
  if (!metadata.labels.empty()) AppendField(out, "labels", MapFields(metadata.labels));
  return out + "}";
}

std::string SourceFields(const EventObject& event) {
  std::string out = "{";
  if (!event.source_component.empty()) AppendField(out, "component");
  if (!event.source_host.empty()) AppendField(out, "host");
  return out + "}";
}

// The fields that are set, in the order of their names in either API.
std::string SetFields(const EventObject& event, Api api) {
  const bool core = api == Api::kCoreV1;
  std::map<std::string, std::string> fields;
  const auto add = [&](const char* name, bool set) {
    if (set) fields[name] = "{}";
  };
  add("action", !event.action.empty());
  add(core ? "count" : "deprecatedCount", event.count != 0);
  add("eventTime", event.event_time.has_value());
  add(core ? "firstTimestamp" : "deprecatedFirstTimestamp", event.first_time.has_value());
  add(core ? "lastTimestamp" : "deprecatedLastTimestamp", event.last_time.has_value());
  add(core ? "involvedObject" : "regarding", event.involved_object != ObjectReference());
  add(core ? "message" : "note", !event.message.empty());
  add("reason", !event.reason.empty());
  add("related", event.related.has_value());
  add(core ? "reportingComponent" : "reportingController", !event.reporting_controller.empty());
  add("reportingInstance", !event.reporting_instance.empty());
  add("type", !event.type.empty());
  if (event.series) fields["series"] = R"({".":{},"f:count":{},"f:lastObservedTime":{}})";
  if (SourceFields(event) != "{}") fields[core ? "source" : "deprecatedSource"] = SourceFields(event);
  if (MetadataFields(event.metadata) != "{}") fields["metadata"] = MetadataFields(event.metadata);
  std::string out = "{";
  for (const auto& [name, content] : fields) AppendField(out, name, content);
  return out + "}";
}

std::string Entry(std::string_view manager, Api api, WallTime time, std::string_view fields) {
  std::string out = R"({"manager":)";
  AppendJsonString(out, manager);
  out.append(R"(,"operation":"Update","apiVersion":")").append(ApiVersion(api)).append(R"(","time":)");
  AppendJsonTime(out, time);
  return out.append(R"(,"fieldsType":"FieldsV1","fieldsV1":)").append(fields).append("}");
}

}  // namespace

std::string RecorderManagedFields(std::string_view manager, bool events_v1, WallTime time) {
  const Api api = events_v1 ? Api::kEventsV1 : Api::kCoreV1;
  return "[" + Entry(manager, api, time, events_v1 ? kEventsFields : kCoreFields) + "]";
}

std::string WriterManagedFields(const EventObject& event, std::string_view manager, Api api, WallTime time) {
  return "[" + Entry(manager, api, time, SetFields(event, api)) + "]";
}

std::string UpdatedManagedFields(const EventObject& event, std::string_view manager, Api api, WallTime time) {
  const std::string entry = Entry(manager, api, time, SetFields(event, api));
  const std::string identity = entry.substr(0, entry.find(R"(,"time":)"));
  const std::string& old = event.metadata.managed_fields;
  const std::size_t begin = old.find(identity);
  if (old.empty()) return "[" + entry + "]";
  if (begin == std::string::npos) return old.substr(0, old.size() - 1) + "," + entry + "]";
  const std::size_t end = old.find(R"(,{"manager":)", begin);
  return old.substr(0, begin) + entry + (end == std::string::npos ? "]" : old.substr(end));
}

}  // namespace kube_events::sim
