#include "sim/event_json.h"
#include "sim/json_text.h"

namespace kube_events::sim {
namespace {

// Writes the members of one JSON object and minds the commas.
class ObjectWriter {
 public:
  explicit ObjectWriter(std::string& out) : out_(out) { out_ += '{'; }
  // Goes on behind an opening brace that is already there.
  ObjectWriter(std::string& out, bool /*inside*/) : out_(out) {}

  std::string& Key(std::string_view key) {
    if (!first_) out_ += ',';
    first_ = false;
    out_ += '"';
    out_ += key;
    out_ += "\":";
    return out_;
  }
  void Text(std::string_view key, std::string_view value) { AppendJsonString(Key(key), value); }
  void TextIfSet(std::string_view key, std::string_view value) {
    if (!value.empty()) Text(key, value);
  }
  void NumberIfSet(std::string_view key, std::int64_t value) {
    if (value != 0) AppendNumber(Key(key), value);
  }
  void End() { out_ += '}'; }

 private:
  std::string& out_;
  bool first_ = true;
};

void AppendMap(std::string& out, const StringMap& map) {
  ObjectWriter writer(out);
  for (const auto& [key, value] : map) {
    if (&key != &map.begin()->first) out += ',';
    AppendJsonString(out, key);
    out += ':';
    AppendJsonString(out, value);
  }
  writer.End();
}

void AppendMetadata(std::string& out, const EventMetadata& metadata) {
  ObjectWriter writer(out);
  writer.TextIfSet("name", metadata.name);
  writer.TextIfSet("generateName", metadata.generate_name);
  writer.TextIfSet("namespace", metadata.namespace_name);
  writer.TextIfSet("uid", metadata.uid);
  if (metadata.resource_version != 0) {
    writer.Key("resourceVersion") += '"';
    AppendNumber(out, metadata.resource_version);
    out += '"';
  }
  if (metadata.creation_time) AppendJsonTime(writer.Key("creationTimestamp"), metadata.creation_time);
  if (!metadata.labels.empty()) AppendMap(writer.Key("labels"), metadata.labels);
  if (!metadata.annotations.empty()) AppendMap(writer.Key("annotations"), metadata.annotations);
  if (!metadata.managed_fields.empty()) writer.Key("managedFields") += metadata.managed_fields;
  writer.End();
}

void AppendReference(std::string& out, const ObjectReference& reference) {
  ObjectWriter writer(out);
  writer.TextIfSet("kind", reference.kind);
  writer.TextIfSet("namespace", reference.namespace_name);
  writer.TextIfSet("name", reference.name);
  writer.TextIfSet("uid", reference.uid);
  writer.TextIfSet("apiVersion", reference.api_version);
  writer.TextIfSet("resourceVersion", reference.resource_version);
  writer.TextIfSet("fieldPath", reference.field_path);
  writer.End();
}

void AppendSource(std::string& out, const EventObject& event) {
  ObjectWriter writer(out);
  writer.TextIfSet("component", event.source_component);
  writer.TextIfSet("host", event.source_host);
  writer.End();
}

void AppendSeries(std::string& out, const EventSeries& series, bool omit_zero_count) {
  ObjectWriter writer(out);
  if (series.count != 0 || !omit_zero_count) AppendNumber(writer.Key("count"), std::int64_t{series.count});
  AppendJsonMicroTime(writer.Key("lastObservedTime"), series.last_observed_time);
  writer.End();
}

void AppendCoreFields(std::string& out, const EventObject& event) {
  ObjectWriter writer(out, true);
  AppendMetadata(writer.Key("metadata"), event.metadata);
  AppendReference(writer.Key("involvedObject"), event.involved_object);
  writer.TextIfSet("reason", event.reason);
  writer.TextIfSet("message", event.message);
  AppendSource(writer.Key("source"), event);
  AppendJsonTime(writer.Key("firstTimestamp"), event.first_time);
  AppendJsonTime(writer.Key("lastTimestamp"), event.last_time);
  writer.NumberIfSet("count", event.count);
  writer.TextIfSet("type", event.type);
  AppendJsonMicroTime(writer.Key("eventTime"), event.event_time);
  if (event.series) AppendSeries(writer.Key("series"), *event.series, true);
  writer.TextIfSet("action", event.action);
  if (event.related) AppendReference(writer.Key("related"), *event.related);
  writer.Text("reportingComponent", event.reporting_controller);
  writer.Text("reportingInstance", event.reporting_instance);
  writer.End();
}

void AppendEventsFields(std::string& out, const EventObject& event) {
  ObjectWriter writer(out, true);
  AppendMetadata(writer.Key("metadata"), event.metadata);
  AppendJsonMicroTime(writer.Key("eventTime"), event.event_time);
  if (event.series) AppendSeries(writer.Key("series"), *event.series, false);
  writer.TextIfSet("reportingController", event.reporting_controller);
  writer.TextIfSet("reportingInstance", event.reporting_instance);
  writer.TextIfSet("action", event.action);
  writer.TextIfSet("reason", event.reason);
  AppendReference(writer.Key("regarding"), event.involved_object);
  if (event.related) AppendReference(writer.Key("related"), *event.related);
  writer.TextIfSet("note", event.message);
  writer.TextIfSet("type", event.type);
  AppendSource(writer.Key("deprecatedSource"), event);
  AppendJsonTime(writer.Key("deprecatedFirstTimestamp"), event.first_time);
  AppendJsonTime(writer.Key("deprecatedLastTimestamp"), event.last_time);
  writer.NumberIfSet("deprecatedCount", event.count);
  writer.End();
}

}  // namespace

const char* ApiVersion(Api api) { return api == Api::kCoreV1 ? "v1" : "events.k8s.io/v1"; }

void AppendEventFields(std::string& out, const EventObject& event, Api api) {
  if (api == Api::kCoreV1) {
    AppendCoreFields(out, event);
  } else {
    AppendEventsFields(out, event);
  }
}

void AppendEvent(std::string& out, const EventObject& event, Api api) {
  out.append(R"({"kind":"Event","apiVersion":")").append(ApiVersion(api)).append("\",");
  AppendEventFields(out, event, api);
}

}  // namespace kube_events::sim
