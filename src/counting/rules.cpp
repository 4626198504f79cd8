#include "kube_events/counting/rules.h"

#include <algorithm>
#include <chrono>

namespace kube_events {
namespace {

// What is clearly later: epochs are also cut to seconds.
constexpr std::chrono::seconds kSkewAndRounding = kEpochSkew + std::chrono::seconds{1};

enum class Freshness { kFresh, kNearlyFresh, kNotFresh };

// Whether the run named by `epoch` began after we did, so that no part of it was counted or shown before.
Freshness FreshnessOf(const OptionalTime& epoch, const RuleContext& context) {
  const bool unknown = !epoch || (context.forgotten && *epoch <= *context.forgotten);
  if (unknown || *epoch > context.now + kSkewAndRounding) return Freshness::kNotFresh;
  if (*epoch > context.horizon + kSkewAndRounding) return Freshness::kFresh;
  return *epoch >= context.horizon - kEpochSkew ? Freshness::kNearlyFresh : Freshness::kNotFresh;
}

// Knowledge of an object that tells nothing about what was known before.
Known Remember(const Sighting& sighting) {
  Known known;
  known.uid = sighting.uid;
  known.epoch = sighting.epoch;
  known.highest = sighting.total;
  known.last = sighting.total;
  known.resource_version = sighting.resource_version;
  known.creation_time = sighting.creation_time;
  return known;
}

bool IsReplay(const Known& known, const Sighting& sighting) {
  return sighting.resource_version != 0 && sighting.resource_version <= known.resource_version;
}

bool IsSameRun(const Known& known, const Sighting& sighting, const RuleContext& context) {
  // A set epoch that becomes unset is no change.
  if (known.uid == sighting.uid) return !sighting.epoch || sighting.epoch == known.epoch;
  // Recorders re-create a deleted object under its old name with the whole count; none does so with 1.
  const bool re_created = sighting.total > 1 || context.moment == Moment::kRestoredList;
  return re_created && sighting.epoch && sighting.epoch == known.epoch;
}

Verdict Baseline(const Sighting& sighting) {
  Verdict verdict{.occurrences = {.baseline = true}, .known = Remember(sighting)};
  verdict.known.baselined = true;
  verdict.known.series_at_baseline = sighting.has_series;
  return verdict;
}

Verdict FirstSight(const Sighting& sighting, const RuleContext& context) {
  Verdict verdict{.known = Remember(sighting)};
  Occurrences& occurrences = verdict.occurrences;
  const Freshness freshness = FreshnessOf(sighting.epoch, context);
  occurrences.add = freshness == Freshness::kNotFresh ? 1 : sighting.total;
  if (freshness == Freshness::kNearlyFresh) occurrences.uncertain_counted = sighting.total - 1;
  if (freshness == Freshness::kNotFresh) occurrences.uncertain_not_counted = sighting.total - 1;
  if (freshness != Freshness::kFresh) {
    // Without a new occurrence a heartbeat re-creates a series, an object starts to match a selector, and one that the
    // cache had to forget is seen again; in the last two cases it may also not have risen since the baseline.
    const bool was_there = context.label_selector || context.forgot_living;
    if (sighting.has_series || was_there) ++occurrences.uncertain_counted;
    verdict.known.baselined = was_there;
    verdict.known.series_at_baseline = context.forgot_living || (context.label_selector && sighting.has_series);
  }
  return verdict;
}

// The first rise above the highest total of an Event that was there before us: some of it may be older than we are.
void JudgeFirstRise(const Known& known, const Sighting& sighting, const RuleContext& context, Verdict& verdict) {
  Occurrences& occurrences = verdict.occurrences;
  if (occurrences.add == 0) return;
  verdict.known.baselined = false;
  if (known.series_at_baseline) {
    occurrences.uncertain_counted = occurrences.add;  // a heartbeat publishes what happened before
    if (!context.sync_period) return;
    occurrences.uncertain_not_counted += occurrences.add;
    occurrences.add = 0;
    occurrences.uncertain_counted = 0;
  } else if (!sighting.has_series) {
    occurrences.uncertain_counted = occurrences.add - 1;
  }  // else it was a singleton at the baseline, and a recorder publishes the second occurrence at once
}

Verdict SameRun(const Known& known, const Sighting& sighting, const RuleContext& context) {
  Verdict verdict{.known = known};
  verdict.known.uid = sighting.uid;
  verdict.known.highest = std::max(known.highest, sighting.total);
  verdict.known.last = sighting.total;
  verdict.known.resource_version = sighting.resource_version;
  verdict.known.creation_time = sighting.creation_time;

  Occurrences& occurrences = verdict.occurrences;
  const std::int64_t rise = sighting.total - known.last;
  if (rise < 0) {
    occurrences.uncertain_not_counted = sighting.total;  // a late retry, or a reset that kept its timestamp
  } else if (rise > 0) {
    occurrences.add = std::max<std::int64_t>(0, sighting.total - known.highest);
    occurrences.uncertain_not_counted = rise - occurrences.add;
    if (known.baselined) JudgeFirstRise(known, sighting, context, verdict);
  }
  return verdict;
}

// A later epoch: the writer began again, or it renews its timestamp with every update.
Verdict NewRun(const Known& known, const Sighting& sighting) {
  Verdict verdict{.known = Remember(sighting)};
  Occurrences& occurrences = verdict.occurrences;
  occurrences.add = sighting.total;
  if (known.baselined) {
    occurrences.uncertain_counted = sighting.total - 1;
  } else if (sighting.total > known.highest) {
    occurrences.uncertain_counted = known.highest;
  }
  return verdict;
}

// The same object has an epoch where it had none: a new run, or the old one with a timestamp at last.
Verdict EpochAppeared(const Known& known, const Sighting& sighting) {
  Verdict verdict{.known = Remember(sighting)};
  verdict.occurrences.add = sighting.total;
  verdict.occurrences.uncertain_counted = known.baselined
                                              ? std::max(std::min(sighting.total, known.highest), sighting.total - 1)
                                              : std::min(sighting.total, known.highest);
  return verdict;
}

// The same object with an earlier epoch: a late write of the run before.
Verdict LateWrite(const Known& known, const Sighting& sighting) {
  Verdict verdict{.occurrences = {.uncertain_not_counted = sighting.total}, .known = known};
  verdict.known.resource_version = sighting.resource_version;
  return verdict;
}

Verdict KnownName(const Known& known, const Sighting& sighting, const RuleContext& context) {
  if (IsSameRun(known, sighting, context)) return SameRun(known, sighting, context);
  if (known.epoch && sighting.epoch && *sighting.epoch > *known.epoch) return NewRun(known, sighting);
  if (known.uid == sighting.uid) return known.epoch ? LateWrite(known, sighting) : EpochAppeared(known, sighting);
  if (sighting.total == 1) return {.occurrences = {.add = 1}, .known = Remember(sighting)};
  Verdict verdict = FirstSight(sighting, context);
  if (known.epoch && sighting.epoch) {
    // An earlier epoch. A write of an older run, retried when its object was gone, looks the same; what that run had
    // counted is not known any more, nor will be what the newer one had, should it go on.
    verdict.occurrences.uncertain_counted = verdict.occurrences.add;
    verdict.known.baselined = true;
    verdict.known.series_at_baseline = sighting.has_series;
  }
  return verdict;
}

// In a list, after a restart: a state that the checkpoint counted, so it adds nothing.
Verdict CountedBefore(const std::optional<Known>& known, const Sighting& sighting, const Resumed& resumed) {
  Verdict verdict{.occurrences = {.baseline = true}, .known = Remember(sighting)};
  if (known && known->uid == sighting.uid) {
    const bool same_run = !sighting.epoch || sighting.epoch == known->epoch;
    verdict.known.epoch = known->epoch;  // a late write of the run before does not change it
    verdict.known.highest = same_run ? std::max(known->highest, sighting.total) : known->highest;
    verdict.known.last = same_run ? sighting.total : known->last;
    verdict.known.baselined = known->baselined;
    verdict.known.series_at_baseline = known->series_at_baseline;
    return verdict;
  }
  verdict.known.baselined = !resumed.complete || sighting.creation_time <= resumed.baseline_time;
  // Where it is missing among the saved totals, it may have fallen from any total, and late writes may raise it.
  verdict.known.series_at_baseline = verdict.known.baselined && (sighting.has_series || !resumed.complete);
  return verdict;
}

// Existed when the checkpoint was saved, and is not in it.
Verdict NotSaved(const Sighting& sighting, const RuleContext& context) {
  const bool hidden = context.moment == Moment::kLostList && context.label_selector;
  if (!context.resumed.complete || hidden) {
    Verdict verdict{.known = Remember(sighting)};
    verdict.occurrences = {.add = 1, .uncertain_counted = 1, .uncertain_not_counted = sighting.total - 1};
    verdict.known.baselined = true;
    verdict.known.series_at_baseline = true;  // any of its late writes may raise it
    return verdict;
  }
  // Then its highest total was 1, and its epoch not later than its creation.
  Known known = Remember(sighting);
  known.highest = 1;
  known.last = 1;
  known.baselined = sighting.creation_time <= context.resumed.baseline_time;
  const bool late_epoch =
      sighting.epoch && sighting.creation_time && *sighting.epoch > *sighting.creation_time + kEpochSkew;
  return late_epoch ? NewRun(known, sighting) : SameRun(known, sighting, context);
}

bool IsUpToPosition(const Sighting& sighting, const Resumed& resumed) {
  return sighting.resource_version != 0 && sighting.resource_version <= resumed.position;
}

// Whether an Event that nothing is known of existed when the checkpoint was saved.
bool ExistedAtPosition(const Sighting& sighting, const RuleContext& context) {
  if (context.moment == Moment::kCatchUp) return sighting.was_there;
  if (context.moment != Moment::kLostList || !sighting.creation_time || !context.resumed.newest) return false;
  const WallTime newest = *context.resumed.newest;
  return *sighting.creation_time < newest - kCreationSkew ||
         (!context.resumed.complete && *sighting.creation_time <= newest + kEpochSkew);
}

}  // namespace

Verdict Decide(const std::optional<Known>& known, const Sighting& sighting, const RuleContext& context) {
  if (context.moment == Moment::kFirstList) return Baseline(sighting);
  const bool listed = context.moment == Moment::kResumedList;
  if (listed && !IsUpToPosition(sighting, context.resumed)) return {.occurrences = {.baseline = true}, .later = true};
  if (known && IsReplay(*known, sighting)) return {.known = *known, .replay = true};
  const bool counted = listed || (context.moment == Moment::kLostList && IsUpToPosition(sighting, context.resumed));
  if (counted) return CountedBefore(known, sighting, context.resumed);
  if (!known && ExistedAtPosition(sighting, context)) return NotSaved(sighting, context);
  Verdict verdict = known ? KnownName(*known, sighting, context) : FirstSight(sighting, context);
  if (context.moment == Moment::kRestoredList && verdict.occurrences.add > 0) {
    // The state may be older than what was counted, and than what its writer counts on from.
    verdict.occurrences.uncertain_counted = verdict.occurrences.add;
    verdict.known.baselined = true;
    verdict.known.series_at_baseline = true;
  }
  return verdict;
}

}  // namespace kube_events
