// The last step of counting: what the filter lets through becomes kube_events_total.
// Owned by the composition root; called on the informer thread.
#pragma once

#include "kube_events/counting/occurrence_counter.h"
#include "kube_events/event/event_filter.h"
#include "kube_events/metrics/event_counters.h"
#include "kube_events/metrics/self_metrics.h"

namespace kube_events {

class OccurrenceRecorder final : public OccurrenceSink {
 public:
  // `counters` and `metrics` must outlive the recorder.
  OccurrenceRecorder(EventFilter filter, EventCounters& counters, SelfMetrics& metrics)
      : filter_(std::move(filter)), counters_(counters), metrics_(metrics) {}

  void OnOccurrences(const Change& change, const Occurrences& occurrences) override;

 private:
  const EventFilter filter_;
  EventCounters& counters_;
  SelfMetrics& metrics_;
};

}  // namespace kube_events
