// Which totals a checkpoint needs. No threads, no I/O.
#pragma once

#include <cstddef>
#include <vector>

#include "counted_scope.h"
#include "kube_events/counting/event_cache.h"
#include "kube_events/counting/saved_counts.h"

namespace kube_events {

// Everything but hash_seed, at most `most` totals.
SavedCounts ExportCounts(const EventCache& cache, const std::vector<CountedScope>& scopes, std::size_t most);

// Makes saved totals known: all as tombstones, until the list shows which of them live. Returns whether they are
// complete.
bool RestoreTotals(const SavedCounts& saved, WallTime now, std::chrono::seconds tombstone_ttl, EventCache& cache);

}  // namespace kube_events
