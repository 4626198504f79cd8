// What is known of every Event, by namespace/name: live objects, and tombstones of those deleted or evicted.
// Bounded, compact (64 bytes per live entry, 40 per tombstone, plus 6 to 12 for the index) and without copies of the
// whole when it grows. Owned by the OccurrenceCounter, used by one thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "kube_events/base/clock.h"
#include "kube_events/base/function_ref.h"
#include "kube_events/counting/rules.h"
#include "kube_events/kube/scope.h"

namespace kube_events {

// A namespace/name as a hash; at 128 bits two names do not meet.
struct EventKey {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  bool operator==(const EventKey&) const = default;
};
// `seed` keeps writers from choosing names that collide.
EventKey MakeEventKey(std::string_view namespace_name, std::string_view name, std::uint64_t seed);
// 32 bits: two objects of one name do not meet, and a checkpoint has little room.
std::uint32_t HashUid(std::string_view uid, std::uint64_t seed);

struct EventCacheOptions {
  std::size_t max_live = 2'000'000;        // 1 or more
  std::size_t max_tombstones = 4'000'000;  // 0 or more
  std::chrono::seconds tombstone_ttl{24 * 3600};
};

// Where an entry was seen last: the scope, and which of its lists came before or brought it.
struct SeenIn {
  ScopeIndex scope = 0;
  std::uint16_t list = 0;
};

class EventCache {
 public:
  explicit EventCache(const EventCacheOptions& options);
  ~EventCache();

  // What is known of the name, alive or not.
  std::optional<Known> Find(const EventKey& key) const;
  // Makes the entry live and the most recently seen. Beyond max_live the least recently seen become tombstones.
  void Put(const EventKey& key, const Known& known, SeenIn seen, WallTime now);
  // Makes the entry a tombstone: it keeps what is known, except the version.
  void Bury(const EventKey& key, const Known& known, WallTime now);
  // Buries the live entries of the scope that its list did not bring.
  void BuryUnseen(SeenIn list, WallTime now);
  // Drops the live entries of a scope without a trace.
  void DropLive(ScopeIndex scope);
  // Drops all tombstones, as if there were too many of them.
  void ForgetTombstones(WallTime now);
  // The versions of a scope's live entries mean nothing any more.
  void ForgetVersions(ScopeIndex scope);
  // Drops tombstones that are older than the TTL; cheap when there are none.
  void Expire(WallTime now);

  // Calls `visit` for every live entry, the most recently seen first, until it returns false.
  void VisitLive(FunctionRef<bool(const EventKey&, const Known&, ScopeIndex)> visit) const;
  // The same for tombstones, the latest first. Only the high half of their keys is kept; `buried`: when.
  void VisitTombstones(FunctionRef<bool(std::uint64_t key_high, const Known&, WallTime buried)> visit) const;

  // The newest epoch of all tombstones ever dropped, each capped at the time of dropping + 6 s, so that one clock in
  // the future cannot make every name look forgotten.
  OptionalTime forgotten() const { return forgotten_; }
  // Whether what was forgotten may be a living object, evicted because of max_live.
  bool forgot_living() const { return forgot_living_; }
  // Tombstones were dropped because there were too many of them.
  bool overflowed() const { return overflowed_; }
  std::size_t live() const;
  std::size_t tombstones() const;
  std::size_t evicted() const { return evicted_; }
  // Bytes allocated for entries and indexes.
  std::size_t MemoryBytes() const;

 private:
  class LiveStore;
  class TombstoneStore;

  void EvictOldest(WallTime now);
  void AddTombstone(const EventKey& key, const Known& known, WallTime now);
  void DropOldest(WallTime now);

  EventCacheOptions options_;
  std::unique_ptr<LiveStore> live_;
  std::unique_ptr<TombstoneStore> tombstones_;
  OptionalTime forgotten_;
  bool forgot_living_ = false;
  bool overflowed_ = false;
  std::size_t evicted_ = 0;
};

}  // namespace kube_events
