#include "kube_events/counting/event_cache.h"

#include <xxhash.h>

#include <algorithm>

#include "live_store.h"
#include "packed.h"
#include "tombstone_store.h"

namespace kube_events {
namespace {

constexpr std::chrono::seconds kFutureAllowance{6};

Known UnpackLive(const LiveEntry& entry) {
  Known known = Unpack(entry.packed);
  known.resource_version = entry.resource_version;
  known.creation_time = UnpackSeconds(entry.creation_seconds);
  return known;
}

Known UnpackTombstone(const Tombstone& tombstone) {
  Known known = Unpack(tombstone.packed);
  known.creation_time = UnpackSeconds(tombstone.creation_seconds);
  return known;
}

}  // namespace

EventKey MakeEventKey(std::string_view namespace_name, std::string_view name, std::uint64_t seed) {
  // The namespace becomes the seed for the name, which spares a copy of both into one string.
  const XXH64_hash_t name_seed = XXH3_64bits_withSeed(namespace_name.data(), namespace_name.size(), seed);
  const XXH128_hash_t hash = XXH3_128bits_withSeed(name.data(), name.size(), name_seed);
  return {hash.high64, hash.low64};
}

std::uint32_t HashUid(std::string_view uid, std::uint64_t seed) {
  return static_cast<std::uint32_t>(XXH3_64bits_withSeed(uid.data(), uid.size(), seed));
}

EventCache::EventCache(const EventCacheOptions& options)
    : options_(options), live_(std::make_unique<LiveStore>()), tombstones_(std::make_unique<TombstoneStore>()) {
  options_.max_live = std::max<std::size_t>(options_.max_live, 1);
}

EventCache::~EventCache() = default;

std::optional<Known> EventCache::Find(const EventKey& key) const {
  if (const std::uint32_t place = live_->Find(key); place != LiveStore::kNone) return UnpackLive(live_->At(place));
  const Tombstone* tombstone = tombstones_->Find(key);
  if (tombstone == nullptr) return std::nullopt;
  return UnpackTombstone(*tombstone);
}

void EventCache::Put(const EventKey& key, const Known& known, SeenIn seen, WallTime now) {
  std::uint32_t place = live_->Find(key);
  if (place == LiveStore::kNone) {
    tombstones_->Remove(key);
    place = live_->Add(key);
  } else {
    live_->Touch(place);
  }
  LiveEntry& entry = live_->At(place);
  entry.packed = Pack(known);
  entry.resource_version = known.resource_version;
  entry.creation_seconds = PackSeconds(known.creation_time);
  entry.seen = seen;
  while (live_->size() > options_.max_live) EvictOldest(now);
}

void EventCache::EvictOldest(WallTime now) {
  const LiveEntry& oldest = live_->At(live_->LeastRecentlySeen());
  Known known = UnpackLive(oldest);
  // A first list that breaks off may have brought it: the baseline is then a later state than this one.
  known.series_at_baseline = known.baselined;
  ++evicted_;
  Bury(oldest.key, known, now);
}

void EventCache::Bury(const EventKey& key, const Known& known, WallTime now) {
  const EventKey buried = key;  // `key` may be part of the entry that is removed
  if (const std::uint32_t place = live_->Find(buried); place != LiveStore::kNone) live_->Remove(place);
  AddTombstone(buried, known, now);
}

void EventCache::BuryUnseen(SeenIn list, WallTime now) {
  for (std::uint32_t place = 0; place < live_->end(); ++place) {
    const LiveEntry& entry = live_->At(place);
    const bool unseen = entry.InUse() && entry.seen.scope == list.scope && entry.seen.list != list.list;
    if (unseen) Bury(entry.key, UnpackLive(entry), now);
  }
}

void EventCache::DropLive(ScopeIndex scope) {
  for (std::uint32_t place = 0; place < live_->end(); ++place) {
    const LiveEntry& entry = live_->At(place);
    if (entry.InUse() && entry.seen.scope == scope) live_->Remove(place);
  }
}

void EventCache::ForgetTombstones(WallTime now) {
  while (tombstones_->Oldest() != nullptr) DropOldest(now);
}

void EventCache::ForgetVersions(ScopeIndex scope) {
  for (std::uint32_t place = 0; place < live_->end(); ++place) {
    LiveEntry& entry = live_->At(place);
    if (entry.seen.scope == scope) entry.resource_version = 0;
  }
}

void EventCache::VisitLive(FunctionRef<bool(const EventKey&, const Known&, ScopeIndex)> visit) const {
  for (std::uint32_t place = live_->MostRecentlySeen(); place != LiveStore::kNone; place = live_->At(place).older) {
    const LiveEntry& entry = live_->At(place);
    if (!visit(entry.key, UnpackLive(entry), entry.seen.scope)) return;
  }
}

void EventCache::VisitTombstones(FunctionRef<bool(std::uint64_t, const Known&, WallTime)> visit) const {
  tombstones_->VisitNewestFirst([&](const Tombstone& tombstone) {
    return visit(tombstone.key, UnpackTombstone(tombstone), WallTime{std::chrono::seconds{tombstone.buried_seconds}});
  });
}

void EventCache::Expire(WallTime now) {
  const WallTime limit = now - options_.tombstone_ttl;
  while (const Tombstone* oldest = tombstones_->Oldest()) {
    if (WallTime{std::chrono::seconds{oldest->buried_seconds}} > limit) return;
    DropOldest(now);
  }
}

void EventCache::AddTombstone(const EventKey& key, const Known& known, WallTime now) {
  tombstones_->Remove(key);
  tombstones_->Add(key, known, now);
  // Holes take memory as well: twice the bound is the most that they may make of it.
  while (tombstones_->size() > options_.max_tombstones || tombstones_->places() > 2 * options_.max_tombstones + 1) {
    overflowed_ = true;
    DropOldest(now);
  }
}

void EventCache::DropOldest(WallTime now) {
  if (const OptionalTime epoch = UnpackEpoch(tombstones_->Oldest()->packed.epoch_us)) {
    forgotten_ = std::max(forgotten_, OptionalTime{std::min(*epoch, now + kFutureAllowance)});
  }
  forgot_living_ = forgot_living_ || evicted_ > 0;
  tombstones_->RemoveOldest();
}

std::size_t EventCache::live() const { return live_->size(); }
std::size_t EventCache::tombstones() const { return tombstones_->size(); }
std::size_t EventCache::MemoryBytes() const { return live_->MemoryBytes() + tombstones_->MemoryBytes(); }

}  // namespace kube_events
