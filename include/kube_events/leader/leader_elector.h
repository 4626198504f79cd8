// Who of several processes leads, as a pure state machine over one Lease: inputs in, effects out; no sockets, threads
// or clocks. The rules are those of client-go's tools/leaderelection; docs/architecture.md has the table.
//
//   kIdle ─► kReading ─► kTaking ─► kHolding ◄─► kRenewing        leads; each renewal moves the deadline
//               ▲ │          │         ▲  ▲          │
//               │ ▼          ▼         │  └ kChecking┘
//            kWaiting ◄──────┘         ▼
//                                  kReleasing ─► kEnded           stopped, or the Lease was lost
//
// Why there are never two leaders: a leader counts its time from before it sent the renewal that succeeded, and stops
// after `renew_deadline`; a candidate counts from after it first saw that renewal, and waits for the whole of
// `lease_duration`, which is longer. No clock is compared with another; they only have to run equally fast, up to the
// ratio of the two.
//
// Owned and driven by LeaderElection on its thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <random>
#include <string>
#include <variant>
#include <vector>

#include "kube_events/base/clock.h"
#include "kube_events/base/result.h"
#include "kube_events/leader/lease_record.h"

namespace kube_events {

enum class ElectionPhase {
  kIdle,
  kReading,    // a candidate reads the Lease
  kTaking,     // a candidate writes itself into it
  kWaiting,    // a candidate waits for its next look
  kHolding,    // the leader waits for its next renewal
  kRenewing,   // the leader writes the Lease
  kChecking,   // the leader reads it, since it was changed by somebody
  kReleasing,  // stopped: the Lease is read or written once more
  kEnded,
};

// What happens to the machine.
struct ElectionStarted {};
struct LeaseSeen {  // answer to ReadLease
  LeaseRecord record;
};
struct LeaseMissing {};  // answer to ReadLease
struct LeaseWritten {};  // answer to WriteLease
struct LeaseFailed {     // answer to either; a write that was too late is a kConflict
  Error error;
};
struct ElectionTimerFired {};  // the time set by the last StartElectionTimer has come
// The process ends and has stopped to do what only a leader may. A request under way was given up.
struct ElectionStopped {};
using ElectionInput = std::variant<ElectionStarted, LeaseSeen, LeaseMissing, LeaseWritten, LeaseFailed,
                                   ElectionTimerFired, ElectionStopped>;

// What the machine wants done, in this order. At most one request is under way.
struct ReadLease {
  std::chrono::milliseconds timeout;
};
struct WriteLease {
  bool create;  // else it replaces the version that was last read or written
  LeaseRecord record;
  std::chrono::milliseconds timeout;
};
struct StartElectionTimer {  // replaces the one before
  std::chrono::milliseconds delay;
};
struct Lead {  // from now until then; repeated with each renewal
  MonotonicTime until;
};
struct Follow {  // another process leads; repeated with each look
  std::string holder;
};
struct ReportElectionTrouble {  // a request failed; it will be repeated
  Error error;
};
struct LoseLease {  // whoever led must not go on
  std::string reason;
};
struct EndElection {};
using ElectionEffect = std::variant<ReadLease, WriteLease, StartElectionTimer, Lead, Follow, ReportElectionTrouble,
                                    LoseLease, EndElection>;
using ElectionEffects = std::vector<ElectionEffect>;

// The defaults and their meaning are client-go's.
struct ElectionTimes {
  std::chrono::milliseconds lease_duration{15'000};  // candidates wait so long after the last renewal that they saw
  std::chrono::milliseconds renew_deadline{10'000};  // a leader that could not renew for so long gives up
  std::chrono::milliseconds retry_period{2'000};     // between two attempts; candidates add up to 120 % at random
};

// Fails with kConfiguration where the times cannot keep two leaders apart: lease_duration has to be above
// renew_deadline, and that above 1.2 times retry_period; retry_period at least 10 ms. The message names the flags.
Result<void> CheckElectionTimes(const ElectionTimes& times);

struct LeaderElectorOptions {
  std::string identity;  // unique to this process, not empty; a restart needs a new one
  ElectionTimes times;   // which CheckElectionTimes accepts
  std::uint64_t seed = 0;
};

class LeaderElector {
 public:
  explicit LeaderElector(LeaderElectorOptions options);

  // Takes one input and returns what to do about it. `now`: the present time, not before the input came nor after an
  // effect is carried out. `wall` goes into the Lease, for people to read. Inputs that a phase does not expect change
  // nothing.
  ElectionEffects Handle(const ElectionInput& input, MonotonicTime now, WallTime wall);

  ElectionPhase phase() const { return phase_; }
  // Whether what only a leader may do is allowed now.
  bool Leads(MonotonicTime now) const { return leading_ && now < until_; }

 private:
  ElectionEffects InReading(const ElectionInput& input, MonotonicTime now, WallTime wall);
  ElectionEffects InTaking(const ElectionInput& input, MonotonicTime now);
  ElectionEffects InHolding(const ElectionInput& input, MonotonicTime now, WallTime wall);
  ElectionEffects InRenewing(const ElectionInput& input, MonotonicTime now);
  ElectionEffects InChecking(const ElectionInput& input, MonotonicTime now, WallTime wall);
  ElectionEffects InReleasing(const ElectionInput& input, MonotonicTime now, WallTime wall);

  void Observe(const LeaseRecord& record, MonotonicTime now);
  bool HeldByAnother(MonotonicTime now) const;
  ElectionEffects Read(ElectionPhase phase, MonotonicTime now);
  ElectionEffects Write(ElectionPhase phase, bool create, LeaseRecord record, MonotonicTime now);
  ElectionEffects Take(bool create, MonotonicTime now, WallTime wall);
  ElectionEffects Renew(bool create, MonotonicTime now, WallTime wall);
  ElectionEffects Release(WallTime wall, MonotonicTime now);
  ElectionEffects Stop(MonotonicTime now, WallTime wall);
  ElectionEffects LeadFromLastWrite(MonotonicTime now);
  ElectionEffects TakingFailed(const Error& error);
  ElectionEffects RenewalFailed(const Error& error, MonotonicTime now);
  ElectionEffects WaitForTurn(const Error* error);
  ElectionEffects Lose(std::string reason);
  ElectionEffects End();
  std::chrono::milliseconds RequestTimeout(MonotonicTime now) const;
  std::chrono::milliseconds UntilRenewal(MonotonicTime now) const;
  std::string RenewTime(WallTime wall);

  const LeaderElectorOptions options_;
  std::mt19937_64 random_;

  ElectionPhase phase_ = ElectionPhase::kIdle;
  bool leading_ = false;
  MonotonicTime until_{};  // of leading

  LeaseRecord observed_;            // what the Lease said last
  MonotonicTime observed_since_{};  // when it was first seen to say so, by our clock
  LeaseRecord written_;             // by the write under way or the last one
  MonotonicTime written_at_{};      // when that was sent
  WallTime last_renew_time_{};      // in the last record of ours
  bool checked_ = false;            // this renewal has read the Lease already
  std::string last_trouble_;        // why the last renewal failed
};

}  // namespace kube_events
