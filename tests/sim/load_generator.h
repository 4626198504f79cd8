// Writes Events into the store as recorders do, and writes down the truth while it does.
// Deterministic: the same options and the same number of steps give the same objects, whatever the clock says.
// Owned by the server; used on its thread only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <random>
#include <vector>

#include "kube_events/base/clock.h"
#include "sim/event_store.h"
#include "sim/synthetic_cluster.h"
#include "sim/truth.h"

namespace kube_events::sim {

// Shares are of the steps, 0 to 1; what they leave creates new Events. With the defaults every occurrence can be
// counted exactly by whoever watches without a gap: the last group, whose meaning no watcher can know for certain, is
// off.
struct LoadOptions {
  std::uint64_t seed = 1;
  std::size_t objects = 2'000;  // live Events; beyond, an old one expires for each new one
  double rate = 50;             // changes per second
  std::uint64_t limit = 0;      // changes after which the load stops; 0: none
  std::size_t namespaces = 12;  // label sets grow with it
  std::size_t nodes = 9;

  double repeats = 0.40;      // count + 1 of an Event with a count
  double jumps = 0.08;        // of the repeats: by more than one at once, after a recorder's spam filter
  double series = 0.20;       // no series → 2, then heartbeats with any rise
  double deletions = 0.04;    // expiry
  double recreations = 0.04;  // expiry, then at once the same name with a new uid and count + 1
  double resets = 0.02;       // the same name begins again with 1 and a new firstTimestamp
  double touches = 0.02;      // only an annotation changes

  double late_retries = 0;         // a count or series falls to an old value and comes back later
  double delayed_recreations = 0;  // expiry; 1000 steps later the same name with a jumped count
};

class LoadGenerator {
 public:
  // All must outlive the generator.
  LoadGenerator(const LoadOptions& options, EventStore& store, Truth& truth, const Clock& clock);

  // Creates all `objects` with ages up to an hour, counts and series as a running cluster has them; they are part of
  // the truth from revision 1 on.
  void Preload();
  // One step; returns how many changes it wrote, 1 to 3.
  std::size_t Step();

  // Other shares and another rate from now on; the seed and the cluster stay.
  void SetOptions(const LoadOptions& options) {
    options_ = options;
    changes_before_options_ = changes_;
  }
  const LoadOptions& options() const { return options_; }
  // Changes written: ever, and since the options were last set (what `limit` limits).
  std::uint64_t changes() const { return changes_; }
  std::uint64_t changes_since_options() const { return changes_ - changes_before_options_; }

 private:
  struct Pending {  // a deleted Event that a recorder will write again
    std::uint64_t due_step;
    StoredEventPtr last;
  };
  enum class Action { kRepeat, kSeries, kDelete, kRecreate, kReset, kTouch, kLateRetry, kDelayedRecreate, kCreate };

  Action DrawAction();
  void Perform(Action action);
  void Create();
  void Repeat(StoredEventPtr& slot);
  void ContinueSeries(StoredEventPtr& slot);
  void Expire(std::vector<StoredEventPtr>& from, std::size_t index);
  void Recreate(StoredEventPtr& slot);
  void Reset(StoredEventPtr& slot);
  void Touch(StoredEventPtr& slot);
  void LateRetry(StoredEventPtr& slot);
  void RecreateDue();

  // The state after one more publication that stands for `rise` more occurrences.
  EventObject Raised(const EventObject& event, std::int32_t rise) const;
  bool WriteUpdate(StoredEventPtr& slot, EventObject event, std::int32_t occurrences);
  StoredEventPtr WriteCreate(EventObject event, std::int32_t occurrences);
  bool WriteDelete(const StoredEventPtr& event);
  void Keep(StoredEventPtr event);
  void AddTruth(const StoredEvent& event, std::int64_t occurrences);
  void Age(EventObject& event);

  double DrawShare() { return static_cast<double>(random_() >> 11U) * 0x1.0p-53; }
  std::size_t Draw(std::size_t count) { return static_cast<std::size_t>(random_() % count); }

  LoadOptions options_;
  EventStore& store_;
  Truth& truth_;
  const Clock& clock_;
  SyntheticCluster cluster_;
  std::mt19937_64 random_;
  std::vector<StoredEventPtr> counted_;  // live Events with a count
  std::vector<StoredEventPtr> seried_;   // … with eventTime and perhaps a series
  std::deque<Pending> pending_;
  std::uint64_t steps_ = 0;
  std::uint64_t changes_ = 0;
  std::uint64_t changes_before_options_ = 0;
};

}  // namespace kube_events::sim
