#include "sim/event_store.h"

#include <algorithm>
#include <utility>

#include "sim/event_json.h"
#include "sim/random_names.h"

namespace kube_events::sim {
namespace {

WallTime WholeSeconds(WallTime time) { return WallTime{std::chrono::floor<std::chrono::seconds>(time)}; }

}  // namespace

const std::string& StoredEvent::Fields(Api api) const {
  std::string& text = rendered_[static_cast<std::size_t>(api)];
  if (text.empty()) {
    text.reserve(1536);
    AppendEventFields(text, object_, api);
  }
  return text;
}

EventStore::EventStore(EventStoreOptions options, const Clock& clock)
    : options_(options), clock_(clock), random_(options.seed), revision_(options.first_revision) {}

StoreSlot EventStore::Acquire(const std::string& key) {
  const auto [entry, added] = keys_.try_emplace(key, 0);
  if (added) {
    if (free_slots_.empty()) {
      free_slots_.push_back(static_cast<std::uint32_t>(slots_.size()));
      slots_.emplace_back();
    }
    entry->second = free_slots_.back();
    free_slots_.pop_back();
    slots_[entry->second].key = key;
    order_.emplace(key, entry->second);
  }
  return {entry->second, slots_[entry->second].generation};
}

void EventStore::Release(std::uint32_t index) {
  Slot& slot = slots_[index];
  order_.erase(slot.key);
  keys_.erase(slot.key);
  ++slot.generation;
  free_slots_.push_back(index);
}

StoredEventPtr EventStore::Get(const std::string& key) const {
  const auto found = keys_.find(key);
  return found == keys_.end() ? nullptr : slots_[found->second].versions.back().object;
}

// The state that `event` is a copy of, if it is the present one still; else null.
const StoredEventPtr* EventStore::Current(const StoredEvent& event) const {
  const Slot& slot = slots_[event.slot().index];
  const bool valid = slot.generation == event.slot().generation && !slot.versions.empty();
  return valid && slot.versions.back().object.get() == &event ? &slot.versions.back().object : nullptr;
}

bool EventStore::PrepareCreate(EventObject& event, StoreSlot& slot) {
  if (event.metadata.namespace_name.empty()) event.metadata.namespace_name = "default";
  slot = Acquire(event.Key());
  const auto& versions = slots_[slot.index].versions;
  if (!versions.empty() && versions.back().object != nullptr) return false;
  event.metadata.resource_version = ++revision_;
  if (event.metadata.uid.empty()) event.metadata.uid = RandomUid(random_);
  if (!event.metadata.creation_time) event.metadata.creation_time = WholeSeconds(clock_.Wall());
  return true;
}

StoredEventPtr EventStore::Create(EventObject event) {
  StoreSlot slot;
  if (!PrepareCreate(event, slot)) return nullptr;
  return Store(ChangeType::kAdded, std::make_shared<const StoredEvent>(std::move(event), slot), nullptr);
}

StoredEventPtr EventStore::CreateRaw(EventObject event, const std::function<std::string(const EventObject&)>& render) {
  StoreSlot slot;
  if (!PrepareCreate(event, slot)) return nullptr;
  const std::string fields = render(event);
  return Store(ChangeType::kAdded, std::make_shared<const StoredEvent>(std::move(event), slot, fields), nullptr);
}

StoredEventPtr EventStore::Update(EventObject event) {
  const StoredEventPtr current = Get(event.Key());
  return current == nullptr ? nullptr : Replace(*current, std::move(event));
}

StoredEventPtr EventStore::Replace(const StoredEvent& current, EventObject event) {
  const StoredEventPtr* stored = Current(current);
  if (stored == nullptr) return nullptr;
  StoredEventPtr previous = *stored;
  event.metadata.resource_version = ++revision_;
  event.metadata.uid = previous->object().metadata.uid;
  event.metadata.creation_time = previous->object().metadata.creation_time;
  auto object = std::make_shared<const StoredEvent>(std::move(event), previous->slot());
  return Store(ChangeType::kModified, std::move(object), std::move(previous));
}

StoredEventPtr EventStore::Delete(const std::string& key) {
  const StoredEventPtr current = Get(key);
  return current == nullptr ? nullptr : Remove(*current);
}

StoredEventPtr EventStore::Remove(const StoredEvent& current) {
  const StoredEventPtr* stored = Current(current);
  if (stored == nullptr) return nullptr;
  StoredEventPtr previous = *stored;
  EventObject last = previous->object();
  last.metadata.resource_version = ++revision_;
  auto object = std::make_shared<const StoredEvent>(std::move(last), previous->slot());
  return Store(ChangeType::kDeleted, std::move(object), std::move(previous));
}

StoredEventPtr EventStore::Store(ChangeType type, StoredEventPtr object, StoredEventPtr previous) {
  const bool deleted = type == ChangeType::kDeleted;
  if (type == ChangeType::kAdded) ++live_;
  if (deleted) --live_;
  slots_[object->slot().index].versions.push_back({revision_, deleted ? nullptr : object});
  changes_.push_back({revision_, type, object, std::move(previous), clock_.Wall()});
  TrimHistory();
  if (observer_) observer_();
  return object;
}

StoredEventPtr EventStore::StateAt(const Slot& slot, std::uint64_t revision) {
  for (auto version = slot.versions.rbegin(); version != slot.versions.rend(); ++version) {
    if (version->revision <= revision) return version->object;
  }
  return nullptr;
}

ListPage EventStore::List(const ListQuery& query) const {
  ListPage page;
  for (auto entry = order_.lower_bound(std::max(query.start, query.prefix)); entry != order_.end(); ++entry) {
    if (!entry->first.starts_with(query.prefix)) break;
    const StoredEventPtr object = StateAt(slots_[entry->second], query.revision);
    if (object == nullptr) continue;
    if (query.limit != 0 && page.items.size() == query.limit) {
      page.more = true;
      break;
    }
    if (query.selector != nullptr && !query.selector->Matches(object->object())) continue;
    page.last_key = entry->first;
    page.items.push_back(object);
  }
  return page;
}

std::size_t EventStore::Count(const ListQuery& query) const {
  if (query.prefix.empty() && query.start.empty() && query.revision == revision_) return live_;
  std::size_t count = 0;
  for (auto entry = order_.lower_bound(std::max(query.start, query.prefix)); entry != order_.end(); ++entry) {
    if (!entry->first.starts_with(query.prefix)) break;
    if (StateAt(slots_[entry->second], query.revision) != nullptr) ++count;
  }
  return count;
}

const StoreChange* EventStore::At(std::uint64_t sequence) const {
  if (sequence < first_sequence_ || sequence >= EndSequence()) return nullptr;
  return &changes_[sequence - first_sequence_];
}

std::uint64_t EventStore::SequenceAfter(std::uint64_t revision) const {
  const auto after =
      std::upper_bound(changes_.begin(), changes_.end(), revision,
                       [](std::uint64_t wanted, const StoreChange& change) { return wanted < change.revision; });
  return first_sequence_ + static_cast<std::uint64_t>(after - changes_.begin());
}

void EventStore::Compact(std::uint64_t revision) {
  revision = std::min(revision, Revision());
  if (revision <= compacted_) return;
  compacted_ = revision;
  for (const StoreChange& change : changes_) {
    if (change.revision > revision) break;
    Prune(change.object->slot().index);
  }
  while (!changes_.empty() && changes_.front().revision < revision) {
    changes_.pop_front();
    ++first_sequence_;
  }
}

void EventStore::TrimHistory() {
  while (changes_.size() > options_.history) {
    compacted_ = changes_.front().revision + 1;
    const std::uint32_t index = changes_.front().object->slot().index;
    changes_.pop_front();
    ++first_sequence_;
    Prune(index);
  }
}

void EventStore::Prune(std::uint32_t index) {
  std::vector<Version>& versions = slots_[index].versions;
  if (versions.empty()) return;
  // The last state at or before the compaction is the oldest that can still be read.
  auto oldest = std::find_if(versions.begin(), versions.end(),
                             [&](const Version& version) { return version.revision > compacted_; });
  if (oldest != versions.begin()) --oldest;
  if (oldest->object == nullptr && oldest->revision < compacted_) ++oldest;
  versions.erase(versions.begin(), oldest);
  if (versions.empty()) Release(index);
}

void EventStore::Hide() {
  if (hiding_) return;
  visible_end_ = EndSequence();
  visible_revision_ = revision_;
  hiding_ = true;
}

void EventStore::Reveal(std::size_t changes) {
  if (!hiding_) return;
  changes = std::min(changes, hidden());
  visible_end_ += changes;
  if (changes > 0) visible_revision_ = At(visible_end_ - 1)->revision;
  hiding_ = hidden() > 0;
  if (observer_) observer_();
}

void EventStore::RenderHidden(Api api) const {
  for (std::size_t i = changes_.size() - hidden(); i < changes_.size(); ++i) changes_[i].object->Fields(api);
}

void EventStore::Rewind(std::uint64_t revision) {
  if (revision >= revision_ || revision < compacted_) return;
  while (!changes_.empty() && changes_.back().revision > revision) changes_.pop_back();
  live_ = 0;
  for (std::uint32_t index = 0; index < slots_.size(); ++index) {
    std::vector<Version>& versions = slots_[index].versions;
    if (versions.empty()) continue;
    std::erase_if(versions, [&](const Version& version) { return version.revision > revision; });
    if (versions.empty()) {
      Release(index);
    } else if (versions.back().object != nullptr) {
      ++live_;
    }
  }
  revision_ = revision;
}

}  // namespace kube_events::sim
