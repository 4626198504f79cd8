// Events with their history, as etcd keeps them: one revision that grows with every write, states that can be read at
// any revision since the last compaction, and the changes in order.
// Owned by the server; used on its thread only. Values that it hands out are immutable.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "kube_events/base/clock.h"
#include "sim/event_object.h"
#include "sim/selector.h"

namespace kube_events::sim {

// Where the store keeps a key; a handle that outlives its key is noticed.
struct StoreSlot {
  std::uint32_t index = 0;
  std::uint32_t generation = 0;
};

// One state of one Event; its JSON is rendered once per API, on first use (server thread only).
class StoredEvent {
 public:
  explicit StoredEvent(EventObject object, StoreSlot slot = {}) : object_(std::move(object)), slot_(slot) {}
  // Serves `fields` instead of a rendering, in both APIs: for objects that no typed value can express.
  StoredEvent(EventObject object, StoreSlot slot, const std::string& fields)
      : object_(std::move(object)), slot_(slot), rendered_{fields, fields} {}

  const EventObject& object() const { return object_; }
  StoreSlot slot() const { return slot_; }
  std::uint64_t revision() const { return object_.metadata.resource_version; }
  // `"metadata":{…},…}`: see AppendEventFields.
  const std::string& Fields(Api api) const;

 private:
  EventObject object_;
  StoreSlot slot_;
  mutable std::array<std::string, kApis> rendered_;
};
// Shared by the history, the current state and the watchers that still have to send it.
using StoredEventPtr = std::shared_ptr<const StoredEvent>;

enum class ChangeType { kAdded, kModified, kDeleted };

struct StoreChange {
  std::uint64_t revision = 0;
  ChangeType type = ChangeType::kAdded;
  StoredEventPtr object;    // of kDeleted: the last state with the revision of the deletion
  StoredEventPtr previous;  // null with kAdded
  WallTime time;
};

struct ListQuery {
  std::string prefix;  // of keys: "" or "namespace/"
  std::string start;   // first key that may be returned; empty: the first of the prefix
  std::uint64_t revision = 0;
  std::size_t limit = 0;  // 0: all
  const Selector* selector = nullptr;
};

struct ListPage {
  std::vector<StoredEventPtr> items;
  bool more = false;
  std::string last_key;  // of the last item
};

struct EventStoreOptions {
  std::size_t history = 50'000;      // changes kept; more are compacted away, oldest first
  std::uint64_t first_revision = 1;  // before the first write
  std::uint64_t seed = 1;            // of uids
};

class EventStore {
 public:
  EventStore(EventStoreOptions options, const Clock& clock);

  std::uint64_t Revision() const { return hiding_ ? visible_revision_ : revision_; }
  std::uint64_t CompactedRevision() const { return compacted_; }
  std::size_t Size() const { return live_; }

  // The current state; null where there is none. `key`: "namespace/name".
  StoredEventPtr Get(const std::string& key) const;
  // Each write sets the resourceVersion. Create also sets uid and creationTimestamp where they are unset, Update keeps
  // those that are stored. Null: Create found the key taken, the others did not find it.
  StoredEventPtr Create(EventObject event);
  StoredEventPtr CreateRaw(EventObject event, const std::function<std::string(const EventObject&)>& render);
  StoredEventPtr Update(EventObject event);
  StoredEventPtr Delete(const std::string& key);
  // The same without looking for the key, which `current` was read from. Null also where `current` is outdated.
  StoredEventPtr Replace(const StoredEvent& current, EventObject event);
  StoredEventPtr Remove(const StoredEvent& current);

  // The state at `query.revision`, which must not be below CompactedRevision().
  ListPage List(const ListQuery& query) const;
  // How many Events `query` has if it were not for its limit and its selector.
  std::size_t Count(const ListQuery& query) const;

  // Changes are numbered without gaps; EndSequence() is the number of the next one.
  std::uint64_t EndSequence() const { return hiding_ ? visible_end_ : first_sequence_ + changes_.size(); }
  // Null where it is compacted away.
  const StoreChange* At(std::uint64_t sequence) const;
  // The number of the first change after `revision`.
  std::uint64_t SequenceAfter(std::uint64_t revision) const;
  // Whether every change after `revision` is still there.
  bool CanWatchFrom(std::uint64_t revision) const { return revision + 1 >= compacted_; }

  // Forgets what was before `revision` (at most the current one).
  void Compact(std::uint64_t revision);
  // An etcd restored from a backup: the state of `revision` is the current one again, later changes never were.
  // Does nothing where that state is compacted away.
  void Rewind(std::uint64_t revision);

  // Changes written from now on stay out of lists and watches until they are revealed, in their order; with the last
  // of them hiding ends. Get() and writes are not affected: nobody else should write meanwhile.
  void Hide();
  void Reveal(std::size_t changes);
  std::size_t hidden() const { return first_sequence_ + changes_.size() - EndSequence(); }
  // Renders what is hidden, so that revealing it costs nothing but sending.
  void RenderHidden(Api api) const;

  // For writes of objects of other kinds: takes the next revision.
  std::uint64_t NextRevision() { return ++revision_; }

  // Called after each change; the one observer is the fan-out to watchers.
  void SetObserver(std::function<void()> observer) { observer_ = std::move(observer); }

 private:
  struct Version {
    std::uint64_t revision;
    StoredEventPtr object;  // null: deleted
  };
  // A key and its states. It is there as long as one of them can be read or the history has a change of it.
  struct Slot {
    std::string key;
    std::vector<Version> versions;
    std::uint32_t generation = 0;
  };

  // The slot of `key`, made where there is none.
  StoreSlot Acquire(const std::string& key);
  void Release(std::uint32_t index);
  const StoredEventPtr* Current(const StoredEvent& event) const;
  StoredEventPtr Store(ChangeType type, StoredEventPtr object, StoredEventPtr previous);
  bool PrepareCreate(EventObject& event, StoreSlot& slot);
  static StoredEventPtr StateAt(const Slot& slot, std::uint64_t revision);
  void Prune(std::uint32_t index);
  void TrimHistory();

  EventStoreOptions options_;
  const Clock& clock_;
  std::mt19937_64 random_;
  std::uint64_t revision_;
  std::uint64_t compacted_ = 0;
  std::deque<Slot> slots_;
  std::vector<std::uint32_t> free_slots_;
  std::unordered_map<std::string, std::uint32_t> keys_;  // also of what is deleted, until that is compacted away
  std::map<std::string, std::uint32_t> order_;           // the same, as lists go through them
  std::size_t live_ = 0;
  std::deque<StoreChange> changes_;
  std::uint64_t first_sequence_ = 0;
  bool hiding_ = false;
  std::uint64_t visible_end_ = 0;       // sequence of the first hidden change
  std::uint64_t visible_revision_ = 0;  // of the last change before it
  std::function<void()> observer_;
};

}  // namespace kube_events::sim
