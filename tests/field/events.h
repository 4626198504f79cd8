// Events as the two generations of recorders write them, and the texts of requests. Pure functions, any thread.
#pragma once

#include <string>

#include "sim/event_object.h"
#include "sim/json_text.h"
#include "support/exporter_fixture.h"

namespace kube_events::field {

// As recorders of events.k8s.io write it: an eventTime, no firstTimestamp, no lastTimestamp, no count. Without a series
// it happened once. Its counter is PodSeries(reason).
inline sim::EventObject MakeNewStyleEvent(const std::string& name, const std::string& reason, WallTime event_time) {
  sim::EventObject event = MakePodEvent(name, reason, 0, "default", event_time);
  event.first_time = event.last_time = std::nullopt;
  event.source_component.clear();
  event.event_time = event_time;
  event.reporting_controller = "default-scheduler";
  event.reporting_instance = "default-scheduler-1";
  event.action = "Scheduling";
  return event;
}

// With quotes.
inline std::string JsonTime(WallTime time) {
  std::string text;
  sim::AppendJsonTime(text, time);
  return text;
}
inline std::string JsonMicroTime(WallTime time) {
  std::string text;
  sim::AppendJsonMicroTime(text, time);
  return text;
}

// The fields behind the metadata of a core/v1 Event about a Pod of "default", for SimServer::CreateRaw; `more`: further
// fields, each with a comma in front. Its counter is PodSeries(reason).
inline std::string RawPodFields(const std::string& reason, const std::string& more) {
  return R"("involvedObject":{"kind":"Pod","namespace":"default","name":"pod","apiVersion":"v1"},"reason":")" + reason +
         R"(","type":"Warning")" + more;
}

// A PATCH as client-go sends it; returns the HTTP status.
inline int MergePatch(const std::string& url, const std::string& patch) {
  return Fetch("PATCH", url, patch, {.headers = {{"Content-Type", "application/strategic-merge-patch+json"}}}).status;
}

}  // namespace kube_events::field
