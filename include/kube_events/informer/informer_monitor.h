// What the informer tells about itself, for metrics and health. Implemented by the composition root; every call
// comes from the informer thread and must not block.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "kube_events/base/clock.h"
#include "kube_events/base/error.h"
#include "kube_events/event/event_decoder.h"
#include "kube_events/kube/scope.h"

namespace kube_events {

// The state of one scope, told whenever it changes.
struct ScopeState {
  bool synced = false;       // a first list was committed
  bool watches_last = true;  // false: watches are granted and end at once, again and again
  bool watch_open = false;   // the API server answered the watch with 200 and it has not ended
  std::string trouble;       // why it is not open, one line for an administrator; may be empty
};

// Up to where a scope was handed over.
struct ScopePosition {
  std::string version;      // a resourceVersion; empty: the first list is not complete
  WallTime observed_until;  // the API server's time until when nothing was missed, at most

  bool operator==(const ScopePosition&) const = default;
};

// Receives the positions, for what has to be kept together with them. Called on the informer thread, between two
// changes; must not block.
class PositionObserver {
 public:
  virtual ~PositionObserver() = default;
  // Whether positions are of use now; asked all the time.
  virtual bool WantsPositions() = 0;
  // One for each scope, in their order. Called when wanted, and when the informer ends for the last time.
  virtual void OnPositions(const std::vector<ScopePosition>& positions) = 0;
};

enum class RequestOutcome { kStarted, kGranted, kFailed };

class InformerMonitor {
 public:
  virtual ~InformerMonitor() = default;
  virtual void OnScopeState(const Scope& scope, const ScopeState& state) = 0;
  // A whole list or a watch was started, was granted (list complete, watch answered with 200) or failed; `verb` is
  // "list", "watch" or "probe" (the list with limit=1 that precedes a watch; only its failures are told). A watch can
  // fail after it was granted. `error` is null unless it failed.
  virtual void OnRequest(std::string_view verb, RequestOutcome outcome, const Error* error) = 0;
  // The scope will be listed again; `reason` is a label value: expired, short_watch, invalid, errors, restored.
  virtual void OnRelist(std::string_view reason) = 0;
  // Between the end of continuous observation and the list that closed it, something may have come and gone unseen.
  virtual void OnGap(const Scope& scope, std::chrono::milliseconds length) = 0;
  // One frame of a watch; a null type means that it, or a list item, could not be decoded. Hot path.
  virtual void OnFrame(const FrameType* type, WallTime now) = 0;
};

}  // namespace kube_events
