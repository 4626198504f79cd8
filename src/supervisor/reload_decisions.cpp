// What the states of the ReloadController have in common: where to go from here.
#include <utility>

#include "kube_events/supervisor/reload_controller.h"

namespace kube_events {

using namespace reload_effect;

// What to do about what was just seen on disk.
ReloadEffects ReloadController::Evaluate(MonotonicTime now) {
  if (!seen_.refusal.empty()) {
    ReloadEffects effects = Rest(now);
    for (auto& effect : Refuse()) effects.push_back(std::move(effect));
    return effects;
  }
  reported_refusal_.clear();
  if (running_ == seen_.content) rejected_.reset();  // where it comes again, it is told again
  if (!forced_ && (running_ == seen_.content || rejected_ == seen_.content)) return Rest(now);
  if (Overdue(now) && options_.exit_on_timeout) return TimedOut(now);
  abandoned_ = false;
  candidate_ = seen_;
  Go(ReloadState::kChecking);
  return {CheckConfig{}};
}

ReloadEffects ReloadController::Refuse() {
  if (seen_.refusal == reported_refusal_ && !forced_) return {};
  reported_refusal_ = seen_.refusal;
  forced_ = false;
  return {Finished{.result = ReloadResult::kRejected, .content = seen_.content, .words = seen_.refusal}};
}

// Nothing is to be triggered. What was triggered before is still awaited, so that a late reload is noticed.
ReloadEffects ReloadController::Rest(MonotonicTime now) {
  abandoned_ = outstanding_.has_value();
  if (abandoned_) {
    poll_ = options_.poll_max;
    Go(ReloadState::kWaiting, now + poll_);
    return {};
  }
  cycle_began_.reset();
  timeout_told_ = false;
  Go(ReloadState::kIdle);
  return {};
}

ReloadEffects ReloadController::Proven(ReloadProof proof) {
  proof_ = proof;
  Go(ReloadState::kProving);
  return {ScanConfig{}};
}

ReloadEffects ReloadController::TimedOut(MonotonicTime now) {
  Finished finished{.result = ReloadResult::kTimeout, .content = candidate_.content};
  if (options_.exit_on_timeout) {
    Go(ReloadState::kEnding);
    return {std::move(finished), EndChild{}};
  }
  const bool told = std::exchange(timeout_told_, true);
  if (outstanding_) {
    WaitForCount(now);
  } else {
    GoQuiet(now, busy_.Next());
  }
  return told ? ReloadEffects{} : ReloadEffects{std::move(finished)};
}

ReloadEffects ReloadController::Failed(MonotonicTime now, std::string words) {
  GoQuiet(now, failed_.Next());
  return {Finished{.result = ReloadResult::kFailed, .content = candidate_.content, .words = std::move(words)}};
}

void ReloadController::WaitForCount(MonotonicTime now) {
  poll_ = options_.poll_first;
  retrigger_at_ = now + retrigger_.Next();
  Go(ReloadState::kWaiting, now + poll_);
}

void ReloadController::GoQuiet(MonotonicTime now, std::chrono::milliseconds pause) {
  Go(ReloadState::kQuiet, now + pause);
}

void ReloadController::Go(ReloadState state, std::optional<MonotonicTime> wake) {
  state_ = state;
  wake_ = wake;
}

bool ReloadController::Overdue(MonotonicTime now) const {
  return cycle_began_ && now - *cycle_began_ >= options_.reload_timeout;
}

std::optional<ReloadProof> ReloadController::Proof(const ReloadCount& count, MonotonicTime now) const {
  const ReloadCount& base = outstanding_->base;
  const auto when = [](bool holds, ReloadProof proof) { return holds ? std::optional(proof) : std::nullopt; };
  if (count.http && base.http) return when(*count.http > *base.http, ReloadProof::kCount);
  // A server that was off and answers now has come with the new configuration.
  if (count.http && !base.http_before) return ReloadProof::kCount;
  if (base.http && count.http_wanted) return std::nullopt;  // it has to come back
  if (count.log_lines > base.log_lines) return ReloadProof::kLogLine;
  const bool blind = !count.log_visible && !count.http_wanted;
  return when(blind && now - outstanding_->at >= options_.settle, ReloadProof::kSettled);
}

std::string_view ToString(ReloadState state) {
  constexpr std::string_view kNames[] = {"starting",   "idle",       "checking", "counting", "arming",
                                         "triggering", "confirming", "waiting",  "asking",   "proving",
                                         "judging",    "quiet",      "ending"};
  return kNames[static_cast<std::size_t>(state)];
}

}  // namespace kube_events
