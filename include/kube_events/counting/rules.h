// The rules of docs/counting.md as one pure function: what is known of an Event's name, what is seen of it now and
// where that happens make the occurrences to add and what is known afterwards. No state, no clock; any thread.
#pragma once

#include <cstdint>
#include <optional>

#include "kube_events/base/clock.h"
#include "kube_events/counting/occurrence_counter.h"

namespace kube_events {

// What is remembered of one namespace/name, whether its object lives, was deleted, or comes from a checkpoint (which
// holds no version and no last total: they are 0 and the highest).
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
};

enum class Moment {
  kFirstList,     // the cold first list of the scope: the baseline
  kRestoredList,  // the list after etcd was restored: versions and objects may be older than what is known
  kOther,         // watch events and every other list
};

struct RuleContext {
  Moment moment = Moment::kOther;
  WallTime now;                 // the API server's clock
  WallTime horizon;             // when continuous observation of the scope began
  OptionalTime forgotten;       // the newest epoch that the cache may have forgotten
  bool label_selector = false;  // the scope has one: an object may start and stop to match
  bool forgot_living = false;   // the cache was too small and has forgotten objects that may still live
  bool sync_period = false;     // --sync-period is not over: heartbeats still tell what happened before the baseline
};

struct Verdict {
  Occurrences occurrences = {};
  Known known = {};     // from now on
  bool replay = false;  // this state, or a newer one, was seen before: nothing changes
};

// Decides one sighting; `known` is empty for a name never seen or forgotten. Total: any input gives a verdict with
// numbers of 0 or more.
Verdict Decide(const std::optional<Known>& known, const Sighting& sighting, const RuleContext& context);

}  // namespace kube_events
