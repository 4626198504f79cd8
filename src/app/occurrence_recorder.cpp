#include "kube_events/app/occurrence_recorder.h"

namespace kube_events {

void OccurrenceRecorder::OnOccurrences(const Change& change, const Occurrences& occurrences) {
  const Event& event = change.event;
  if (!filter_.Passes(event)) return;
  if (occurrences.add > 0 || occurrences.baseline) {
    counters_.Add({event.type, event.involved.namespace_name, event.involved.kind, event.reason}, occurrences.add);
  }
  if (occurrences.uncertain_counted > 0) {
    metrics_.uncertain_counted.Increment(static_cast<double>(occurrences.uncertain_counted));
  }
  if (occurrences.uncertain_not_counted > 0) {
    metrics_.uncertain_not_counted.Increment(static_cast<double>(occurrences.uncertain_not_counted));
  }
  // How late a listed Event is known tells nothing about the stream.
  if (occurrences.add > 0 && change.kind != ChangeKind::kListed) {
    if (const OptionalTime last = event.LastSeen()) metrics_.ObserveEventLag(change.server_time - *last);
  }
}

}  // namespace kube_events
