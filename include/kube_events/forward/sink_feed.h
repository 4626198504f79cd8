// Decides what one sink gets, and where it stands in each scope.
//
//             the queue is full                    the queue is half empty
//   kLive ───────────────────────► kPaused ──────────────────────────────► kCatchingUp
//     ▲                                                                        │
//     └──────────────── what it has taken has reached the live stream ◄────────┘
//
// Live, it takes what the informer's thread hands it. Where it could not, or where it starts behind, a CatchUp brings
// what is missing from its position on, while the live stream passes by; a change at or before its position is skipped.
// Owned by the Forwarder. The methods OnLive… are called on the informer thread, OnCatchUp… on that of the CatchUp,
// the others on any.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "kube_events/base/clock.h"
#include "kube_events/base/logging.h"
#include "kube_events/base/trouble_log.h"
#include "kube_events/event/event_filter.h"
#include "kube_events/forward/sink_settings.h"
#include "kube_events/forward/sink_worker.h"
#include "kube_events/informer/change_consumer.h"

namespace kube_events {

// A change as a record, made when the first sink wants it and shared by all. Lives during one call.
class SharedRecord {
 public:
  explicit SharedRecord(const Change& change) : change_(change) {}
  const RecordPtr& As(RecordType type);

 private:
  RecordPtr Make(RecordType type) const;

  const Change& change_;
  RecordPtr record_;
  RecordPtr other_;  // the same with another type, where sinks differ
};

struct SinkFeedOptions {
  std::vector<std::string> scope_names;
  EventFilter exporter_filter;
  EventFilter filter;
  std::vector<std::string> watch_types;
  UpdatePolicy updates;
  bool existing = false;
};

class SinkFeed {
 public:
  SinkFeed(SinkFeedOptions options, const SinkSettings& settings, SinkWorkerParts worker);

  // Before the first list: where to begin in a scope whose counting goes on from `counted`; `saved` is the sink's own
  // position, if it has one. Never called for scopes that start cold.
  void Resume(ScopeIndex scope, const ScopePosition& counted, const std::optional<ScopePosition>& saved);

  void OnLiveListBegin(ScopeIndex scope, ListReason reason, WallTime server_time);
  void OnLiveListCommitted(ScopeIndex scope, std::string_view version, WallTime server_time);
  void OnLiveChange(const Change& change, SharedRecord& record);

  // Scopes that are paused and could go on now, with their positions (an empty version: from the first list on); they
  // are catching up from then on. Empty while others still do so.
  std::vector<std::pair<ScopeIndex, ScopePosition>> BeginCatchUp();
  // Whether any scope is catching up.
  bool IsCatchingUp() const;
  // Whether the live stream passes by in any scope, because the sink is paused or catches up. Any thread.
  bool IsBehind() const;
  // The catching up is given up for now.
  void EndCatchUp();
  void OnCatchUpListBegin(ScopeIndex scope, ListReason reason, WallTime server_time);
  void OnCatchUpListCommitted(ScopeIndex scope, std::string_view version, WallTime server_time);
  // Waits for room in the queue, until `stop`.
  void OnCatchUpChange(const Change& change, const std::stop_token& stop);

  const std::string& id() const { return id_; }
  SinkWorker& worker() { return worker_; }
  const SinkWorker& worker() const { return worker_; }

 private:
  enum class Mode { kLive, kPaused, kCatchingUp };
  // Of a change of the live stream: taken or passed by, the same after older ones were dropped, or the sink is full.
  enum class Outcome { kDone, kDropped, kPaused };
  struct ScopeState {
    Mode mode = Mode::kLive;
    ScopePosition position;     // what was taken so far, sent or not
    std::string live;           // the newest version that the live stream has handed over; empty: not known yet
    bool live_listing = false;  // the live stream is in the middle of a list
    std::string live_list;      // the version of its last one: until then it may bring what happened long before
    ListReason list_reason = ListReason::kFirst;  // of the list that this sink takes part in
    bool gap_told = false;                        // for the list under way
  };

  void BeginList(ScopeIndex scope, ListReason reason, WallTime server_time);
  void CommitList(ScopeIndex scope, std::string_view version, WallTime server_time);
  // Null: not for this sink.
  RecordPtr Choose(const Change& change, const ScopeState& state, SharedRecord& record);
  bool WantsListed(const Change& change, const ScopeState& state) const;
  bool IsThrottled(const Change& change);
  // kPaused: there is no room, and nothing may be dropped.
  Outcome MakeRoom(ScopeIndex scope, WallTime now);
  void Take(const Change& change, RecordPtr record);
  // Whether nothing has happened that was not taken.
  static bool IsUpToDate(const ScopeState& state);
  Outcome TakeLive(const Change& change, SharedRecord& record);
  void Pause();
  // Whether it has caught up.
  bool JoinIfCaughtUp(ScopeState& state);
  void PushGap(ScopeIndex scope, OptionalTime from, WallTime to, std::string_view reason);

  const std::string id_;
  const SinkFeedOptions options_;
  const Logger log_;
  TroubleLog trouble_;  // informer thread
  SinkWorker worker_;

  mutable std::mutex mutex_;  // guards everything below; taken for the time of one change
  std::vector<ScopeState> scopes_;
  std::unordered_map<std::string, WallTime> throttled_;  // uid to when its last record was taken
  WallTime throttle_swept_;
  OptionalTime dropped_from_;  // from then on records were dropped, and no marker was pushed yet
};

}  // namespace kube_events
