#include "export.h"

#include <algorithm>
#include <chrono>

namespace kube_events {
namespace {

using std::chrono::seconds;

// The rules take what is not saved for seen once, with an epoch not later than its creation, and created before the
// newest; both as far as clocks allow.
bool NeedsSaving(const Known& known, const OptionalTime& newest) {
  if (known.highest > 1 || !known.creation_time || !newest) return true;
  if (*known.creation_time >= *newest - kCreationSkew) return true;
  return known.epoch && *known.epoch > *known.creation_time + kEpochSkew;
}

// What was there at the baseline is told by its creation time; anything else that is baselined is not.
bool IsOddlyBaselined(const Known& known, WallTime baseline_time) {
  return known.baselined && (known.series_at_baseline || known.creation_time > baseline_time);
}

SavedTotal Total(std::uint64_t key, const Known& known) {
  return {.key = key,
          .uid = static_cast<std::uint32_t>(known.uid),
          .highest = static_cast<std::uint32_t>(known.highest),
          .last = static_cast<std::uint32_t>(known.last),
          .epoch = known.epoch,
          .baselined = known.baselined,
          .series_at_baseline = known.series_at_baseline,
          .buried = std::nullopt};
}

// For tombstones, whose scope is not known. Where some of them live, none of these may be missing; the others are
// saved to be more certain of what returns.
OptionalTime NewestForTombstones(const SavedCounts& counts) {
  OptionalTime newest;
  for (const SavedScope& scope : counts.scopes) {
    const bool later = !newest || (counts.living_among_dead ? scope.newest < newest : scope.newest > newest);
    if (later) newest = scope.newest;
  }
  return newest;
}

void ExportLive(const EventCache& cache, const std::vector<CountedScope>& scopes, std::size_t most,
                SavedCounts& counts) {
  cache.VisitLive([&](const EventKey& key, const Known& known, ScopeIndex index) {
    const CountedScope& scope = scopes[index];
    const bool needed = NeedsSaving(known, scope.newest()) || IsOddlyBaselined(known, scope.baseline_time());
    if (!scope.started() || !needed) return true;
    counts.live.push_back(Total(key.high, known));
    return counts.live.size() <= most;
  });
}

void ExportTombstones(const EventCache& cache, std::size_t most, SavedCounts& counts) {
  const OptionalTime newest = NewestForTombstones(counts);
  cache.VisitTombstones([&](std::uint64_t key, const Known& known, WallTime buried) {
    if (!NeedsSaving(known, newest)) return true;
    if (counts.live.size() + counts.tombstones.size() > most) return false;
    counts.tombstones.push_back(Total(key, known));
    counts.tombstones.back().buried = buried;
    return true;
  });
}

}  // namespace

SavedCounts ExportCounts(const EventCache& cache, const std::vector<CountedScope>& scopes, std::size_t most) {
  SavedCounts counts;
  counts.complete = !cache.forgot_living();
  counts.living_among_dead = cache.evicted() > 0;
  for (std::size_t i = 0; i < scopes.size(); ++i) {
    if (!scopes[i].started()) continue;
    counts.scopes.push_back(scopes[i].Save(static_cast<ScopeIndex>(i)));
    counts.complete = counts.complete && scopes[i].complete() && (scopes[i].caught_up() || !cache.overflowed());
    counts.living_among_dead = counts.living_among_dead || !scopes[i].caught_up();
  }
  // One more than may stay shows that something has to go.
  ExportLive(cache, scopes, most, counts);
  ExportTombstones(cache, most, counts);
  CutTotals(counts, most);
  return counts;
}

bool RestoreTotals(const SavedCounts& saved, WallTime now, seconds tombstone_ttl, EventCache& cache) {
  const auto restore = [&](const SavedTotal& total, WallTime buried) {
    Known known;
    known.uid = total.uid;
    known.epoch = total.epoch;
    known.highest = total.highest;
    known.last = total.last;
    known.baselined = total.baselined;
    known.series_at_baseline = total.series_at_baseline;
    cache.Bury({.high = total.key, .low = 0}, known, buried);
  };
  // Tombstones expire by the API server's clock, and the one of this machine may be far behind it.
  for (const SavedScope& scope : saved.scopes) now = std::max(now, scope.horizon);
  bool expired = false;
  for (auto total = saved.tombstones.rbegin(); total != saved.tombstones.rend(); ++total) {
    const WallTime buried = std::min(total->buried.value_or(now), now);
    if (buried > now - tombstone_ttl) {
      restore(*total, buried);
    } else {
      expired = true;
    }
  }
  for (auto total = saved.live.rbegin(); total != saved.live.rend(); ++total) restore(*total, now);
  return saved.complete && !(saved.living_among_dead && expired);
}

}  // namespace kube_events
