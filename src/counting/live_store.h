// The live entries of EventCache: fixed places in chunks, an index from key to place, and the order of last sight.
#pragma once

#include <absl/container/flat_hash_set.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "kube_events/counting/event_cache.h"
#include "packed.h"

namespace kube_events {

struct LiveEntry {
  EventKey key;
  PackedKnown packed;
  std::uint64_t resource_version = 0;
  std::uint32_t creation_seconds = 0;
  std::uint32_t newer = 0;  // neighbours in the order of last sight; of a free place, `older` is the next free one
  std::uint32_t older = 0;
  SeenIn seen;

  bool InUse() const { return packed.last != 0; }
};
static_assert(sizeof(LiveEntry) == 64, "one cache line, and what the memory bound is computed from");

class EventCache::LiveStore {
 public:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  LiveStore() : index_(0, Hash{this}, Equal{this}) {}
  LiveStore(const LiveStore&) = delete;
  LiveStore& operator=(const LiveStore&) = delete;

  // The place of the key, or kNone.
  std::uint32_t Find(const EventKey& key) const;
  LiveEntry& At(std::uint32_t place) { return chunks_[place / kChunk][place % kChunk]; }
  const LiveEntry& At(std::uint32_t place) const { return chunks_[place / kChunk][place % kChunk]; }
  // A new entry, the most recently seen; the key must not be there yet.
  std::uint32_t Add(const EventKey& key);
  // Makes an entry the most recently seen.
  void Touch(std::uint32_t place);
  void Remove(std::uint32_t place);
  std::uint32_t LeastRecentlySeen() const { return oldest_; }
  std::uint32_t MostRecentlySeen() const { return newest_; }

  std::size_t size() const { return index_.size(); }
  // Places below this one may be in use.
  std::uint32_t end() const { return used_; }
  std::size_t MemoryBytes() const;

 private:
  static constexpr std::uint32_t kChunk = 1024;

  struct Hash {
    using is_transparent = void;
    const LiveStore* store;
    std::size_t operator()(std::uint32_t place) const { return store->At(place).key.low; }
    std::size_t operator()(const EventKey& key) const { return key.low; }
  };
  struct Equal {
    using is_transparent = void;
    const LiveStore* store;
    bool operator()(std::uint32_t a, std::uint32_t b) const { return a == b; }
    bool operator()(std::uint32_t place, const EventKey& key) const { return store->At(place).key == key; }
    bool operator()(const EventKey& key, std::uint32_t place) const { return store->At(place).key == key; }
  };

  std::uint32_t TakePlace();
  void LinkNewest(std::uint32_t place);
  void Unlink(const LiveEntry& entry);

  std::vector<std::unique_ptr<LiveEntry[]>> chunks_;
  absl::flat_hash_set<std::uint32_t, Hash, Equal> index_;
  std::uint32_t used_ = 0;      // places handed out so far
  std::uint32_t free_ = kNone;  // first of the places given back
  std::uint32_t newest_ = kNone;
  std::uint32_t oldest_ = kNone;
};

}  // namespace kube_events
