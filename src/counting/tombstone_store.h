// The tombstones of EventCache: a queue in order of deletion, in chunks, and an index from key to position. One that
// is taken out of the middle leaves a hole, which goes when the front of the queue or the end of its chunk reaches it.
#pragma once

#include <absl/container/flat_hash_set.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>

#include "kube_events/counting/event_cache.h"
#include "packed.h"

namespace kube_events {

struct Tombstone {
  std::uint64_t key = 0;  // half of an EventKey: enough among some millions
  PackedKnown packed;     // last == 0: a hole
  std::uint32_t creation_seconds = 0;
  std::uint32_t buried_seconds = 0;
};
static_assert(sizeof(Tombstone) == 40, "what the memory bound is computed from");

class EventCache::TombstoneStore {
 public:
  TombstoneStore() : index_(0, Hash{this}, Equal{this}) {}
  TombstoneStore(const TombstoneStore&) = delete;
  TombstoneStore& operator=(const TombstoneStore&) = delete;

  // Valid until the next change.
  const Tombstone* Find(const EventKey& key) const;
  // Appends; the key must not be there yet.
  void Add(const EventKey& key, const Known& known, WallTime now);
  // Does nothing where there is none.
  void Remove(const EventKey& key);
  // The oldest tombstone, or nothing.
  const Tombstone* Oldest() const { return size() == 0 ? nullptr : &At(first_); }
  void RemoveOldest();
  // Until `visit` returns false.
  void VisitNewestFirst(FunctionRef<bool(const Tombstone&)> visit) const;

  std::size_t size() const { return index_.size(); }
  // Including holes; what the memory is used for.
  std::size_t places() const { return next_ - first_; }
  std::size_t MemoryBytes() const;

 private:
  static constexpr std::uint32_t kChunk = 1024;

  struct Chunk {
    std::array<Tombstone, kChunk> tombstones;
    std::uint32_t in_use = 0;
  };
  struct Hash {
    using is_transparent = void;
    const TombstoneStore* store;
    std::size_t operator()(std::uint32_t position) const { return store->At(position).key; }
    std::size_t operator()(std::uint64_t key) const { return key; }
  };
  struct Equal {
    using is_transparent = void;
    const TombstoneStore* store;
    bool operator()(std::uint32_t a, std::uint32_t b) const { return a == b; }
    bool operator()(std::uint32_t position, std::uint64_t key) const { return store->At(position).key == key; }
    bool operator()(std::uint64_t key, std::uint32_t position) const { return store->At(position).key == key; }
  };

  // Positions count up and wrap around; the first chunk starts at `base_`, a multiple of kChunk.
  std::uint32_t ChunkOf(std::uint32_t position) const { return (position - base_) / kChunk; }
  Tombstone& At(std::uint32_t position) { return chunks_[ChunkOf(position)]->tombstones[position % kChunk]; }
  const Tombstone& At(std::uint32_t position) const {
    return chunks_[ChunkOf(position)]->tombstones[position % kChunk];
  }
  void MakeHole(std::uint32_t position);
  void SkipHoles();

  std::deque<std::unique_ptr<Chunk>> chunks_;  // null: nothing but holes, and no place to add
  absl::flat_hash_set<std::uint32_t, Hash, Equal> index_;
  std::uint32_t base_ = 0;
  std::uint32_t first_ = 0;  // the oldest one
  std::uint32_t next_ = 0;   // where the next one goes
};

}  // namespace kube_events
