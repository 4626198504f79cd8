#include "kube_events/informer/watch_machine.h"

#include <algorithm>
#include <array>
#include <utility>

#include "kube_events/base/resource_version.h"

namespace kube_events {
namespace {

constexpr std::chrono::milliseconds kNoPause{0};
// After so many failures in a row that may be the position's fault, a list finds a new one.
constexpr int kMaxSuspiciousFailures = 3;

// Only what a server says of the request itself can be the fault of our position. Failures of the network, of
// credentials and of an overloaded or starting server say nothing about it, and to list because of them would throw
// away the exact changes that the watch can still deliver.
bool MayBeThePosition(const Error& error) {
  static constexpr std::array<std::string_view, 4> kSuspicious{"InternalError", "BadRequest", "Invalid", "ServerError"};
  return std::find(kSuspicious.begin(), kSuspicious.end(), error.reason) != kSuspicious.end();
}

std::chrono::milliseconds RetryAfter(const Error& error) { return error.retry_after.value_or(kNoPause); }

WatchEffects operator+(WatchEffects effects, WatchEffects more) {
  effects.insert(effects.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  return effects;
}

}  // namespace

WatchMachine::WatchMachine(WatchMachineOptions options)
    : options_(std::move(options)), backoff_(BackoffOptions{.seed = options_.seed}), random_(options_.seed) {
  position_ = options_.resume_from;
  resuming_ = !position_.empty();
}

WatchEffects WatchMachine::Handle(const WatchInput& input, MonotonicTime now) {
  switch (phase_) {
    case WatchPhase::kIdle:
      return InIdle(input, now);
    case WatchPhase::kListing:
      return InListing(input, now);
    case WatchPhase::kProbing:
      return InProbing(input, now);
    case WatchPhase::kOpening:
      return InOpening(input, now);
    case WatchPhase::kWatching:
      return InWatching(input, now);
    case WatchPhase::kPausing:
      return InPausing(input, now);
  }
  return {};
}

WatchEffects WatchMachine::InIdle(const WatchInput& input, MonotonicTime now) {
  if (!std::holds_alternative<Started>(input)) return {};
  continuous_until_ = now - options_.downtime;
  return List(now);
}

WatchEffects WatchMachine::InListing(const WatchInput& input, MonotonicTime now) {
  if (const auto* page = std::get_if<PageReceived>(&input)) return TakePage(*page);
  if (std::holds_alternative<PageDelivered>(input)) return NextPage(now);
  if (const auto* ended = std::get_if<RequestEnded>(&input)) {
    return ListFailed(ended->error.value_or(Error{ErrorKind::kInvalid, "the list ended without an answer"}), now);
  }
  if (std::holds_alternative<TimerFired>(input)) {
    const Error error{ErrorKind::kRetry, "a list page took too long", {}, "timeout"};
    return WatchEffects{CancelRequest{error}} + ListFailed(error, now);
  }
  return {};
}

WatchEffects WatchMachine::InProbing(const WatchInput& input, MonotonicTime now) {
  if (const auto* page = std::get_if<PageReceived>(&input)) {
    if (!ComesBefore(page->resource_version, position_)) return Watch(now);
    restored_ = true;
    return RelistAfter(kNoPause, "restored");
  }
  if (const auto* ended = std::get_if<RequestEnded>(&input)) {
    return ProbeFailed(ended->error.value_or(Error{ErrorKind::kInvalid, "the probe ended without an answer"}));
  }
  if (std::holds_alternative<TimerFired>(input)) return GiveUpOpening(now);
  return {};
}

WatchEffects WatchMachine::InOpening(const WatchInput& input, MonotonicTime now) {
  if (std::holds_alternative<WatchOpened>(input)) {
    phase_ = WatchPhase::kWatching;
    watching_since_ = now;
    return {StartTimer{RotationDelay()}};
  }
  if (const auto* ended = std::get_if<RequestEnded>(&input)) return WatchEnded(ended->error, now);
  if (std::holds_alternative<TimerFired>(input)) return GiveUpOpening(now);
  return {};
}

WatchEffects WatchMachine::InWatching(const WatchInput& input, MonotonicTime now) {
  if (const auto* ended = std::get_if<RequestEnded>(&input)) return WatchEnded(ended->error, now);
  if (std::holds_alternative<TimerFired>(input)) {
    continuous_until_ = now;
    backoff_.Reset();
    return WatchEffects{CancelRequest{}} + Probe();
  }
  return {};
}

WatchEffects WatchMachine::InPausing(const WatchInput& input, MonotonicTime now) {
  if (!std::holds_alternative<TimerFired>(input)) return {};
  return next_ == Next::kList ? List(now) : Probe();
}

WatchEffects WatchMachine::List(MonotonicTime now) {
  phase_ = WatchPhase::kListing;
  list_version_.clear();
  listed_at_ = now;
  return {StartTimer{options_.list_page_deadline}, RequestPage{}};
}

WatchEffects WatchMachine::TakePage(const PageReceived& page) {
  WatchEffects effects;
  if (list_version_.empty()) {
    list_reason_ = ReasonFor(page.resource_version);
    // What a saved position led up to is not lost before the watch from it is refused.
    if (resuming_ && list_reason_ == ListReason::kRestored) gap_pending_ = true;
    effects.push_back(BeginList{list_reason_});
    list_version_ = page.resource_version;
  }
  continue_token_ = page.continue_token;
  effects.push_back(DeliverItems{});
  return effects;
}

WatchEffects WatchMachine::NextPage(MonotonicTime now) {
  if (!continue_token_.empty()) return {StartTimer{options_.list_page_deadline}, RequestPage{continue_token_}};
  const bool resumed = list_reason_ == ListReason::kResumed;
  WatchEffects effects{CommitList{list_version_, resumed}};
  if (std::exchange(gap_pending_, false)) {
    effects.push_back(ReportGap{std::chrono::duration_cast<std::chrono::milliseconds>(now - continuous_until_)});
  }
  synced_ = true;
  resuming_ = false;
  restored_ = false;
  token_expired_ = false;
  refreshed_credentials_ = false;
  if (!resumed) {
    continuous_until_ = now;
    position_ = list_version_;
  }
  return std::move(effects) + Watch(now);
}

WatchEffects WatchMachine::ListFailed(const Error& error, MonotonicTime now) {
  if (error.kind == ErrorKind::kUnauthenticated) return Reauthenticate(Next::kList);
  // A continue token that expires between two pages is no sign of trouble, unless the next one does so too.
  const bool expired = error.kind == ErrorKind::kExpired && !list_version_.empty();
  if (expired && !std::exchange(token_expired_, true)) return Pause(Next::kList, Spacing(listed_at_, now));
  const auto pause = std::max(backoff_.Next(RetryAfter(error)), Spacing(listed_at_, now));
  return Pause(Next::kList, pause);
}

WatchEffects WatchMachine::Probe() {
  phase_ = WatchPhase::kProbing;
  return {StartTimer{options_.open_deadline}, ProbeVersion{}};
}

WatchEffects WatchMachine::GiveUpOpening(MonotonicTime now) {
  const Error error{ErrorKind::kRetry, "the request for a watch was not answered in time", {}, "timeout"};
  return WatchEffects{CancelRequest{error}} +
         (phase_ == WatchPhase::kProbing ? ProbeFailed(error) : WatchEnded(error, now));
}

WatchEffects WatchMachine::Watch(MonotonicTime now) {
  phase_ = WatchPhase::kOpening;
  opened_at_ = now;
  frames_ = 0;
  return {StartTimer{options_.open_deadline}, OpenWatch{position_}};
}

WatchEffects WatchMachine::WatchEnded(const std::optional<Error>& error, MonotonicTime now) {
  const bool opened = phase_ == WatchPhase::kWatching;
  const auto lived = opened ? now - watching_since_ : MonotonicTime::duration{};
  const bool was_well = opened && (frames_ > 0 || lived >= options_.min_spacing);
  if (was_well) continuous_until_ = now;
  if (opened) short_lived_watches_ = was_well ? 0 : short_lived_watches_ + 1;
  if (was_well && (frames_ > 0 || lived >= options_.proven_after)) {
    backoff_.Reset();
    suspicious_failures_ = 0;
    refreshed_credentials_ = false;
  }
  if (error) return WatchFailed(*error, was_well, now);
  if (was_well) return Pause(Next::kWatch, Spacing(opened_at_, now));
  // 200 and an immediate end without any frame: how some servers and front ends say that the version is too old. Said
  // once, it may also be a server that is shutting down.
  if (watches_last()) return Pause(Next::kWatch, backoff_.Next());
  return RelistAfter(backoff_.Next(), "short_watch");
}

WatchEffects WatchMachine::WatchFailed(const Error& error, bool was_well, MonotonicTime now) {
  switch (error.kind) {
    case ErrorKind::kExpired:
      // Right after a list it would be a loop; then the backoff slows it down.
      return RelistAfter(was_well ? Spacing(listed_at_, now) : backoff_.Next(RetryAfter(error)), "expired");
    case ErrorKind::kInvalid:
      return RelistAfter(backoff_.Next(RetryAfter(error)), "invalid");
    case ErrorKind::kUnauthenticated:
      return Reauthenticate(Next::kWatch);
    default:
      break;
  }
  if (MayBeThePosition(error) && ++suspicious_failures_ >= kMaxSuspiciousFailures) {
    suspicious_failures_ = 0;
    return RelistAfter(backoff_.Next(RetryAfter(error)), "errors");
  }
  // A stream that was well and broke is opened again at once, as a rotation is.
  const bool at_once = was_well && !error.retry_after;
  return Pause(Next::kWatch, at_once ? Spacing(opened_at_, now) : backoff_.Next(RetryAfter(error)));
}

// A probe names no version, so its failure says nothing about ours.
WatchEffects WatchMachine::ProbeFailed(const Error& error) {
  if (error.kind == ErrorKind::kUnauthenticated) return Reauthenticate(Next::kWatch);
  return Pause(Next::kWatch, backoff_.Next(RetryAfter(error)));
}

// At once the first time: a token may just have been rotated.
WatchEffects WatchMachine::Reauthenticate(Next next) {
  const bool first = !std::exchange(refreshed_credentials_, true);
  return Pause(next, first ? kNoPause : backoff_.Next(), {RefreshCredentials{}});
}

WatchEffects WatchMachine::RelistAfter(std::chrono::milliseconds pause, std::string_view reason) {
  gap_pending_ = true;
  return Pause(Next::kList, pause, {ReportRelist{reason}});
}

WatchEffects WatchMachine::Pause(Next next, std::chrono::milliseconds pause, WatchEffects effects) {
  phase_ = WatchPhase::kPausing;
  next_ = next;
  effects.push_back(StartTimer{pause});
  return effects;
}

ListReason WatchMachine::ReasonFor(const std::string& list_version) const {
  if (!synced_ && !resuming_) return ListReason::kFirst;
  return restored_ || ComesBefore(list_version, position_) ? ListReason::kRestored
         : resuming_                                       ? ListReason::kResumed
                                                           : ListReason::kRelist;
}

std::chrono::milliseconds WatchMachine::Spacing(MonotonicTime last, MonotonicTime now) const {
  const auto since = std::chrono::duration_cast<std::chrono::milliseconds>(now - last);
  return std::max(kNoPause, options_.min_spacing - since);
}

std::chrono::milliseconds WatchMachine::RotationDelay() {
  // Jitter, so that the watches of several scopes or replicas do not come back in step.
  const double share = std::uniform_real_distribution<double>(0.9, 1.0)(random_);
  return std::chrono::milliseconds(
      static_cast<std::chrono::milliseconds::rep>(static_cast<double>(options_.watch_interval.count()) * share));
}

}  // namespace kube_events
