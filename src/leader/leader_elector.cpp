#include "kube_events/leader/leader_elector.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "kube_events/base/duration.h"

namespace kube_events {
namespace {

using std::chrono::milliseconds;

// client-go's JitterFactor: the pauses of candidates are spread so that they do not all write at once.
constexpr double kJitter = 1.2;
constexpr milliseconds kMinRetryPeriod{10};
// However long the deadline is, a request that takes longer has gone astray.
constexpr milliseconds kMaxRequestTimeout{10'000};
constexpr milliseconds kReleaseTimeout{500};

template <typename T>
const T* As(const ElectionInput& input) {
  return std::get_if<T>(&input);
}

}  // namespace

Result<void> CheckElectionTimes(const ElectionTimes& times) {
  const auto fail = [](const char* flag, const std::string& rule) {
    return Fail(ErrorKind::kConfiguration, std::string(flag) + ": " + rule);
  };
  if (times.retry_period < kMinRetryPeriod) {
    return fail("--leader-elect-retry-period", "has to be at least " + FormatDuration(kMinRetryPeriod));
  }
  if (times.renew_deadline <= times.retry_period * kJitter) {
    return fail(
        "--leader-elect-renew-deadline",
        "has to be more than 1.2 times --leader-elect-retry-period, which is " + FormatDuration(times.retry_period));
  }
  if (times.lease_duration <= times.renew_deadline) {
    return fail("--leader-elect-lease-duration", "has to be longer than --leader-elect-renew-deadline, which is " +
                                                     FormatDuration(times.renew_deadline));
  }
  return {};
}

LeaderElector::LeaderElector(LeaderElectorOptions options) : options_(std::move(options)), random_(options_.seed) {}

ElectionEffects LeaderElector::Handle(const ElectionInput& input, MonotonicTime now, WallTime wall) {
  if (phase_ == ElectionPhase::kEnded) return {};
  if (As<ElectionStopped>(input) != nullptr) return phase_ == ElectionPhase::kReleasing ? End() : Stop(now, wall);
  if (leading_ && now >= until_) {
    return Lose("it could not be renewed within " + FormatDuration(options_.times.renew_deadline) +
                (last_trouble_.empty() ? "" : "; the last attempt: " + last_trouble_));
  }
  switch (phase_) {
    case ElectionPhase::kIdle:
      return As<ElectionStarted>(input) != nullptr ? Read(ElectionPhase::kReading, now) : ElectionEffects{};
    case ElectionPhase::kWaiting:
      return As<ElectionTimerFired>(input) != nullptr ? Read(ElectionPhase::kReading, now) : ElectionEffects{};
    case ElectionPhase::kReading:
      return InReading(input, now, wall);
    case ElectionPhase::kTaking:
      return InTaking(input, now);
    case ElectionPhase::kHolding:
      return InHolding(input, now, wall);
    case ElectionPhase::kRenewing:
      return InRenewing(input, now);
    case ElectionPhase::kChecking:
      return InChecking(input, now, wall);
    case ElectionPhase::kReleasing:
      return InReleasing(input, now, wall);
    case ElectionPhase::kEnded:
      break;
  }
  return {};
}

// ---- candidates --------------------------------------------------------------------------------------------------

ElectionEffects LeaderElector::InReading(const ElectionInput& input, MonotonicTime now, WallTime wall) {
  if (const auto* seen = As<LeaseSeen>(input)) {
    Observe(seen->record, now);
    if (!HeldByAnother(now)) return Take(false, now, wall);
    ElectionEffects effects{Follow{observed_.holder}};
    for (auto& effect : WaitForTurn(nullptr)) effects.push_back(std::move(effect));
    return effects;
  }
  if (As<LeaseMissing>(input) != nullptr) {
    observed_ = {};
    return Take(true, now, wall);
  }
  if (const auto* failed = As<LeaseFailed>(input)) return WaitForTurn(&failed->error);
  return {};
}

ElectionEffects LeaderElector::InTaking(const ElectionInput& input, MonotonicTime now) {
  if (As<LeaseWritten>(input) != nullptr) return LeadFromLastWrite(now);
  if (const auto* failed = As<LeaseFailed>(input)) return TakingFailed(failed->error);
  return {};
}

// A conflict only means that another candidate was faster.
ElectionEffects LeaderElector::TakingFailed(const Error& error) {
  return WaitForTurn(error.kind == ErrorKind::kConflict ? nullptr : &error);
}

// From when on the Lease has said what it says now, by our own clock; the times in it are those of another.
void LeaderElector::Observe(const LeaseRecord& record, MonotonicTime now) {
  if (record == observed_) return;
  observed_ = record;
  observed_since_ = now;
}

// The holder's own duration counts: it may have been started with other flags.
bool LeaderElector::HeldByAnother(MonotonicTime now) const {
  if (observed_.holder.empty() || observed_.holder == options_.identity) return false;
  const milliseconds duration = observed_.duration.count() > 0 ? observed_.duration : options_.times.lease_duration;
  return now < observed_since_ + duration;
}

ElectionEffects LeaderElector::Take(bool create, MonotonicTime now, WallTime wall) {
  LeaseRecord record;
  record.renew_time = RenewTime(wall);
  const bool ours = observed_.holder == options_.identity;  // the answer to an earlier write did not arrive
  record.acquire_time = ours ? observed_.acquire_time : record.renew_time;
  constexpr std::int32_t kMost = std::numeric_limits<std::int32_t>::max();
  record.transitions = ours || create ? observed_.transitions : std::min(observed_.transitions, kMost - 1) + 1;
  return Write(ElectionPhase::kTaking, create, std::move(record), now);
}

ElectionEffects LeaderElector::WaitForTurn(const Error* error) {
  phase_ = ElectionPhase::kWaiting;
  const double stretch = std::uniform_real_distribution<double>(1, 1 + kJitter)(random_);
  auto delay = std::chrono::duration_cast<milliseconds>(options_.times.retry_period * stretch);
  if (error == nullptr) return {StartElectionTimer{delay}};
  delay = std::max(delay, std::min(error->retry_after.value_or(milliseconds{0}), options_.times.lease_duration));
  return {ReportElectionTrouble{*error}, StartElectionTimer{delay}};
}

// ---- the leader --------------------------------------------------------------------------------------------------

ElectionEffects LeaderElector::InHolding(const ElectionInput& input, MonotonicTime now, WallTime wall) {
  if (As<ElectionTimerFired>(input) == nullptr) return {};
  checked_ = false;
  return Renew(false, now, wall);
}

ElectionEffects LeaderElector::InRenewing(const ElectionInput& input, MonotonicTime now) {
  if (As<LeaseWritten>(input) != nullptr) return LeadFromLastWrite(now);
  const auto* failed = As<LeaseFailed>(input);
  if (failed == nullptr) return {};
  // Somebody has written: another candidate, an administrator, or we ourselves by a renewal whose answer was lost.
  const bool changed = failed->error.kind == ErrorKind::kConflict || failed->error.kind == ErrorKind::kNotFound;
  if (changed && !checked_) return Read(ElectionPhase::kChecking, now);
  return RenewalFailed(failed->error, now);
}

ElectionEffects LeaderElector::InChecking(const ElectionInput& input, MonotonicTime now, WallTime wall) {
  checked_ = true;
  if (const auto* seen = As<LeaseSeen>(input)) {
    Observe(seen->record, now);
    if (!observed_.holder.empty() && observed_.holder != options_.identity) {
      return Lose("\"" + observed_.holder + "\" has taken it");
    }
    return Renew(false, now, wall);
  }
  if (As<LeaseMissing>(input) != nullptr) return Renew(true, now, wall);
  if (const auto* failed = As<LeaseFailed>(input)) return RenewalFailed(failed->error, now);
  return {};
}

ElectionEffects LeaderElector::Renew(bool create, MonotonicTime now, WallTime wall) {
  LeaseRecord record = written_;
  record.transitions = std::max(record.transitions, observed_.transitions);
  record.renew_time = RenewTime(wall);
  return Write(ElectionPhase::kRenewing, create, std::move(record), now);
}

ElectionEffects LeaderElector::LeadFromLastWrite(MonotonicTime now) {
  Observe(written_, now);
  until_ = written_at_ + options_.times.renew_deadline;
  // The answer came so late, perhaps because the process was suspended, that the time is over already.
  if (now >= until_) return WaitForTurn(nullptr);
  leading_ = true;
  last_trouble_.clear();
  phase_ = ElectionPhase::kHolding;
  return {Lead{until_}, StartElectionTimer{UntilRenewal(now)}};
}

ElectionEffects LeaderElector::RenewalFailed(const Error& error, MonotonicTime now) {
  phase_ = ElectionPhase::kHolding;
  last_trouble_ = error.message;
  return {ReportElectionTrouble{error}, StartElectionTimer{UntilRenewal(now)}};
}

// Never beyond the deadline, which has to be noticed.
milliseconds LeaderElector::UntilRenewal(MonotonicTime now) const {
  return std::min(options_.times.retry_period, std::chrono::ceil<milliseconds>(until_ - now));
}

ElectionEffects LeaderElector::Lose(std::string reason) {
  leading_ = false;
  phase_ = ElectionPhase::kEnded;
  return {LoseLease{std::move(reason)}, EndElection{}};
}

// ---- the end -----------------------------------------------------------------------------------------------------

ElectionEffects LeaderElector::Stop(MonotonicTime now, WallTime wall) {
  const bool led = Leads(now);
  leading_ = false;
  switch (phase_) {
    case ElectionPhase::kTaking:
    case ElectionPhase::kRenewing:
      // Whether the write under way was carried out, and so which version there is, has to be read first.
      return Read(ElectionPhase::kReleasing, now);
    case ElectionPhase::kHolding:
      return led ? Release(wall, now) : End();
    case ElectionPhase::kChecking:
      return led ? Read(ElectionPhase::kReleasing, now) : End();
    default:
      return End();
  }
}

ElectionEffects LeaderElector::InReleasing(const ElectionInput& input, MonotonicTime now, WallTime wall) {
  const auto* seen = As<LeaseSeen>(input);
  if (seen == nullptr || seen->record.holder != options_.identity) return End();
  Observe(seen->record, now);
  return Release(wall, now);
}

// As client-go does it: nobody holds it, and the duration is the least that the API server takes.
ElectionEffects LeaderElector::Release(WallTime wall, MonotonicTime now) {
  LeaseRecord record;
  record.duration = std::chrono::seconds{1};
  record.transitions = observed_.transitions;
  record.renew_time = record.acquire_time = RenewTime(wall);
  phase_ = ElectionPhase::kReleasing;
  written_ = record;
  written_at_ = now;
  return {WriteLease{false, std::move(record), kReleaseTimeout}};
}

ElectionEffects LeaderElector::End() {
  phase_ = ElectionPhase::kEnded;
  return {EndElection{}};
}

// ---- requests ----------------------------------------------------------------------------------------------------

ElectionEffects LeaderElector::Read(ElectionPhase phase, MonotonicTime now) {
  phase_ = phase;
  return {ReadLease{phase == ElectionPhase::kReleasing ? kReleaseTimeout : RequestTimeout(now)}};
}

ElectionEffects LeaderElector::Write(ElectionPhase phase, bool create, LeaseRecord record, MonotonicTime now) {
  phase_ = phase;
  record.holder = options_.identity;
  record.duration = std::chrono::ceil<std::chrono::seconds>(options_.times.lease_duration);
  written_ = record;
  written_at_ = now;
  return {WriteLease{create, std::move(record), RequestTimeout(now)}};
}

// Half of the deadline, so that a connection that went silent leaves time for another attempt.
milliseconds LeaderElector::RequestTimeout(MonotonicTime now) const {
  const milliseconds half = std::min(options_.times.renew_deadline / 2, kMaxRequestTimeout);
  return leading_ ? std::min(half, std::chrono::ceil<milliseconds>(until_ - now)) : half;
}

// Never the same twice: a renewal that changes nothing would not be seen by the candidates.
std::string LeaderElector::RenewTime(WallTime wall) {
  last_renew_time_ = std::max(wall, last_renew_time_ + std::chrono::microseconds{1});
  return FormatMicroTime(last_renew_time_);
}

}  // namespace kube_events
