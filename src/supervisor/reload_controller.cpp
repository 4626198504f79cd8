#include "kube_events/supervisor/reload_controller.h"

#include <algorithm>
#include <utility>

namespace kube_events {
namespace {

using namespace reload_effect;
using reload_input::Checked;
using reload_input::ChildReady;
using reload_input::Counted;
using reload_input::Forced;
using reload_input::Seen;
using reload_input::Tick;
using reload_input::Triggered;

template <typename Input>
const Input* As(const ReloadInput& input) {
  return std::get_if<Input>(&input);
}

}  // namespace

ReloadController::ReloadController(const ReloadOptions& options, const SeenConfig& started_with)
    : options_(options),
      seen_(started_with),
      candidate_(started_with),
      start_stamp_(started_with.stamp),
      retrigger_(options_.retrigger),
      busy_(options_.busy),
      failed_(options_.failed) {}

ReloadEffects ReloadController::Step(MonotonicTime now, const ReloadInput& input) {
  if (const auto* seen = As<Seen>(input)) seen_ = *seen;
  if (As<Forced>(input) != nullptr) forced_ = true;
  switch (state_) {
    case ReloadState::kStarting:
      return Starting(now, input);
    case ReloadState::kIdle:
      return Idle(now, input);
    case ReloadState::kChecking:
      return Checking(now, input);
    case ReloadState::kCounting:
      return Counting(now, input);
    case ReloadState::kArming:
      return Arming(now, input);
    case ReloadState::kTriggering:
      return Triggering(now, input);
    case ReloadState::kConfirming:
      return Confirming(now, input);
    case ReloadState::kWaiting:
      return Waiting(now, input);
    case ReloadState::kAsking:
      return Asking(now, input);
    case ReloadState::kProving:
      return Proving(now, input);
    case ReloadState::kJudging:
      return Judging(now, input);
    case ReloadState::kQuiet:
      return Quiet(now, input);
    case ReloadState::kEnding:
      break;
  }
  return {};
}

bool ReloadController::Pending() const { return forced_ || !seen_.refusal.empty() || running_ != seen_.content; }

ReloadEffects ReloadController::Starting(MonotonicTime now, const ReloadInput& input) {
  if (As<ChildReady>(input) != nullptr) {
    ready_ = true;
    return {ScanConfig{}};
  }
  if (!ready_ || As<Seen>(input) == nullptr) return {};
  // It has read its files at some moment since the scan before its start.
  if (seen_.stamp == start_stamp_) running_ = seen_.content;
  return Evaluate(now);
}

ReloadEffects ReloadController::Idle(MonotonicTime now, const ReloadInput& input) {
  if (As<Forced>(input) != nullptr) return {ScanConfig{}};
  return As<Seen>(input) != nullptr ? Evaluate(now) : ReloadEffects{};
}

ReloadEffects ReloadController::Checking(MonotonicTime now, const ReloadInput& input) {
  const auto* checked = As<Checked>(input);
  if (checked == nullptr) return {};
  switch (checked->verdict) {
    case Checked::Verdict::kGood:
      Go(ReloadState::kCounting);
      return {ReadCount{.before_trigger = true}};
    case Checked::Verdict::kBad:
      words_ = checked->words;
      Go(ReloadState::kJudging);
      return {ScanConfig{}};
    case Checked::Verdict::kUnknown:
      break;
  }
  return Failed(now, checked->words);
}

ReloadEffects ReloadController::Judging(MonotonicTime now, const ReloadInput& input) {
  if (As<Seen>(input) == nullptr) return {};
  if (seen_.stamp != candidate_.stamp) {  // who knows which of them was checked
    GoQuiet(now, options_.after_success);
    return {};
  }
  rejected_ = candidate_.content;
  forced_ = false;
  ReloadEffects effects = Rest(now);
  effects.push_back(
      Finished{.result = ReloadResult::kRejected, .content = candidate_.content, .words = std::move(words_)});
  return effects;
}

ReloadEffects ReloadController::Counting(MonotonicTime now, const ReloadInput& input) {
  const auto* count = As<Counted>(input);
  if (count == nullptr) return {};
  base_ = *count;
  if (outstanding_) {
    if (const auto proof = Proof(*count, now)) {
      if (outstanding_->content == candidate_.content) return Proven(*proof);
      outstanding_.reset();  // an older content was loaded; this cycle begins after it
      cycle_began_.reset();
    }
  }
  Go(ReloadState::kArming);
  return {ScanConfig{}};
}

ReloadEffects ReloadController::Arming(MonotonicTime now, const ReloadInput& input) {
  if (As<Seen>(input) == nullptr) return {};
  if (!seen_.refusal.empty() || seen_.content != candidate_.content) {
    // Not what was checked. An earlier trigger may have met it and been rejected.
    GoQuiet(now, outstanding_ ? options_.after_rejection : options_.after_success);
    return {};
  }
  candidate_.stamp = seen_.stamp;
  Go(ReloadState::kTriggering);
  return {Trigger{}};
}

ReloadEffects ReloadController::Triggering(MonotonicTime now, const ReloadInput& input) {
  const auto* triggered = As<Triggered>(input);
  if (triggered == nullptr) return {};
  const bool told = triggered->answer == TriggerAnswer::kAccepted;
  if (!told && triggered->answer != TriggerAnswer::kBusy) return Failed(now, triggered->words);
  if (!cycle_began_) cycle_began_ = now;
  if (told) {
    running_.reset();
    forced_ = false;
    if (outstanding_) {
      Go(ReloadState::kConfirming);
      return {ReadCount{}};
    }
    outstanding_ = Outstanding{base_, candidate_.content, candidate_.stamp, now};
    WaitForCount(now);
    return {};
  }
  if (outstanding_) {  // it is our own earlier trigger that keeps it busy
    WaitForCount(now);
    return {};
  }
  if (Overdue(now)) return TimedOut(now);
  GoQuiet(now, busy_.Next());
  return {Busy{}};
}

ReloadEffects ReloadController::Confirming(MonotonicTime now, const ReloadInput& input) {
  const auto* count = As<Counted>(input);
  if (count == nullptr) return {};
  // A trigger is only accepted when no reload is in progress: the earlier one has either worked by now or never will.
  if (const auto proof = Proof(*count, now)) return Proven(*proof);
  outstanding_ = Outstanding{base_, candidate_.content, candidate_.stamp, now};
  WaitForCount(now);
  return {Swallowed{}};
}

ReloadEffects ReloadController::Waiting(MonotonicTime now, const ReloadInput& input) {
  if (abandoned_ && As<Seen>(input) != nullptr) return Evaluate(now);
  if (abandoned_ && As<Forced>(input) != nullptr) return {ScanConfig{}};
  if (As<Tick>(input) == nullptr) return {};
  if (Overdue(now) && abandoned_) {
    outstanding_.reset();
    return Rest(now);
  }
  Go(ReloadState::kAsking);
  return {ReadCount{}};
}

ReloadEffects ReloadController::Asking(MonotonicTime now, const ReloadInput& input) {
  const auto* count = As<Counted>(input);
  if (count == nullptr) return {};
  if (const auto proof = Proof(*count, now)) return Proven(*proof);
  if (Overdue(now) && !abandoned_ && (options_.exit_on_timeout || !timeout_told_)) return TimedOut(now);
  if (!abandoned_ && now >= retrigger_at_) {
    base_ = *count;
    Go(ReloadState::kArming);
    return {ScanConfig{}};
  }
  poll_ = std::min(poll_ * 2, options_.poll_max);
  Go(ReloadState::kWaiting, now + poll_);
  return {};
}

ReloadEffects ReloadController::Proving(MonotonicTime now, const ReloadInput& input) {
  if (As<Seen>(input) == nullptr) return {};
  const bool certain = seen_.stamp == outstanding_->stamp;
  Finished finished{.content = outstanding_->content, .proof = proof_, .certain = certain};
  finished.took = std::chrono::duration_cast<std::chrono::milliseconds>(now - cycle_began_.value_or(now));
  running_ = certain ? std::optional(outstanding_->content) : std::nullopt;
  rejected_.reset();
  outstanding_.reset();
  cycle_began_.reset();
  retrigger_.Reset();
  busy_.Reset();
  failed_.Reset();
  GoQuiet(now, options_.after_success);
  return {std::move(finished)};
}

ReloadEffects ReloadController::Quiet(MonotonicTime now, const ReloadInput& input) {
  if (As<Tick>(input) != nullptr && wake_) {
    wake_.reset();
    return {ScanConfig{}};
  }
  return As<Seen>(input) != nullptr && !wake_ ? Evaluate(now) : ReloadEffects{};
}

}  // namespace kube_events
