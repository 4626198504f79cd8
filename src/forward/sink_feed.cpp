#include "kube_events/forward/sink_feed.h"

#include <algorithm>
#include <utility>

#include "kube_events/base/resource_version.h"

namespace kube_events {
namespace {

using std::chrono::milliseconds;

// Clocks of the writers of Events and of the API server may differ so much.
constexpr std::chrono::seconds kSkew{5};
constexpr milliseconds kBeat{1'000};
// Uids that throttling remembers.
constexpr std::size_t kMaxThrottled = 200'000;

SinkWorkerOptions WorkerOptions(const SinkSettings& settings, std::size_t scopes) {
  SinkWorkerOptions options;
  options.id = settings.id;
  options.batch_records = settings.batch_records;
  options.batch_bytes = settings.batch_bytes;
  options.batch_wait = settings.batch_wait;
  options.timeout = settings.timeout;
  options.drop_oldest = settings.overflow == OverflowPolicy::kDropOldest;
  options.queue = {.scopes = scopes, .max_records = settings.queue_records, .max_bytes = settings.queue_bytes};
  return options;
}

RecordType TypeOf(const Change& change, const ScopePosition& position) {
  switch (change.kind) {
    case ChangeKind::kAdded:
      return RecordType::kAdded;
    case ChangeKind::kDeleted:
      return RecordType::kDeleted;
    case ChangeKind::kModified:
      return RecordType::kModified;
    case ChangeKind::kListed:
      break;
  }
  const OptionalTime created = change.event.creation_time;
  return created && *created > position.observed_until ? RecordType::kAdded : RecordType::kModified;
}

// A version that is no number is never known to be old.
bool IsOld(std::string_view version, const ScopePosition& position) {
  return version == position.version || ComesBefore(version, position.version);
}

}  // namespace

SinkFeed::SinkFeed(SinkFeedOptions options, const SinkSettings& settings, SinkWorkerParts worker)
    : id_(settings.id),
      options_(std::move(options)),
      log_(worker.log),
      trouble_(worker.log, worker.clock),
      worker_(WorkerOptions(settings, options_.scope_names.size()), std::move(worker)),
      scopes_(options_.scope_names.size()) {}

void SinkFeed::Resume(ScopeIndex scope, const ScopePosition& counted, const std::optional<ScopePosition>& saved) {
  const std::lock_guard lock(mutex_);
  ScopeState& state = scopes_[scope];
  state.position = saved.value_or(counted);
  if (ComesBefore(state.position.version, counted.version)) state.mode = Mode::kPaused;
  worker_.queue().SetPosition(scope, state.position);
}

// ---- the live stream -------------------------------------------------------------------------------------------

void SinkFeed::OnLiveListBegin(ScopeIndex scope, ListReason reason, WallTime server_time) {
  const std::lock_guard lock(mutex_);
  scopes_[scope].live_listing = true;
  // After a restored etcd versions begin anew.
  if (reason == ListReason::kRestored) scopes_[scope].live.clear();
  if (scopes_[scope].mode == Mode::kLive) BeginList(scope, reason, server_time);
}

void SinkFeed::OnLiveListCommitted(ScopeIndex scope, std::string_view version, WallTime server_time) {
  const std::lock_guard lock(mutex_);
  ScopeState& state = scopes_[scope];
  state.live_listing = false;
  state.live_list = version;
  // Where the list was empty.
  if (state.live.empty()) state.live = "0";
  if (state.mode == Mode::kLive) CommitList(scope, version, server_time);
}

void SinkFeed::OnLiveChange(const Change& change, SharedRecord& record) {
  switch (TakeLive(change, record)) {
    case Outcome::kDone:
      return;
    case Outcome::kDropped:
      trouble_.Note("memory and spool are full, and the oldest records are dropped; see why the receiver is too slow",
                    {{"sink", id_}});
      return;
    case Outcome::kPaused:
      log_.Warn("the queue is full: nothing more is taken until the receiver has caught up", {{"sink", id_}});
  }
}

SinkFeed::Outcome SinkFeed::TakeLive(const Change& change, SharedRecord& record) {
  const std::lock_guard lock(mutex_);
  ScopeState& state = scopes_[change.scope];
  const std::string_view version = change.event.resource_version;
  const bool listed = change.kind == ChangeKind::kListed;
  if (!listed || state.live.empty() || ComesBefore(state.live, version)) state.live = version;
  if (state.mode != Mode::kLive || (!listed && IsOld(version, state.position))) return Outcome::kDone;
  RecordPtr chosen = Choose(change, state, record);
  const Outcome room = chosen ? MakeRoom(change.scope, change.server_time) : Outcome::kDone;
  if (room == Outcome::kPaused) {
    Pause();
  } else {
    Take(change, std::move(chosen));
  }
  return room;
}

SinkFeed::Outcome SinkFeed::MakeRoom(ScopeIndex scope, WallTime now) {
  const OptionalTime dropped = worker_.MakeRoom();
  if (dropped && !dropped_from_) dropped_from_ = dropped;
  if (!dropped && dropped_from_) PushGap(scope, std::exchange(dropped_from_, std::nullopt), now, "overflow");
  if (!worker_.queue().HasRoom()) return Outcome::kPaused;
  return dropped ? Outcome::kDropped : Outcome::kDone;
}

// What was taken is kept, and nothing more is taken: later this very position is where it goes on.
void SinkFeed::Pause() {
  for (ScopeState& state : scopes_) {
    if (state.mode == Mode::kLive) state.mode = Mode::kPaused;
  }
}

// ---- catching up -----------------------------------------------------------------------------------------------

std::vector<std::pair<ScopeIndex, ScopePosition>> SinkFeed::BeginCatchUp() {
  const std::lock_guard lock(mutex_);
  std::vector<std::pair<ScopeIndex, ScopePosition>> lagging;
  if (!worker_.queue().IsHalfEmpty()) return lagging;
  for (std::size_t i = 0; i < scopes_.size(); ++i) {
    ScopeState& state = scopes_[i];
    if (state.mode == Mode::kCatchingUp) return {};
    if (state.mode != Mode::kPaused || state.live.empty() || state.live_listing) continue;
    JoinIfCaughtUp(state);
    if (state.mode == Mode::kPaused) lagging.emplace_back(static_cast<ScopeIndex>(i), state.position);
  }
  for (const auto& [scope, position] : lagging) scopes_[scope].mode = Mode::kCatchingUp;
  return lagging;
}

bool SinkFeed::IsCatchingUp() const {
  const std::lock_guard lock(mutex_);
  return std::any_of(scopes_.begin(), scopes_.end(),
                     [](const ScopeState& state) { return state.mode == Mode::kCatchingUp; });
}

bool SinkFeed::IsBehind() const {
  const std::lock_guard lock(mutex_);
  return std::any_of(scopes_.begin(), scopes_.end(), [](const ScopeState& of) { return of.mode != Mode::kLive; });
}

void SinkFeed::EndCatchUp() {
  const std::lock_guard lock(mutex_);
  for (ScopeState& state : scopes_) {
    if (state.mode == Mode::kCatchingUp) state.mode = Mode::kPaused;
  }
}

void SinkFeed::OnCatchUpListBegin(ScopeIndex scope, ListReason reason, WallTime server_time) {
  const std::lock_guard lock(mutex_);
  if (scopes_[scope].mode == Mode::kCatchingUp) BeginList(scope, reason, server_time);
}

void SinkFeed::OnCatchUpListCommitted(ScopeIndex scope, std::string_view version, WallTime server_time) {
  const std::lock_guard lock(mutex_);
  if (scopes_[scope].mode != Mode::kCatchingUp) return;
  CommitList(scope, version, server_time);
  JoinIfCaughtUp(scopes_[scope]);
}

void SinkFeed::OnCatchUpChange(const Change& change, const std::stop_token& stop) {
  while (!worker_.queue().HasRoom() && !worker_.queue().WaitForRoom(kBeat, stop)) {
    if (stop.stop_requested()) return;
  }
  SharedRecord record(change);
  const std::lock_guard lock(mutex_);
  ScopeState& state = scopes_[change.scope];
  if (state.mode != Mode::kCatchingUp || stop.stop_requested()) return;
  const bool listed = change.kind == ChangeKind::kListed;
  if (!listed && IsOld(change.event.resource_version, state.position)) return;
  Take(change, Choose(change, state, record));
  if (listed || !JoinIfCaughtUp(state) || !IsUpToDate(state)) return;
  state.position.observed_until = change.server_time;
  worker_.queue().NotePassed(change.scope, state.position.version, change.server_time);
}

bool SinkFeed::JoinIfCaughtUp(ScopeState& state) {
  const bool known = !state.live.empty() && !state.live_listing && !state.position.version.empty();
  if (!known || ComesBefore(state.position.version, state.live)) return false;
  state.mode = Mode::kLive;
  return true;
}

// ---- both ------------------------------------------------------------------------------------------------------

void SinkFeed::BeginList(ScopeIndex scope, ListReason reason, WallTime server_time) {
  ScopeState& state = scopes_[scope];
  state.list_reason = reason;
  const bool gap = reason == ListReason::kRelist || reason == ListReason::kRestored;
  if (!gap || std::exchange(state.gap_told, true)) return;
  PushGap(scope, state.position.observed_until, server_time, reason == ListReason::kRelist ? "expired" : "restored");
}

void SinkFeed::CommitList(ScopeIndex scope, std::string_view version, WallTime server_time) {
  ScopeState& state = scopes_[scope];
  state.gap_told = false;
  // The watch goes on from the saved position and so brings what this list held.
  if (state.list_reason == ListReason::kResumed) return;
  state.position = {std::string(version), server_time};
  worker_.queue().NotePassed(scope, version, server_time);
}

RecordPtr SinkFeed::Choose(const Change& change, const ScopeState& state, SharedRecord& record) {
  if (change.kind == ChangeKind::kListed && !WantsListed(change, state)) return nullptr;
  const RecordType type = TypeOf(change, state.position);
  const auto& types = options_.watch_types;
  if (std::find(types.begin(), types.end(), ToString(type)) == types.end()) return nullptr;
  if (options_.updates.kind == UpdatePolicy::Kind::kFirst && type == RecordType::kModified) return nullptr;
  if (!options_.exporter_filter.Passes(change.event) || !options_.filter.Passes(change.event)) return nullptr;
  if (options_.updates.kind == UpdatePolicy::Kind::kThrottle && IsThrottled(change)) return nullptr;
  return record.As(type);
}

bool SinkFeed::WantsListed(const Change& change, const ScopeState& state) const {
  switch (state.list_reason) {
    case ListReason::kFirst:
      return options_.existing;
    case ListReason::kRelist:
      return !IsOld(change.event.resource_version, state.position);
    case ListReason::kRestored: {
      const OptionalTime seen = std::max(change.event.LastSeen(), change.event.creation_time);
      return !seen || *seen >= state.position.observed_until - kSkew;
    }
    case ListReason::kResumed:
      break;
  }
  return false;
}

bool SinkFeed::IsThrottled(const Change& change) {
  const WallTime now = change.server_time;
  const auto expired = [&](const auto& known) { return now - known.second >= options_.updates.every; };
  if (now - throttle_swept_ >= options_.updates.every) {
    std::erase_if(throttled_, expired);
    throttle_swept_ = now;
  }
  const auto found = throttled_.find(std::string(change.event.uid));
  if (found != throttled_.end() && !expired(*found) && change.kind != ChangeKind::kDeleted) return true;
  if (found != throttled_.end()) {
    found->second = now;
  } else if (throttled_.size() < kMaxThrottled) {
    throttled_.emplace(change.event.uid, now);
  }
  return false;
}

void SinkFeed::Take(const Change& change, RecordPtr record) {
  ScopeState& state = scopes_[change.scope];
  const bool listed = change.kind == ChangeKind::kListed;
  if (!listed) state.position.version = change.event.resource_version;
  if (!listed && IsUpToDate(state)) state.position.observed_until = change.server_time;
  if (record) {
    worker_.queue().Push(std::move(record), change.scope, listed ? ScopePosition{} : state.position);
  } else if (!listed) {
    worker_.queue().NotePassed(change.scope, state.position.version, state.position.observed_until);
  }
}

// A watch that is resumed brings what was written long before: that is no sign that nothing is missing until now.
bool SinkFeed::IsUpToDate(const ScopeState& state) {
  return state.mode == Mode::kLive && !ComesBefore(state.position.version, state.live_list);
}

void SinkFeed::PushGap(ScopeIndex scope, OptionalTime from, WallTime to, std::string_view reason) {
  Record gap;
  gap.type = RecordType::kGap;
  gap.observed = to;
  gap.gap_scope = options_.scope_names[scope];
  gap.gap_from = from;
  gap.gap_reason = reason;
  worker_.queue().Push(std::make_shared<const Record>(std::move(gap)), scope, {});
}

}  // namespace kube_events
