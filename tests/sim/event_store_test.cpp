#include "sim/event_store.h"

#include <map>

#include "sim/sim_test_support.h"

namespace kube_events::sim {
namespace {

using State = std::map<std::string, std::int32_t>;

State StateAt(const EventStore& store, std::uint64_t revision) {
  State state;
  for (const StoredEventPtr& event : store.List({.prefix = "", .start = "", .revision = revision}).items) {
    state[event->object().Key()] = event->object().count;
  }
  return state;
}

// Writes at random and keeps a copy of the state at every revision.
class RandomWriter {
 public:
  RandomWriter(std::uint64_t seed, EventStore& store) : random_(seed), store_(store) { states_[store.Revision()] = {}; }

  void Write() {
    const EventObject event = MakeEvent("ns-" + std::to_string(random_() % 3), "e-" + std::to_string(random_() % 12),
                                        static_cast<std::int32_t>(random_() % 1000 + 1));
    const bool exists = store_.Get(event.Key()) != nullptr;
    if (!exists) {
      store_.Create(event);
      state_[event.Key()] = event.count;
    } else if (random_() % 3 == 0) {
      store_.Delete(event.Key());
      state_.erase(event.Key());
    } else {
      store_.Update(event);
      state_[event.Key()] = event.count;
    }
    states_[store_.Revision()] = state_;
  }
  void RewindTo(std::uint64_t revision) {
    store_.Rewind(revision);
    states_.erase(states_.upper_bound(revision), states_.end());
    state_ = states_[revision];
  }
  std::uint64_t RandomRevision() {
    const std::uint64_t oldest = std::max(store_.CompactedRevision(), states_.begin()->first);
    return oldest + random_() % (store_.Revision() - oldest + 1);
  }
  const std::map<std::uint64_t, State>& states() const { return states_; }
  std::uint64_t Random(std::uint64_t below) { return random_() % below; }

 private:
  std::mt19937_64 random_;
  EventStore& store_;
  State state_;
  std::map<std::uint64_t, State> states_;
};

TEST(EventStore, ShowsEveryStateSinceTheLastCompaction) {
  const FakeClock clock;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    EventStore store({.history = seed % 2 == 0 ? 40U : 1'000U}, clock);
    RandomWriter writer(seed, store);
    for (int step = 0; step < 200; ++step) {
      writer.Write();
      if (writer.Random(40) == 0) store.Compact(writer.RandomRevision());
      if (writer.Random(60) == 0) writer.RewindTo(writer.RandomRevision());
    }
    for (const auto& [revision, state] : writer.states()) {
      if (revision < store.CompactedRevision()) continue;
      ASSERT_EQ(StateAt(store, revision), state) << "revision " << revision;
    }
    EXPECT_EQ(store.Size(), writer.states().rbegin()->second.size());
  }
}

TEST(EventStore, ChangesLeadFromAnyStateToTheLast) {
  const FakeClock clock;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    EventStore store({.history = 50}, clock);
    RandomWriter writer(seed, store);
    for (int step = 0; step < 150; ++step) writer.Write();
    const std::uint64_t from = writer.RandomRevision();
    ASSERT_TRUE(store.CanWatchFrom(from));
    State state = writer.states().at(from);
    for (std::uint64_t at = store.SequenceAfter(from); at < store.EndSequence(); ++at) {
      const StoreChange& change = *store.At(at);
      const std::string key = change.object->object().Key();
      EXPECT_EQ(state.contains(key), change.type != ChangeType::kAdded);
      EXPECT_EQ(change.previous == nullptr, change.type == ChangeType::kAdded);
      if (change.type == ChangeType::kDeleted) {
        state.erase(key);
      } else {
        state[key] = change.object->object().count;
      }
    }
    EXPECT_EQ(state, writer.states().rbegin()->second);
    EXPECT_FALSE(store.CanWatchFrom(store.CompactedRevision() - 2));
  }
}

TEST(EventStore, UpdateKeepsIdentityAndRecreationDoesNot) {
  const FakeClock clock;
  EventStore store({}, clock);
  const auto created = store.Create(MakeEvent("shop", "a"));
  const auto updated = store.Update(MakeEvent("shop", "a", 2));
  EXPECT_EQ(updated->object().metadata.uid, created->object().metadata.uid);
  EXPECT_GT(updated->revision(), created->revision());
  EXPECT_EQ(store.Create(MakeEvent("shop", "a")), nullptr);
  store.Delete("shop/a");
  EXPECT_EQ(store.Update(MakeEvent("shop", "a")), nullptr);
  EXPECT_EQ(store.Delete("shop/a"), nullptr);
  EXPECT_NE(store.Create(MakeEvent("shop", "a"))->object().metadata.uid, created->object().metadata.uid);
}

}  // namespace
}  // namespace kube_events::sim
