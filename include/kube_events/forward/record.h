// What is handed on: one state of an Event, or a gap. Plain values that never change once made, so that the queues of
// several sinks can share them and any thread may read them.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "kube_events/base/clock.h"

namespace kube_events {

enum class RecordType { kAdded, kModified, kDeleted, kGap };
// "ADDED", "MODIFIED", "DELETED", "GAP".
std::string_view ToString(RecordType type);

struct Event;

struct Record {
  RecordType type = RecordType::kAdded;
  // The Event's JSON as the API server sent it; of a gap: empty.
  std::string object;
  // When the exporter took it up, by the API server's clock.
  WallTime observed;
  // Of a gap: between these times of the API server something may have come and gone unseen.
  std::string gap_scope = {};
  OptionalTime gap_from = {};
  // Where it was lost: "expired" (the API server's history), "restored" (its state went back), "overflow" (queue and
  // spool were full), "spool" (a spool file was damaged).
  std::string gap_reason = {};
  // Of an Event that EventDecoder has taken, as they were known then, so that it need not be decoded again for them:
  // RecordId, and Event::LastSeen. An empty id: not known, and the object is not to be trusted.
  std::string id = {};
  OptionalTime happened = {};
};

// The name by which a receiver knows what it has already: an Event's uid, or where it has none its name, and its
// version.
std::string RecordId(const Event& event);

using RecordPtr = std::shared_ptr<const Record>;

}  // namespace kube_events
