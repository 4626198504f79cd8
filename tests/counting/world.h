// The part of a history that is not ours: writers with their memories, and the API server that stores what they
// write. Knows of every occurrence whether the server has shown it. Single-threaded; time moves only by Advance().
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "counting/history.h"
#include "kube_events/base/clock.h"
#include "kube_events/informer/change_consumer.h"

namespace kube_events::testing {

struct Occurrence {
  bool old = false;        // happened, or was shown, before the baseline list
  bool shown = false;      // the server has stored a state that includes it, and the selector matched that state
  bool delivered = false;  // such a state has reached the observer
  bool saved = false;      // … before it saved its last checkpoint
};

// What a writer counts from 1 on.
struct Run {
  std::string name;  // of its object
  OptionalTime epoch;
  std::vector<Occurrence> occurrences;
};

// One state of a stored object.
struct Object {
  std::size_t run = 0;
  std::string uid;
  std::int64_t total = 1;
  OptionalTime epoch;
  bool series_writer = false;
  bool matches = true;
  std::uint64_t version = 0;
  WallTime created;
};

struct WatchEvent {
  ChangeKind kind = ChangeKind::kAdded;
  std::string name;
  Object object;
};

class World {
 public:
  explicit World(const History& history);

  // Runs a step that concerns writers or the server; others are ignored. `gap`: nobody sees what happens now except
  // through the next list.
  void Run(const Step& step, bool gap);
  // Everything that happened until now is older than the observation. Settles the writes that are under way: one
  // that is retried across the baseline is beyond the rules.
  void MarkBaseline();
  // The observer has seen this state.
  void MarkDelivered(const Object& object);
  // The observer has saved a checkpoint; it has crashed and forgets what was delivered since.
  void MarkSaved();
  void RollBack();

  WallTime now() const { return now_; }
  std::uint64_t version() const { return version_; }
  const std::map<std::string, Object>& objects() const { return objects_; }
  const std::vector<testing::Run>& runs() const { return runs_; }
  // What a watch would send, in order; the observer takes from the front.
  std::deque<WatchEvent>& log() { return log_; }

 private:
  struct Write {
    std::size_t run = 0;
    std::int64_t total = 1;
    OptionalTime epoch;
  };
  struct Writer {
    WriterSpec spec;
    bool has_run = false;
    std::size_t run = 0;
    int runs = 0;
    OptionalTime last_epoch;
    std::deque<Write> queue;
  };

  void Advance(std::chrono::milliseconds pause);
  void Occur(Writer& writer, StepKind how, bool gap);
  void Heartbeat(Writer& writer);
  void Retry(Writer& writer, bool gap);
  void NewRun(Writer& writer, bool gap);
  void Delete(const Writer& writer, std::int64_t choice);
  void Relabel(const Writer& writer);
  void Restore(std::int64_t versions);

  bool StartRun(Writer& writer);
  OptionalTime Epoch(const Writer& writer) const;
  Write CurrentWrite(const Writer& writer) const;
  bool Hidden(const Writer& writer) const;
  bool IsShown(const Write& write) const;
  bool IsReset(const Writer& writer) const;
  bool IsForgotten(const Writer& writer) const;
  void Apply(const Writer& writer, const Write& write);
  void Store(const std::string& name, const Object& object);
  void Remove(const std::string& name);
  bool Matches(const Object& object) const { return !selector_ || object.matches; }
  void Show(const Object& object);
  void Snapshot();

  bool selector_;
  bool forgets_soon_;
  bool restarts_;
  std::chrono::seconds ttl_;
  WallTime now_{std::chrono::seconds{1'767'225'600}};
  std::uint64_t version_ = 100;
  int uids_ = 0;
  std::vector<Writer> writers_;
  std::vector<testing::Run> runs_;
  std::map<std::string, Object> objects_;
  std::map<std::string, WallTime> deleted_at_;
  std::deque<WatchEvent> log_;
  std::vector<std::pair<std::uint64_t, std::map<std::string, Object>>> backups_;
};

}  // namespace kube_events::testing
