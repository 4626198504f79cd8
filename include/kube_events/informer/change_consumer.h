// What the informer hands over: lists, and changes one by one, in the order of the API server.
// Implemented by whoever counts; every call comes from the informer thread.
#pragma once

#include <cstdint>
#include <string_view>

#include "kube_events/base/clock.h"
#include "kube_events/event/event.h"
#include "kube_events/kube/scope.h"

namespace kube_events {

enum class ChangeKind { kListed, kAdded, kModified, kDeleted };

// Why a scope is listed.
enum class ListReason {
  kFirst,     // nothing is known of the scope yet: the list is the baseline
  kRelist,    // the watch could not be continued: what changed meanwhile shows as differences
  kRestored,  // the API server's version is below ours: etcd was restored, or it is another cluster
  kResumed,   // the watch goes on from a position that was saved: the list only tells what was counted by then
};

struct Change {
  ScopeIndex scope = 0;
  ChangeKind kind = ChangeKind::kListed;
  const Event& event;    // valid during the call
  std::string_view raw;  // its JSON as sent, valid during the call
  WallTime server_time;  // the API server's clock, estimated from its Date headers
};

class ChangeConsumer {
 public:
  virtual ~ChangeConsumer() = default;
  // A list begins; its items follow as kListed. A list that fails half way is followed by another OnListBegin, with
  // the same reason; what it brought so far is no harm.
  virtual void OnListBegin(ScopeIndex scope, ListReason reason, WallTime server_time) = 0;
  // All pages were delivered: what the scope had and this list did not bring is deleted. `version`: of the list; the
  // watch goes on from there, or, after a list with kResumed, from the saved position and so passes it later.
  virtual void OnListCommitted(ScopeIndex scope, std::string_view version, WallTime server_time) = 0;
  virtual void OnChange(const Change& change) = 0;
};

}  // namespace kube_events
