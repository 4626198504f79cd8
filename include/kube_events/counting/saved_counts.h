// What counting has to keep over a restart (docs/counting.md, "After a restart"). Plain values, no thread rules.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kube_events/base/clock.h"
#include "kube_events/kube/scope.h"

namespace kube_events {

// One namespace/name. What the rules can tell without it is not saved: see OccurrenceCounter::Export.
struct SavedTotal {
  std::uint64_t key = 0;      // half of an EventKey, a hash under the seed
  std::uint32_t uid = 0;      // a hash
  std::uint32_t highest = 1;  // 1 to 2^31 - 1
  std::uint32_t last = 1;     // the total seen last; lower after a late write
  OptionalTime epoch;
  bool baselined = false;
  bool series_at_baseline = false;
  OptionalTime buried;  // tombstones: when, to the second

  bool operator==(const SavedTotal&) const = default;
};

struct SavedScope {
  ScopeIndex scope = 0;
  // The resourceVersion up to which everything was counted. The informer knows it: Export leaves it 0.
  std::uint64_t position = 0;
  WallTime horizon;        // the API server's time of the last that was counted: no run known so far is newer
  WallTime baseline_time;  // of the first cold list, unchanged over all restarts
  OptionalTime newest;     // the newest creation time of all that was counted up to the position
  // … and of what a list under way has brought beyond it. Takes the place of `newest` where totals are missing.
  OptionalTime newest_listed;

  bool operator==(const SavedScope&) const = default;
};

struct SavedCounts {
  std::uint64_t hash_seed = 0;
  bool complete = true;                // no living Event is missing among the totals
  bool living_among_dead = false;      // some tombstones are Events that live: without them it is not complete
  bool cut = false;                    // there were more totals than there was room for
  std::vector<SavedScope> scopes;      // those that have had their first list
  std::vector<SavedTotal> live;        // the most recently seen first
  std::vector<SavedTotal> tombstones;  // the latest first

  bool operator==(const SavedCounts&) const = default;
};

// Cuts the totals to `most`: tombstones go before living ones, and those seen longest ago before others. Sets
// `cut` where anything had to go. Living ones are missing then: see SavedScope::newest_listed.
void CutTotals(SavedCounts& counts, std::size_t most);

}  // namespace kube_events
