#include "kube_events/counting/occurrence_counter.h"

#include <optional>
#include <string_view>
#include <utility>

#include "kube_events/base/resource_version.h"
#include "kube_events/counting/event_cache.h"
#include "kube_events/counting/rules.h"

namespace kube_events {
namespace {

// 0 where the version is no number; such a state counts as changed.
std::uint64_t ParseVersion(std::string_view text) { return ParseResourceVersion(text).value_or(0); }

struct CountedScope {
  bool label_selector = false;
  // Of the list being read or read last.
  ListReason reason = ListReason::kFirst;
  std::uint16_t list = 0;
  std::size_t evicted_before = 0;                              // by all scopes, when a first list began
  WallTime horizon = WallTime::max() - std::chrono::hours{1};  // nothing is fresh before the first list
  WallTime baseline_time;
};

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
      scopes.emplace_back().label_selector = !scope.label_selector.empty();
    }
  }

  Sighting See(const Event& event) const {
    Sighting sighting;
    sighting.uid = HashUid(event.uid, options.hash_seed);
    sighting.epoch = event.Epoch();
    sighting.total = event.Total();
    sighting.resource_version = ParseVersion(event.resource_version);
    sighting.creation_time = event.creation_time;
    sighting.has_series = event.has_series;
    return sighting;
  }

  RuleContext ContextOf(const Change& change, const CountedScope& scope) const {
    RuleContext context;
    if (change.kind == ChangeKind::kListed && scope.reason == ListReason::kFirst) context.moment = Moment::kFirstList;
    if (change.kind == ChangeKind::kListed && scope.reason == ListReason::kRestored) {
      context.moment = Moment::kRestoredList;
    }
    context.now = change.server_time;
    context.horizon = scope.horizon;
    context.forgotten = cache.forgotten();
    context.forgot_living = cache.forgot_living();
    context.label_selector = scope.label_selector;
    context.sync_period =
        options.sync_period.count() > 0 && change.server_time - scope.baseline_time <= options.sync_period;
    return context;
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
  std::atomic<std::size_t> live{0};
  std::atomic<std::size_t> tombstones{0};
  std::atomic<std::size_t> evicted{0};
};

OccurrenceCounter::OccurrenceCounter(OccurrenceCounterOptions options, OccurrenceSink& sink)
    : impl_(std::make_unique<Impl>(std::move(options), sink)) {}

OccurrenceCounter::~OccurrenceCounter() = default;

void OccurrenceCounter::OnListBegin(ScopeIndex index, ListReason reason, WallTime server_time) {
  CountedScope& scope = impl_->scopes.at(index);
  scope.reason = reason;
  ++scope.list;
  if (reason == ListReason::kRelist) return;
  scope.horizon = server_time;
  if (reason == ListReason::kRestored) return impl_->cache.ForgetVersions(index);
  // A first list that has to be started again is a later baseline: what happened between the two attempts is in the
  // second one and adds nothing, so observation begins with that one, and what the first attempt brought is stale.
  scope.baseline_time = server_time;
  impl_->cache.DropLive(index);
  const bool evicted = impl_->cache.evicted() != scope.evicted_before;
  if (scope.list > 1 && evicted) impl_->cache.ForgetTombstones(server_time);  // some are what it brought
  scope.evicted_before = impl_->cache.evicted();
}

void OccurrenceCounter::OnListCommitted(ScopeIndex index, WallTime server_time) {
  impl_->cache.BuryUnseen({index, impl_->scopes.at(index).list}, server_time);
  impl_->PublishStats();
}

void OccurrenceCounter::OnChange(const Change& change) {
  Impl& impl = *impl_;
  const CountedScope& scope = impl.scopes.at(change.scope);
  impl.cache.Expire(change.server_time);

  const Event& event = change.event;
  const EventKey key = MakeEventKey(event.namespace_name, event.name, impl.options.hash_seed);
  const std::optional<Known> known = impl.cache.Find(key);
  const Sighting sighting = impl.See(event);
  const Verdict verdict = Decide(known, sighting, impl.ContextOf(change, scope));

  const bool of_older_object = verdict.replay && known->uid != sighting.uid;
  if (change.kind != ChangeKind::kDeleted) {
    impl.cache.Put(key, verdict.known, {change.scope, scope.list}, change.server_time);
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
