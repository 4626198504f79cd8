// A history of writers, an API server and an observer as a list of steps: made at random from a seed, run by
// HistoryRunner, shrunk when it fails. A step that makes no sense where it stands does nothing, so that any part of a
// history is a history.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace kube_events::testing {

enum class WriterKind {
  kRecorder,      // client-go tools/record: a name per run, every occurrence written unless the spam filter drops it
  kSeries,        // client-go tools/events: a name per run, the third and later occurrences wait for a heartbeat
  kConstantName,  // one name for all runs, each with its own firstTimestamp
  kNoTimestamps,  // one name, no timestamp at all
  kRenewing,      // one name, a new firstTimestamp with every write
};

enum class StepKind {
  kAdvance,     // time goes on by `amount` milliseconds
  kOccur,       // something happens and is written, as its writer does it
  kDrop,        // … but the spam filter drops the write
  kFail,        // … but the write fails and is queued for a later retry
  kRetry,       // the oldest queued write is tried again
  kHeartbeat,   // a series writes its count, whether or not it changed
  kNewRun,      // the writer forgets its count
  kDelete,      // by TTL or by hand
  kRelabel,     // a change that is no occurrence; under a selector the object starts or stops to match
  kDeliver,     // up to `amount` watch events reach the observer
  kReplay,      // the observer is sent the state of a live object again that it was sent `amount` changes ago
  kGap,         // the watch breaks and cannot be continued: only a list helps
  kFailedList,  // a list breaks off after `amount` items
  kList,        // a whole list; the first one is the baseline
  kRestore,     // etcd is put back to what it held `amount` versions ago
  kSave,        // the observer saves a checkpoint; should it crash later, its position may be too old to watch from
  kStop,        // … and ends; until it starts again the position may become too old
  kCrash,       // it ends and will know only what was saved last
  kStart,       // it starts again from the checkpoint
};

struct Step {
  StepKind kind = StepKind::kAdvance;
  int writer = 0;
  std::int64_t amount = 0;
};

struct WriterSpec {
  WriterKind kind = WriterKind::kRecorder;
  std::chrono::milliseconds skew{0};  // of its clock
  bool matches = true;                // whether the selector matches what it creates
};

struct History {
  bool selector = false;
  std::size_t max_live = 1000;
  std::size_t max_tombstones = 1000;
  std::chrono::seconds tombstone_ttl{24 * 3600};
  std::chrono::milliseconds sync_period{0};
  std::size_t max_saved = 1000;  // totals in a checkpoint
  std::vector<WriterSpec> writers;
  std::vector<Step> steps;
};

// The same seed makes the same history.
History MakeHistory(std::uint64_t seed);

// Writers with right clocks whose writes succeed, seen through an unbroken watch or, as long as each run has a name of
// its own, also through gaps: nothing is uncertain.
History MakeHonestHistory(std::uint64_t seed, bool gaps);

// The same on a watch that goes on where a checkpoint ends, over stops and crashes; nothing is deleted.
History MakeHonestRestarts(std::uint64_t seed);

// The simplest history found for which `fails` still holds: leaving out any single step, writer or option, or making a
// number smaller in the ways tried here, would make it pass. `fails` holds for `history`.
History Shrink(History history, const std::function<bool(const History&)>& fails);

std::string ToString(const History& history);

}  // namespace kube_events::testing
