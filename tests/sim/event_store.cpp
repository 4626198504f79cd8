#include "sim/event_store.h"

#include <algorithm>
#include <utility>

#include "sim/event_json.h"

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

StoredEventPtr EventStore::Get(const std::string& key) const {
  const auto found = keys_.find(key);
  return found == keys_.end() ? nullptr : found->second.back().object;
}

bool EventStore::PrepareCreate(EventObject& event) {
  if (event.metadata.namespace_name.empty()) event.metadata.namespace_name = "default";
  if (Get(event.Key()) != nullptr) return false;
  event.metadata.resource_version = ++revision_;
  if (event.metadata.uid.empty()) event.metadata.uid = NewUid();
  if (!event.metadata.creation_time) event.metadata.creation_time = WholeSeconds(clock_.Wall());
  return true;
}

StoredEventPtr EventStore::Create(EventObject event) {
  if (!PrepareCreate(event)) return nullptr;
  return Store(ChangeType::kAdded, std::make_shared<const StoredEvent>(std::move(event)), nullptr);
}

StoredEventPtr EventStore::CreateRaw(EventObject event, const std::function<std::string(const EventObject&)>& render) {
  if (!PrepareCreate(event)) return nullptr;
  std::string fields = render(event);
  return Store(ChangeType::kAdded, std::make_shared<const StoredEvent>(std::move(event), std::move(fields)), nullptr);
}

StoredEventPtr EventStore::Update(EventObject event) {
  StoredEventPtr previous = Get(event.Key());
  if (previous == nullptr) return nullptr;
  event.metadata.resource_version = ++revision_;
  event.metadata.uid = previous->object().metadata.uid;
  event.metadata.creation_time = previous->object().metadata.creation_time;
  return Store(ChangeType::kModified, std::make_shared<const StoredEvent>(std::move(event)), std::move(previous));
}

StoredEventPtr EventStore::Delete(const std::string& key) {
  StoredEventPtr previous = Get(key);
  if (previous == nullptr) return nullptr;
  EventObject last = previous->object();
  last.metadata.resource_version = ++revision_;
  return Store(ChangeType::kDeleted, std::make_shared<const StoredEvent>(std::move(last)), std::move(previous));
}

StoredEventPtr EventStore::Store(ChangeType type, StoredEventPtr object, StoredEventPtr previous) {
  const bool deleted = type == ChangeType::kDeleted;
  if (type == ChangeType::kAdded) ++live_;
  if (deleted) --live_;
  keys_[object->object().Key()].push_back({revision_, deleted ? nullptr : object});
  changes_.push_back({revision_, type, object, std::move(previous)});
  TrimHistory();
  if (observer_) observer_();
  return object;
}

const StoredEvent* EventStore::StateAt(const Versions& versions, std::uint64_t revision, StoredEventPtr* out) {
  for (auto version = versions.rbegin(); version != versions.rend(); ++version) {
    if (version->revision > revision) continue;
    if (out != nullptr) *out = version->object;
    return version->object.get();
  }
  return nullptr;
}

ListPage EventStore::List(const ListQuery& query) const {
  ListPage page;
  for (auto entry = keys_.lower_bound(std::max(query.start, query.prefix)); entry != keys_.end(); ++entry) {
    if (!entry->first.starts_with(query.prefix)) break;
    StoredEventPtr object;
    if (StateAt(entry->second, query.revision, &object) == nullptr) continue;
    if (query.limit != 0 && page.items.size() == query.limit) {
      page.more = true;
      break;
    }
    if (query.selector != nullptr && !query.selector->Matches(object->object())) continue;
    page.last_key = entry->first;
    page.items.push_back(std::move(object));
  }
  return page;
}

std::size_t EventStore::Count(const std::string& prefix) const {
  if (prefix.empty()) return live_;
  std::size_t count = 0;
  for (auto entry = keys_.lower_bound(prefix); entry != keys_.end() && entry->first.starts_with(prefix); ++entry) {
    if (entry->second.back().object != nullptr) ++count;
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
  revision = std::min(revision, revision_);
  if (revision <= compacted_) return;
  compacted_ = revision;
  for (const StoreChange& change : changes_) {
    if (change.revision > revision) break;
    Prune(change.object->object().Key());
  }
  while (!changes_.empty() && changes_.front().revision < revision) {
    changes_.pop_front();
    ++first_sequence_;
  }
}

void EventStore::TrimHistory() {
  while (changes_.size() > options_.history) {
    compacted_ = changes_.front().revision + 1;
    const std::string key = changes_.front().object->object().Key();
    changes_.pop_front();
    ++first_sequence_;
    Prune(key);
  }
}

void EventStore::Prune(const std::string& key) {
  const auto entry = keys_.find(key);
  if (entry == keys_.end()) return;
  Versions& versions = entry->second;
  // The last state at or before the compaction is the oldest that can still be read.
  auto oldest = std::find_if(versions.begin(), versions.end(),
                             [&](const Version& version) { return version.revision > compacted_; });
  if (oldest != versions.begin()) --oldest;
  if (oldest->object == nullptr && oldest->revision <= compacted_) ++oldest;
  versions.erase(versions.begin(), oldest);
  if (versions.empty()) keys_.erase(entry);
}

void EventStore::Rewind(std::uint64_t revision) {
  if (revision >= revision_ || revision < compacted_) return;
  while (!changes_.empty() && changes_.back().revision > revision) changes_.pop_back();
  for (auto entry = keys_.begin(); entry != keys_.end();) {
    std::erase_if(entry->second, [&](const Version& version) { return version.revision > revision; });
    entry = entry->second.empty() ? keys_.erase(entry) : std::next(entry);
  }
  live_ = static_cast<std::size_t>(std::count_if(
      keys_.begin(), keys_.end(), [](const auto& entry) { return entry.second.back().object != nullptr; }));
  revision_ = revision;
}

std::string EventStore::NewUid() {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string uid = "xxxxxxxx-xxxx-4xxx-8xxx-xxxxxxxxxxxx";
  std::uint64_t bits = 0;
  int left = 0;
  for (char& c : uid) {
    if (c != 'x') continue;
    if (left == 0) bits = random_();
    left = left == 0 ? 15 : left - 1;
    c = kHex[bits & 0xfU];
    bits >>= 4U;
  }
  return uid;
}

}  // namespace kube_events::sim
