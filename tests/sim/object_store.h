// ConfigMaps, Leases and Namespaces as JSON, with so much history that lists can be read at a revision and etcd can be
// put back. Revisions are those of the EventStore, as all kinds share one etcd.
// Owned by the server; used on its thread only.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>

#include "sim/event_store.h"
#include "sim/resource_request.h"

namespace kube_events::sim {

// Immutable, with its resourceVersion in its metadata.
using ObjectPtr = std::shared_ptr<const nlohmann::json>;

class ObjectStore {
 public:
  // `revisions` must outlive the store.
  explicit ObjectStore(EventStore& revisions) : revisions_(revisions) {}

  // Null where there is none. `key`: "namespace/name", or "name" of a Namespace.
  ObjectPtr Get(ResourceKind kind, const std::string& key) const;
  // Stores `object` at the next revision, in place of what was there.
  ObjectPtr Put(ResourceKind kind, const std::string& key, nlohmann::json object);
  // Stores what has been there from the beginning.
  void Preset(ResourceKind kind, const std::string& key, nlohmann::json object);
  void Remove(ResourceKind kind, const std::string& key);

  // The objects of a kind by key, as they were at `revision`, which must not be compacted away.
  std::map<std::string, ObjectPtr> At(ResourceKind kind, std::uint64_t revision) const;
  // The state of `revision` is the current one again.
  void Rewind(std::uint64_t revision);

 private:
  using Id = std::pair<ResourceKind, std::string>;
  struct Change {
    std::uint64_t revision = 0;
    Id id;
    ObjectPtr previous;  // null: there was none
  };

  // Notes that the object is about to change, at the revision that it returns.
  std::uint64_t NoteChange(const Id& id);

  EventStore& revisions_;
  std::map<Id, ObjectPtr> objects_;
  std::deque<Change> changes_;  // since the last compaction
};

}  // namespace kube_events::sim
