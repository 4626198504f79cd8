// One Kubernetes Event as both APIs tell it, reduced to what counting, filtering and labels need.
// A view: its strings point into the decoder that made it and are valid until that decoder's next call.
// No thread rules beyond that.
#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>

#include "kube_events/base/clock.h"

namespace kube_events {

struct InvolvedObject {  // events.k8s.io calls it `regarding`
  std::string_view api_version;
  std::string_view kind;
  std::string_view namespace_name;  // empty for cluster-scoped objects
  std::string_view name;
};

struct Event {
  // metadata
  std::string_view namespace_name;
  std::string_view name;
  std::string_view uid;
  std::string_view resource_version;
  OptionalTime creation_time;

  InvolvedObject involved;
  std::string_view type;  // "Normal", "Warning" or what a writer made of it
  std::string_view reason;
  std::string_view source_component;      // events.k8s.io: deprecatedSource.component
  std::string_view reporting_controller;  // core/v1: reportingComponent

  // Year 1 and the Unix epoch are how writers spell "unset"; they decode as unset.
  OptionalTime first_time;  // firstTimestamp, deprecatedFirstTimestamp
  OptionalTime last_time;   // lastTimestamp, deprecatedLastTimestamp
  OptionalTime event_time;  // eventTime
  OptionalTime series_last_observed_time;
  std::int64_t count = 0;         // count, deprecatedCount; 0 where missing or null; clamped to int32
  std::int64_t series_count = 0;  // series.count
  bool has_series = false;

  // Occurrences that the object stands for: max(1, count, series.count). The two are never added: they are two
  // spellings of one number.
  std::int64_t Total() const;
  // Names one run of an Event and survives its deletion and re-creation: firstTimestamp, else eventTime.
  OptionalTime Epoch() const;
  // When it last happened: the latest of series.lastObservedTime, lastTimestamp, eventTime, firstTimestamp and
  // creationTimestamp.
  OptionalTime LastSeen() const;
  // reporting_controller, or source.component, which is all that older recorders set.
  std::string_view Controller() const;
  // API group of the involved object: "apps" of "apps/v1", "" of "v1".
  std::string_view InvolvedApiGroup() const;
};

}  // namespace kube_events
