#include "tombstone_store.h"

#include <algorithm>

namespace kube_events {

const Tombstone* EventCache::TombstoneStore::Find(const EventKey& key) const {
  const auto found = index_.find(key.high);
  return found == index_.end() ? nullptr : &At(*found);
}

void EventCache::TombstoneStore::Add(const EventKey& key, const Known& known, WallTime now) {
  if (next_ % kChunk == 0) chunks_.push_back(std::make_unique<Chunk>());
  const std::uint32_t position = next_++;
  Tombstone& tombstone = At(position);
  tombstone.key = key.high;
  tombstone.packed = Pack(known);
  tombstone.creation_seconds = PackSeconds(known.creation_time);
  tombstone.buried_seconds = PackSeconds(now);
  ++chunks_.back()->in_use;
  index_.insert(position);
}

void EventCache::TombstoneStore::Remove(const EventKey& key) {
  const auto found = index_.find(key.high);
  if (found == index_.end()) return;
  const std::uint32_t position = *found;
  index_.erase(found);
  MakeHole(position);
}

void EventCache::TombstoneStore::RemoveOldest() {
  index_.erase(index_.find(At(first_).key));
  MakeHole(first_);
}

void EventCache::TombstoneStore::MakeHole(std::uint32_t position) {
  std::unique_ptr<Chunk>& chunk = chunks_[ChunkOf(position)];
  At(position).packed.last = 0;
  const bool complete = ChunkOf(position) != ChunkOf(next_);
  if (--chunk->in_use == 0 && complete) chunk.reset();
  SkipHoles();
}

// Moves the front of the queue to the oldest tombstone, or to the end.
void EventCache::TombstoneStore::SkipHoles() {
  while (first_ != next_) {
    const std::unique_ptr<Chunk>& chunk = chunks_[ChunkOf(first_)];
    if (chunk && At(first_).packed.last != 0) return;
    ++first_;
    if (first_ % kChunk != 0) continue;
    chunks_.pop_front();
    base_ = first_;
  }
}

void EventCache::TombstoneStore::VisitNewestFirst(FunctionRef<bool(const Tombstone&)> visit) const {
  for (std::uint32_t position = next_; position != first_; --position) {
    const bool in_use = chunks_[ChunkOf(position - 1)] && At(position - 1).packed.last != 0;
    if (in_use && !visit(At(position - 1))) return;
  }
}

std::size_t EventCache::TombstoneStore::MemoryBytes() const {
  const auto kept = std::count_if(chunks_.begin(), chunks_.end(), [](const auto& chunk) { return chunk != nullptr; });
  return static_cast<std::size_t>(kept) * sizeof(Chunk) + index_.capacity() * (sizeof(std::uint32_t) + 1);
}

}  // namespace kube_events
