#include "kube_events/counting/saved_counts.h"

#include <algorithm>

namespace kube_events {
namespace {

void Shorten(SavedCounts& counts, std::size_t most) {
  counts.cut = true;
  if (most < counts.live.size()) {
    counts.live.resize(most);
    counts.complete = false;
  }
  counts.tombstones.resize(most - counts.live.size());
  if (counts.living_among_dead) counts.complete = false;
}

}  // namespace

void CutTotals(SavedCounts& counts, std::size_t most) {
  if (counts.live.size() + counts.tombstones.size() > most) Shorten(counts, most);
  if (counts.complete) return;
  for (SavedScope& scope : counts.scopes) scope.newest = std::max(scope.newest, scope.newest_listed);
}

}  // namespace kube_events
