#include <string_view>

#include "sim/events_api.h"
#include "sim/validation.h"

namespace kube_events::sim {
namespace {

constexpr std::size_t kMaxReason = 128;
constexpr std::size_t kMaxNote = 1024;

// core/v1 takes any name that can be part of a path.
void ValidateEventName(const EventMetadata& metadata, Api api, Causes& causes) {
  if (metadata.name.empty() || api == Api::kEventsV1) {
    ValidateName(causes, metadata.name);
  } else if (metadata.name == "." || metadata.name == "..") {
    AddInvalid(causes, "metadata.name", metadata.name, "may not be '" + metadata.name + "'");
  }
  if (metadata.name.empty() || api == Api::kEventsV1) return;
  for (const char* part : {"/", "%"}) {
    if (metadata.name.find(part) == std::string::npos) continue;
    AddInvalid(causes, "metadata.name", metadata.name, std::string("may not contain '") + part + "'");
  }
}

// An Event about a cluster-scoped object lives in "default" (or, a new one, in "kube-system").
void ValidateNamespace(const EventObject& event, Causes& causes) {
  const std::string& own = event.metadata.namespace_name;
  const std::string& involved = event.involved_object.namespace_name;
  const bool fits = involved.empty() ? own == "default" || (event.event_time && own == "kube-system") : own == involved;
  if (!fits) AddInvalid(causes, "involvedObject.namespace", involved, "does not match event.namespace");
}

void ValidateLength(Causes& causes, std::string field, std::string_view text, std::size_t limit) {
  if (text.size() > limit) {
    AddInvalid(causes, std::move(field), "", "can have at most " + std::to_string(limit) + " characters");
  }
}

// What is asked only of Events with an eventTime.
void ValidateNewStyle(const EventObject& event, Api api, Causes& causes) {
  const std::string controller = api == Api::kCoreV1 ? "reportingComponent" : "reportingController";
  if (event.reporting_controller.empty()) AddRequired(causes, controller);
  ValidateQualifiedName(causes, controller, event.reporting_controller);
  if (event.reporting_instance.empty()) AddRequired(causes, "reportingInstance");
  ValidateLength(causes, "reportingInstance", event.reporting_instance, kMaxReason);
  if (event.action.empty()) AddRequired(causes, "action");
  ValidateLength(causes, "action", event.action, kMaxReason);
  if (event.reason.empty()) AddRequired(causes, "reason");
  ValidateLength(causes, "reason", event.reason, kMaxReason);
  ValidateLength(causes, "message", event.message, kMaxNote);
}

void ValidateSeries(const EventObject& event, Causes& causes) {
  if (!event.series) return;
  if (event.series->count < 2) AddInvalid(causes, "series.count", "", "should be at least 2");
  if (!event.series->last_observed_time) AddRequired(causes, "series.lastObservedTime");
}

// What events.k8s.io/v1 asks of a new Event beyond that.
void ValidateEventsV1(const EventObject& event, Causes& causes) {
  ValidateSeries(event, causes);
  if (!event.event_time) AddRequired(causes, "eventTime");
  if (event.type != "Normal" && event.type != "Warning") {
    AddInvalid(causes, "type", "", "has invalid value: " + event.type);
  }
  if (event.first_time) AddInvalid(causes, "firstTimestamp", "", "needs to be unset");
  if (event.last_time) AddInvalid(causes, "lastTimestamp", "", "needs to be unset");
  if (event.count != 0) AddInvalid(causes, "count", "", "needs to be unset");
  if (!event.source_component.empty() || !event.source_host.empty()) {
    AddInvalid(causes, "source", "", "needs to be unset");
  }
}

void Immutable(Causes& causes, std::string field, bool same, std::string_view value = "") {
  if (!same) AddInvalid(causes, std::move(field), value, "field is immutable");
}

}  // namespace

Causes ValidateCreate(const EventObject& event, Api api) {
  Causes causes;
  ValidateEventName(event.metadata, api, causes);
  if (event.metadata.name.empty()) return causes;
  ValidateNamespace(event, causes);
  if (event.event_time) ValidateNewStyle(event, api, causes);
  if (api == Api::kEventsV1) ValidateEventsV1(event, causes);
  return causes;
}

Causes ValidateUpdate(const EventObject& event, const EventObject& old, Api api) {
  Causes causes;
  ValidateNamespace(event, causes);
  if (event.event_time) ValidateNewStyle(event, api, causes);
  if (api == Api::kCoreV1) return causes;
  ValidateSeries(event, causes);
  Immutable(causes, "involvedObject", event.involved_object == old.involved_object);
  Immutable(causes, "reason", event.reason == old.reason, event.reason);
  Immutable(causes, "message", event.message == old.message, event.message);
  Immutable(causes, "source", event.source_component == old.source_component && event.source_host == old.source_host);
  Immutable(causes, "firstTimestamp", event.first_time == old.first_time);
  Immutable(causes, "lastTimestamp", event.last_time == old.last_time);
  Immutable(causes, "count", event.count == old.count);
  Immutable(causes, "type", event.type == old.type, event.type);
  Immutable(causes, "eventTime", event.event_time == old.event_time);
  Immutable(causes, "action", event.action == old.action, event.action);
  Immutable(causes, "related", event.related == old.related);
  Immutable(causes, "reportingController", event.reporting_controller == old.reporting_controller,
            event.reporting_controller);
  Immutable(causes, "reportingInstance", event.reporting_instance == old.reporting_instance, event.reporting_instance);
  return causes;
}

}  // namespace kube_events::sim
