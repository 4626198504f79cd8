// When to reload Fluent Bit, and how to know that it did. A pure state machine: input in, effects out, one handler per
// state, no I/O and no clock. docs/architecture.md has the table of its transitions.
//
// What it is built on (observed with Fluent Bit 5.1.1): "done" in answer to a trigger only says that a signal was
// raised; a trigger during a reload is dropped, and so is one within about a second after a rejected reload and within
// 100 ms after a successful one. So the only proof of a reload is that the count of reloads rose above what it was
// before the trigger. The configuration is read at some moment between the two; that it was the one we mean is certain
// only if no file was touched in between.
//
// Owned by the ReloadDriver; its thread only.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "kube_events/base/backoff.h"
#include "kube_events/base/clock.h"
#include "kube_events/supervisor/reload_protocol.h"

namespace kube_events {

struct ReloadOptions {
  std::chrono::milliseconds reload_timeout{120'000};  // from the first trigger to the proof
  bool exit_on_timeout = true;
  std::chrono::milliseconds after_success{250};      // triggers are lost up to 100 ms after a success
  std::chrono::milliseconds after_rejection{1'500};  // and about 1 s after a rejected reload
  std::chrono::milliseconds poll_first{100};         // asking for the count, doubled up to poll_max
  std::chrono::milliseconds poll_max{1'000};
  std::chrono::milliseconds settle{2'000};  // where nothing can show the reload: this long without the child's end
  BackoffOptions retrigger{.initial = std::chrono::milliseconds{2'000},
                           .max = std::chrono::milliseconds{30'000},
                           .factor = 2.0,
                           .jitter = 0.1};
  BackoffOptions busy{
      .initial = std::chrono::milliseconds{500}, .max = std::chrono::milliseconds{5'000}, .factor = 2.0, .jitter = 0.1};
  BackoffOptions failed{.initial = std::chrono::milliseconds{2'000},
                        .max = std::chrono::milliseconds{60'000},
                        .factor = 2.0,
                        .jitter = 0.1};
};

enum class ReloadState {
  kStarting,    // the child is not ready
  kIdle,        // what is on disk runs, or is known to be of no use
  kChecking,    // waiting for the verdict on the candidate
  kCounting,    // waiting for the count before a trigger
  kArming,      // looking once more whether the disk still has the candidate
  kTriggering,  // waiting for the answer to a trigger
  kConfirming,  // a trigger was repeated: did the earlier one work after all?
  kWaiting,     // for the count to rise
  kAsking,      // for the answer to one question for the count
  kProving,     // it rose: looking whether the disk was touched meanwhile
  kJudging,     // the check failed: the same question
  kQuiet,       // nothing may be triggered for a moment; then everything is looked at anew
  kEnding,      // the child is being ended
};
std::string_view ToString(ReloadState state);

class ReloadController {
 public:
  // `started_with`: the scan made just before the child was started.
  ReloadController(const ReloadOptions& options, const SeenConfig& started_with);

  // Takes one input and returns what is to be done, in order. An input that the state does not expect is remembered
  // where it matters later and changes nothing otherwise.
  ReloadEffects Step(MonotonicTime now, const ReloadInput& input);

  // When a Tick is due; nothing: whenever an answer comes.
  std::optional<MonotonicTime> NextWake() const { return wake_; }

  ReloadState State() const { return state_; }
  // The content that is known to run; nothing where that is not certain at the moment.
  std::optional<std::uint64_t> Running() const { return running_; }
  // Whether what is on disk is not (known to be) what runs.
  bool Pending() const;

 private:
  // What is known of a trigger whose reload is not proven yet.
  struct Outstanding {
    ReloadCount base;           // read just before it
    std::uint64_t content = 0;  // of the disk, just before it
    std::uint64_t stamp = 0;
    MonotonicTime at{};  // the last trigger
  };

  ReloadEffects Starting(MonotonicTime now, const ReloadInput& input);
  ReloadEffects Idle(MonotonicTime now, const ReloadInput& input);
  ReloadEffects Checking(MonotonicTime now, const ReloadInput& input);
  ReloadEffects Counting(MonotonicTime now, const ReloadInput& input);
  ReloadEffects Arming(MonotonicTime now, const ReloadInput& input);
  ReloadEffects Triggering(MonotonicTime now, const ReloadInput& input);
  ReloadEffects Confirming(MonotonicTime now, const ReloadInput& input);
  ReloadEffects Waiting(MonotonicTime now, const ReloadInput& input);
  ReloadEffects Asking(MonotonicTime now, const ReloadInput& input);
  ReloadEffects Proving(MonotonicTime now, const ReloadInput& input);
  ReloadEffects Judging(MonotonicTime now, const ReloadInput& input);
  ReloadEffects Quiet(MonotonicTime now, const ReloadInput& input);

  ReloadEffects Evaluate(MonotonicTime now);
  ReloadEffects Refuse();
  ReloadEffects Rest(MonotonicTime now);
  ReloadEffects Proven(ReloadProof proof);
  ReloadEffects TimedOut(MonotonicTime now);
  ReloadEffects Failed(MonotonicTime now, std::string words);
  void WaitForCount(MonotonicTime now);
  void GoQuiet(MonotonicTime now, std::chrono::milliseconds pause);
  void Go(ReloadState state, std::optional<MonotonicTime> wake = {});
  bool Overdue(MonotonicTime now) const;
  std::optional<ReloadProof> Proof(const ReloadCount& count, MonotonicTime now) const;

  const ReloadOptions options_;
  ReloadState state_ = ReloadState::kStarting;
  std::optional<MonotonicTime> wake_;

  SeenConfig seen_;                        // the latest scan
  SeenConfig candidate_;                   // what the cycle under way is about
  const std::uint64_t start_stamp_;        // of the disk, just before the child was started
  bool ready_ = false;                     // the child's start is over
  bool forced_ = false;                    // reload whatever is on disk
  std::optional<std::uint64_t> running_;   // see Running()
  std::optional<std::uint64_t> rejected_;  // content that the check refused
  std::string reported_refusal_;
  std::string words_;  // of the verdict that is being judged

  ReloadCount base_;                          // read before the trigger that comes next
  std::optional<Outstanding> outstanding_;    // a trigger without proof
  std::optional<MonotonicTime> cycle_began_;  // first trigger that was accepted or met a busy child
  ReloadProof proof_ = ReloadProof::kCount;   // while proving
  bool abandoned_ = false;                    // the outstanding trigger is awaited, but not repeated
  bool timeout_told_ = false;
  MonotonicTime retrigger_at_{};
  std::chrono::milliseconds poll_{0};
  Backoff retrigger_;
  Backoff busy_;
  Backoff failed_;
};

}  // namespace kube_events
