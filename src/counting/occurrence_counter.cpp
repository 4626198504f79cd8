#include "kube_events/counting/occurrence_counter.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "counted_scope.h"
#include "export.h"
#include "kube_events/base/resource_version.h"
#include "kube_events/counting/event_cache.h"
#include "kube_events/counting/rules.h"

namespace kube_events {
namespace {

// 0 where the version is no number; such a state counts as changed.
std::uint64_t ParseVersion(std::string_view text) { return ParseResourceVersion(text).value_or(0); }

bool MeansSomething(const Occurrences& occurrences) {
  return occurrences.add > 0 || occurrences.uncertain_counted > 0 || occurrences.uncertain_not_counted > 0 ||
         occurrences.baseline;
}

}  // namespace

struct OccurrenceCounter::Impl {
  Impl(OccurrenceCounterOptions given, OccurrenceSink& receiver)
      : options(std::move(given)),
        sink(receiver),
        cache({options.max_live, options.max_tombstones, options.tombstone_ttl}) {
    for (const Scope& scope : options.scopes) {
      scopes.emplace_back(!scope.label_selector.empty());
    }
  }

  Sighting See(const Change& change) const {
    const Event& event = change.event;
    Sighting sighting;
    sighting.uid = HashUid(event.uid, options.hash_seed);
    sighting.epoch = event.Epoch();
    sighting.total = event.Total();
    sighting.resource_version = ParseVersion(event.resource_version);
    sighting.creation_time = event.creation_time;
    sighting.has_series = event.has_series;
    sighting.was_there = change.kind == ChangeKind::kModified || change.kind == ChangeKind::kDeleted;
    return sighting;
  }

  RuleContext ContextOf(const Change& change, CountedScope& scope, const Sighting& sighting) const {
    RuleContext context = scope.ContextOf(change, sighting.resource_version);
    context.forgotten = cache.forgotten();
    context.forgot_living = cache.forgot_living();
    context.resumed.complete = context.resumed.complete && !cache.overflowed();
    if (!context.resumed.complete) {
      context.resumed.newest = std::max(context.resumed.newest, scope.resumed_newest_listed());
    }
    context.sync_period =
        options.sync_period.count() > 0 && change.server_time - scope.baseline_time() <= options.sync_period;
    return context;
  }

  // What a first list brought that has to be started again is stale.
  void ForgetFirstList(ScopeIndex index, WallTime server_time) {
    cache.DropLive(index);
    std::size_t& before = evicted_before[index];
    const bool some_evicted = cache.evicted() != before;
    if (scopes[index].list() > 1 && some_evicted) cache.ForgetTombstones(server_time);  // some are what it brought
    before = cache.evicted();
  }

  void PublishStats() {
    live.store(cache.live(), std::memory_order_relaxed);
    tombstones.store(cache.tombstones(), std::memory_order_relaxed);
    evicted.store(cache.evicted(), std::memory_order_relaxed);
  }

  OccurrenceCounterOptions options;
  OccurrenceSink& sink;
  EventCache cache;
  std::vector<CountedScope> scopes;
  std::vector<std::size_t> evicted_before = std::vector<std::size_t>(options.scopes.size());  // each first list
  std::atomic<std::size_t> live{0};
  std::atomic<std::size_t> tombstones{0};
  std::atomic<std::size_t> evicted{0};
};

OccurrenceCounter::OccurrenceCounter(OccurrenceCounterOptions options, OccurrenceSink& sink)
    : impl_(std::make_unique<Impl>(std::move(options), sink)) {}

OccurrenceCounter::~OccurrenceCounter() = default;

SavedCounts OccurrenceCounter::Export(std::size_t most) const {
  SavedCounts counts = ExportCounts(impl_->cache, impl_->scopes, most);
  counts.hash_seed = impl_->options.hash_seed;
  return counts;
}

void OccurrenceCounter::Restore(const SavedCounts& saved, WallTime now) {
  impl_->options.hash_seed = saved.hash_seed;
  const bool complete = RestoreTotals(saved, now, impl_->options.tombstone_ttl, impl_->cache);
  for (const SavedScope& scope : saved.scopes) impl_->scopes.at(scope.scope).Resume(scope, complete);
  impl_->PublishStats();
}

void OccurrenceCounter::OnListBegin(ScopeIndex index, ListReason reason, WallTime server_time) {
  CountedScope& scope = impl_->scopes.at(index);
  scope.BeginList(reason, server_time);
  if (reason == ListReason::kRestored) return impl_->cache.ForgetVersions(index);
  if (reason == ListReason::kFirst) impl_->ForgetFirstList(index, server_time);
}

void OccurrenceCounter::OnListCommitted(ScopeIndex index, std::string_view version, WallTime server_time) {
  CountedScope& scope = impl_->scopes.at(index);
  impl_->cache.BuryUnseen({index, scope.list()}, server_time);
  scope.CommitList(version, server_time);
  impl_->PublishStats();
}

void OccurrenceCounter::OnChange(const Change& change) {
  Impl& impl = *impl_;
  CountedScope& scope = impl.scopes.at(change.scope);
  impl.cache.Expire(change.server_time);

  const Event& event = change.event;
  const EventKey key = MakeEventKey(event.namespace_name, event.name, impl.options.hash_seed);
  const std::optional<Known> known = impl.cache.Find(key);
  const Sighting sighting = impl.See(change);
  const Verdict verdict = Decide(known, sighting, impl.ContextOf(change, scope, sighting));
  scope.Counted(change);

  const bool of_older_object = verdict.replay && known->uid != sighting.uid;
  if (verdict.later) {
    // Nothing to remember yet.
  } else if (change.kind != ChangeKind::kDeleted) {
    impl.cache.Put(key, verdict.known, {change.scope, scope.list()}, change.server_time);
  } else if (!of_older_object) {
    impl.cache.Bury(key, verdict.known, change.server_time);
  }
  impl.PublishStats();
  if (MeansSomething(verdict.occurrences)) impl.sink.OnOccurrences(change, verdict.occurrences);
}

OccurrenceCounterStats OccurrenceCounter::Stats() const {
  return {impl_->live.load(std::memory_order_relaxed), impl_->tombstones.load(std::memory_order_relaxed),
          impl_->evicted.load(std::memory_order_relaxed)};
}

}  // namespace kube_events
