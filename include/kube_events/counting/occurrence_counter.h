// Turns changes of Event objects into occurrences, by the rules of docs/counting.md, exactly once each.
// Owned by the composition root, driven by the informer thread; only Stats() may be called from other threads.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "kube_events/base/clock.h"
#include "kube_events/counting/saved_counts.h"
#include "kube_events/event/event.h"
#include "kube_events/informer/change_consumer.h"
#include "kube_events/kube/scope.h"

namespace kube_events {

// What one change means. All three are 0 or more; for a series S of label sets it always holds that
// value - counted <= truth <= value + not_counted.
struct Occurrences {
  std::int64_t add = 0;                    // to kube_events_total
  std::int64_t uncertain_counted = 0;      // of `add`: may have happened before we looked, or been counted already
  std::int64_t uncertain_not_counted = 0;  // beside `add`: may have happened and is left out
  bool baseline = false;                   // the Event was there before us: its series should exist, also with 0

  bool operator==(const Occurrences&) const = default;
};

// Receives every change that means something. Called on the informer thread; must not block.
class OccurrenceSink {
 public:
  virtual ~OccurrenceSink() = default;
  // `change` and its Event are valid during the call.
  virtual void OnOccurrences(const Change& change, const Occurrences& occurrences) = 0;
};

struct OccurrenceCounterOptions {
  std::vector<Scope> scopes;
  std::size_t max_live = 2'000'000;  // --max-cached-events
  std::size_t max_tombstones = 4'000'000;
  std::chrono::seconds tombstone_ttl{24 * 3600};
  std::chrono::milliseconds sync_period{0};  // --sync-period
  std::uint64_t hash_seed = 0;               // random in production
};

struct OccurrenceCounterStats {
  std::size_t live = 0;
  std::size_t tombstones = 0;
  std::size_t evicted = 0;  // live entries made tombstones because of max_live, since the start
};

class OccurrenceCounter final : public ChangeConsumer {
 public:
  // `sink` must outlive the counter.
  OccurrenceCounter(OccurrenceCounterOptions options, OccurrenceSink& sink);
  ~OccurrenceCounter() override;

  // What the next process needs to count on from here; together with the informer's positions of this moment. Informer
  // thread, or after it has ended. Left out is what the rules conclude: Events seen once, with a usual epoch, older
  // than 30 s. At most `most` totals, see CutTotals. Takes about 0.1 s for a million
  // Events.
  SavedCounts Export(std::size_t most) const;
  // Goes on where `saved` ends, with its hash seed. Call before the first list; scopes that it does not name start
  // cold. A scope that it names must be listed with kResumed (or kRestored) first.
  void Restore(const SavedCounts& saved, WallTime now);

  void OnListBegin(ScopeIndex scope, ListReason reason, WallTime server_time) override;
  void OnListCommitted(ScopeIndex scope, std::string_view version, WallTime server_time) override;
  void OnChange(const Change& change) override;

  // A recent state, for gauges; any thread.
  OccurrenceCounterStats Stats() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kube_events
