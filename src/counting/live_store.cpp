#include "live_store.h"

namespace kube_events {

std::uint32_t EventCache::LiveStore::Find(const EventKey& key) const {
  const auto found = index_.find(key);
  return found == index_.end() ? kNone : *found;
}

std::uint32_t EventCache::LiveStore::Add(const EventKey& key) {
  const std::uint32_t place = TakePlace();
  At(place) = LiveEntry{};
  At(place).key = key;
  index_.insert(place);
  LinkNewest(place);
  return place;
}

void EventCache::LiveStore::Touch(std::uint32_t place) {
  if (newest_ == place) return;
  Unlink(At(place));
  LinkNewest(place);
}

void EventCache::LiveStore::Remove(std::uint32_t place) {
  LiveEntry& entry = At(place);
  index_.erase(index_.find(entry.key));
  Unlink(entry);
  entry.packed.last = 0;
  entry.older = free_;
  free_ = place;
}

std::uint32_t EventCache::LiveStore::TakePlace() {
  if (free_ != kNone) {
    const std::uint32_t place = free_;
    free_ = At(place).older;
    return place;
  }
  if (used_ % kChunk == 0) chunks_.push_back(std::make_unique<LiveEntry[]>(kChunk));
  return used_++;
}

void EventCache::LiveStore::LinkNewest(std::uint32_t place) {
  LiveEntry& entry = At(place);
  entry.newer = kNone;
  entry.older = newest_;
  (newest_ == kNone ? oldest_ : At(newest_).newer) = place;
  newest_ = place;
}

void EventCache::LiveStore::Unlink(const LiveEntry& entry) {
  (entry.newer == kNone ? newest_ : At(entry.newer).older) = entry.older;
  (entry.older == kNone ? oldest_ : At(entry.older).newer) = entry.newer;
}

std::size_t EventCache::LiveStore::MemoryBytes() const {
  return chunks_.size() * kChunk * sizeof(LiveEntry) + index_.capacity() * (sizeof(std::uint32_t) + 1);
}

}  // namespace kube_events
