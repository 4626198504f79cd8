// The rules of docs/counting.md as one pure function: what is known of an Event's name, what is seen of it now and
// where that happens make the occurrences to add and what is known afterwards. No state, no clock; any thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "kube_events/base/clock.h"
#include "kube_events/counting/occurrence_counter.h"

namespace kube_events {

// Writers stamp epochs with their own clocks, cut to seconds: an epoch may be so much off.
inline constexpr std::chrono::seconds kEpochSkew{5};
// API servers stamp creation times with their own clocks, in no exact order: these may be so much apart.
inline constexpr std::chrono::seconds kCreationSkew{30};

// What is remembered of one namespace/name, whether its object lives, was deleted, or comes from a checkpoint (which
// holds no version: it is 0).
struct Known {
  std::uint64_t uid = 0;               // a hash
  OptionalTime epoch;                  // names one run of the Event
  std::int64_t highest = 0;            // the highest total of this run, 1 or more
  std::int64_t last = 0;               // the total seen last, 1 or more
  std::uint64_t resource_version = 0;  // 0: none to compare with
  OptionalTime creation_time;
  bool baselined = false;           // was there before us and has not risen since
  bool series_at_baseline = false;  // … and was a series then
};

// One state of an object, reduced to what the rules look at.
struct Sighting {
  std::uint64_t uid = 0;
  OptionalTime epoch;
  std::int64_t total = 1;              // 1 or more
  std::uint64_t resource_version = 0;  // 0: not a number, so never older than what is known
  OptionalTime creation_time;
  bool has_series = false;
  bool was_there = false;  // MODIFIED or DELETED by a watch: it existed before this change
};

enum class Moment {
  kFirstList,     // the cold first list of the scope: the baseline
  kRestoredList,  // the list after etcd was restored: versions and objects may be older than what is known
  kResumedList,   // the list at a start with a checkpoint: what the checkpoint counted becomes known
  kCatchUp,       // the watch from the checkpoint's position, up to that list's version
  kLostList,      // the list that takes the place of that watch, where it could not be continued
  kOther,         // watch events and every other list
};

// What a checkpoint says of its scope; for the three moments after a restart.
struct Resumed {
  std::uint64_t position = 0;  // the resourceVersion up to which everything was counted
  WallTime baseline_time;      // of the first cold list ever
  OptionalTime newest;         // the newest creation time of all that was counted
  bool complete = true;        // no living Event was left out of the saved totals
};

struct RuleContext {
  Moment moment = Moment::kOther;
  WallTime now;                 // the API server's clock
  WallTime horizon;             // when continuous observation of the scope began
  OptionalTime forgotten;       // the newest epoch that the cache may have forgotten
  bool label_selector = false;  // the scope has one: an object may start and stop to match
  bool forgot_living = false;   // the cache was too small and has forgotten objects that may still live
  bool sync_period = false;     // --sync-period is not over: heartbeats still tell what happened before the baseline
  Resumed resumed = {};
};

struct Verdict {
  Occurrences occurrences = {};
  Known known = {};     // from now on
  bool replay = false;  // this state, or a newer one, was seen before: nothing changes
  bool later = false;   // the watch that follows tells it: nothing is known of it yet
};

// Decides one sighting; `known` is empty for a name never seen or forgotten. Total: any input gives a verdict with
// numbers of 0 or more.
Verdict Decide(const std::optional<Known>& known, const Sighting& sighting, const RuleContext& context);

}  // namespace kube_events
