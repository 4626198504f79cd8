// Keeps a checkpoint up to date: loads it at the start, takes what is to be saved from the informer thread, and writes
// it on a thread of its own, so that a slow or unreachable store never holds up the watch.
// Owned by the composition root; who calls what is said at each method.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "kube_events/base/backoff.h"
#include "kube_events/base/clock.h"
#include "kube_events/base/health.h"
#include "kube_events/base/logging.h"
#include "kube_events/base/trouble_log.h"
#include "kube_events/counting/occurrence_counter.h"
#include "kube_events/informer/informer_monitor.h"
#include "kube_events/state/checkpoint_store.h"

namespace kube_events {

// What is told about checkpoints. Implemented by the composition root; any thread, must not block.
class CheckpointMonitor {
 public:
  virtual ~CheckpointMonitor() = default;
  // A write was tried: `result` is a label value, "ok" or why it failed (conflict, forbidden, too_large, error).
  // `saved` is null unless it is "ok". A conflict with a process that is behind is told before the "ok" that replaces
  // what it wrote.
  virtual void OnWrite(std::string_view result, const SavedCheckpoint* saved) = 0;
  // What was loaded at the start was written at this time.
  virtual void OnLoaded(WallTime saved_at) = 0;
};

struct CheckpointKeeperOptions {
  std::vector<Scope> scopes;
  std::string writer;                          // a name that no other process has
  std::chrono::milliseconds interval{10'000};  // at most one write in it
  std::chrono::milliseconds refresh{300'000};  // without change, a write this often
  std::chrono::milliseconds call_timeout{10'000};
  // Whether what was counted so far is ours to save; asked on the informer thread. Empty: always.
  std::function<bool()> may_save = {};
  // Up to where each sink is done at this moment; asked when a checkpoint is written. Empty: there are no sinks.
  std::function<ConsumerPositions()> sinks = {};
};

struct CheckpointKeeperParts {
  CheckpointStore& store;
  OccurrenceCounter& counter;
  const Clock& clock;
  CheckpointMonitor& monitor;
  Logger log;
};

class CheckpointKeeper final : public PositionObserver {
 public:
  // Everything in `parts` must outlive the keeper. Starts the thread that writes.
  CheckpointKeeper(CheckpointKeeperOptions options, CheckpointKeeperParts parts);
  // Drops what is not written yet; see Finish.
  ~CheckpointKeeper() override;

  // Informer thread, before its first list: loads the checkpoint and has the counter go on from it. Where the store
  // cannot be reached it tries again, until `stop`; a checkpoint that must not be used is a cold start, and the log
  // says why. `beat` is called every few seconds. Result: for each scope where it goes on.
  std::vector<std::optional<ScopePosition>> Load(const std::stop_token& stop, Heartbeat& heartbeat);

  // Where the sinks go on, after Load. Informer thread.
  const ConsumerPositions& loaded_sinks() const { return loaded_sinks_; }

  // Informer thread.
  bool WantsPositions() override;
  void OnPositions(const std::vector<ScopePosition>& positions) override;

  // After the informer has ended: writes the last checkpoint, if there is one that is not written yet. Blocks for at
  // most `timeout`.
  void Finish(std::chrono::milliseconds timeout);

 private:
  void Run(const std::stop_token& stop);
  bool Write(Checkpoint checkpoint, const CallLimits& limits);
  void NoteOtherWriter(const std::string& writer);
  void Schedule(std::chrono::milliseconds pause);
  bool SinksMoved() const;
  void NoteLoaded(const Checkpoint& checkpoint, const SavedCounts& counts);
  void Pause(std::chrono::milliseconds pause, const std::stop_token& stop, Heartbeat& heartbeat);
  std::optional<std::optional<Checkpoint>> TryLoad(const CallLimits& limits);
  Checkpoint Compose(const std::vector<ScopePosition>& positions);

  const CheckpointKeeperOptions options_;
  CheckpointKeeperParts parts_;

  // Informer thread; Finish too.
  ConsumerPositions loaded_sinks_;
  std::vector<ScopePosition> last_positions_;
  std::vector<std::string> exported_;  // the positions of the last export
  MonotonicTime exported_at_{};
  std::uint64_t sequence_ = 0;

  std::atomic<MonotonicTime::rep> due_;   // when the next export is wanted
  std::atomic<bool> write_again_{false};  // the last write failed

  mutable std::mutex mutex_;  // guards pending_ and written_sinks_
  std::condition_variable_any wake_;
  std::optional<Checkpoint> pending_;  // until it is written
  ConsumerPositions written_sinks_;    // as in the last checkpoint that was written

  // Informer thread, in Load; then the writing thread; after that has ended, whoever calls Finish.
  TroubleLog trouble_;
  Backoff backoff_;
  std::string last_other_writer_;

  std::jthread thread_;
};

}  // namespace kube_events
