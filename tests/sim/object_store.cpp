#include "sim/object_store.h"

#include <nlohmann/json.hpp>

namespace kube_events::sim {
namespace {

ObjectPtr AtRevision(nlohmann::json object, std::uint64_t revision) {
  object["metadata"]["resourceVersion"] = std::to_string(revision);
  return std::make_shared<const nlohmann::json>(std::move(object));
}

// Puts back what was there before a change.
template <typename Map, typename Key>
void Restore(Map& map, const Key& key, const ObjectPtr& previous) {
  if (previous == nullptr) {
    map.erase(key);
  } else {
    map[key] = previous;
  }
}

}  // namespace

ObjectPtr ObjectStore::Get(ResourceKind kind, const std::string& key) const {
  const auto found = objects_.find({kind, key});
  return found == objects_.end() ? nullptr : found->second;
}

ObjectPtr ObjectStore::Put(ResourceKind kind, const std::string& key, nlohmann::json object) {
  const Id id{kind, key};
  const std::uint64_t revision = NoteChange(id);
  return objects_[id] = AtRevision(std::move(object), revision);
}

void ObjectStore::Preset(ResourceKind kind, const std::string& key, nlohmann::json object) {
  objects_[{kind, key}] = AtRevision(std::move(object), revisions_.Revision());
}

void ObjectStore::Remove(ResourceKind kind, const std::string& key) {
  const Id id{kind, key};
  NoteChange(id);
  objects_.erase(id);
}

std::uint64_t ObjectStore::NoteChange(const Id& id) {
  const std::uint64_t revision = revisions_.NextRevision();
  changes_.push_back({revision, id, Get(id.first, id.second)});
  while (changes_.front().revision <= revisions_.CompactedRevision()) changes_.pop_front();
  return revision;
}

std::map<std::string, ObjectPtr> ObjectStore::At(ResourceKind kind, std::uint64_t revision) const {
  std::map<std::string, ObjectPtr> state;
  for (auto entry = objects_.lower_bound({kind, ""}); entry != objects_.end() && entry->first.first == kind; ++entry) {
    state.emplace(entry->first.second, entry->second);
  }
  for (auto change = changes_.rbegin(); change != changes_.rend() && change->revision > revision; ++change) {
    if (change->id.first == kind) Restore(state, change->id.second, change->previous);
  }
  return state;
}

void ObjectStore::Rewind(std::uint64_t revision) {
  for (; !changes_.empty() && changes_.back().revision > revision; changes_.pop_back()) {
    Restore(objects_, changes_.back().id, changes_.back().previous);
  }
}

}  // namespace kube_events::sim
