#include "kube_events/state/checkpoint_keeper.h"

#include <algorithm>
#include <utility>

namespace kube_events {
namespace {

using std::chrono::milliseconds;

// After failures, so that a server that is back is used soon.
constexpr milliseconds kFirstRetry{1'000}, kLastRetry{60'000};
// The thread that waits beats at least this often.
constexpr milliseconds kBeat{2'000};

std::string_view ResultOf(const Error& error) {
  if (error.reason == "RequestEntityTooLarge") return "too_large";
  switch (error.kind) {
    case ErrorKind::kConflict:
      return "conflict";
    case ErrorKind::kForbidden:
      return "forbidden";
    default:
      return "error";
  }
}

bool HaveSameVersions(const ConsumerPositions& a, const ConsumerPositions& b) {
  const auto same_version = [](const ScopePosition& x, const ScopePosition& y) { return x.version == y.version; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](const auto& x, const auto& y) {
    return x.first == y.first &&
           std::equal(x.second.begin(), x.second.end(), y.second.begin(), y.second.end(), same_version);
  });
}

}  // namespace

CheckpointKeeper::CheckpointKeeper(CheckpointKeeperOptions options, CheckpointKeeperParts parts)
    : options_(std::move(options)),
      parts_(std::move(parts)),
      due_((parts_.clock.Monotonic() + options_.interval).time_since_epoch().count()),
      trouble_(parts_.log, parts_.clock),
      backoff_(BackoffOptions{.initial = kFirstRetry, .max = kLastRetry}),
      thread_([this](const std::stop_token& stop) { Run(stop); }) {}

CheckpointKeeper::~CheckpointKeeper() = default;

// ---- the start -------------------------------------------------------------------------------------------------

std::vector<std::optional<ScopePosition>> CheckpointKeeper::Load(const std::stop_token& stop, Heartbeat& heartbeat) {
  Backoff backoff(BackoffOptions{.initial = kFirstRetry, .max = kLastRetry});
  std::optional<std::optional<Checkpoint>> loaded;
  while (!loaded && !stop.stop_requested()) {
    heartbeat.Beat();
    loaded = TryLoad({.timeout = options_.call_timeout, .stop = stop});
    if (!loaded) Pause(backoff.Next(), stop, heartbeat);
  }
  if (!loaded || !*loaded) return std::vector<std::optional<ScopePosition>>(options_.scopes.size());
  const SavedCounts counts = CountsFor(**loaded, options_.scopes);
  parts_.counter.Restore(counts, parts_.clock.Wall());
  NoteLoaded(**loaded, counts);
  loaded_sinks_ = SinksFor(**loaded, options_.scopes);
  return PositionsFor(**loaded, options_.scopes);
}

void CheckpointKeeper::Pause(milliseconds pause, const std::stop_token& stop, Heartbeat& heartbeat) {
  const auto until = std::chrono::steady_clock::now() + pause;
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested() && std::chrono::steady_clock::now() < until) {
    heartbeat.Beat();
    wake_.wait_until(lock, stop, std::min(until, std::chrono::steady_clock::now() + kBeat), [] { return false; });
  }
}

// Nothing: to be tried again. An empty optional: a cold start.
std::optional<std::optional<Checkpoint>> CheckpointKeeper::TryLoad(const CallLimits& limits) {
  auto loaded = parts_.store.Load(limits);
  if (loaded) {
    if (!*loaded) parts_.log.Info("there is no checkpoint yet; a cold start", {{"store", parts_.store.Name()}});
    return std::move(*loaded);
  }
  const Error& error = loaded.error();
  switch (error.kind) {
    case ErrorKind::kCancelled:
      return std::nullopt;
    case ErrorKind::kRetry:
    case ErrorKind::kUnauthenticated:
      trouble_.Note("the checkpoint: " + error.message, {{"store", parts_.store.Name()}});
      return std::nullopt;
    default:
      parts_.log.Error("a cold start: " + error.message, {{"store", parts_.store.Name()}});
      return std::optional<Checkpoint>{};
  }
}

void CheckpointKeeper::NoteLoaded(const Checkpoint& checkpoint, const SavedCounts& counts) {
  trouble_.Over("the checkpoint could be read", {"store", parts_.store.Name()});
  parts_.monitor.OnLoaded(checkpoint.saved_at);
  parts_.log.Info("counting goes on from the checkpoint",
                  {{"store", parts_.store.Name()},
                   {"writer", checkpoint.writer},
                   {"scopes", counts.scopes.size()},
                   {"cold_scopes", options_.scopes.size() - counts.scopes.size()},
                   {"totals", counts.live.size() + counts.tombstones.size()},
                   {"complete", std::string_view(counts.complete ? "true" : "false")}});
}

// ---- the informer thread ---------------------------------------------------------------------------------------

bool CheckpointKeeper::WantsPositions() {
  return parts_.clock.Monotonic().time_since_epoch().count() >= due_.load(std::memory_order_relaxed);
}

bool CheckpointKeeper::SinksMoved() const {
  if (!options_.sinks) return false;
  const ConsumerPositions now = options_.sinks();
  const std::lock_guard lock(mutex_);
  return !HaveSameVersions(now, written_sinks_);
}

void CheckpointKeeper::OnPositions(const std::vector<ScopePosition>& positions) {
  last_positions_ = positions;
  if (options_.may_save && !options_.may_save()) return Schedule(options_.interval);
  std::vector<std::string> versions;
  for (const ScopePosition& position : positions) versions.push_back(position.version);
  const MonotonicTime now = parts_.clock.Monotonic();
  const bool none = std::all_of(versions.begin(), versions.end(), [](const auto& version) { return version.empty(); });
  const bool known = versions == exported_ && !SinksMoved() && now - exported_at_ < options_.refresh;
  if (none || (known && !write_again_.exchange(false))) return Schedule(options_.interval);
  Checkpoint checkpoint = Compose(positions);
  exported_ = std::move(versions);
  exported_at_ = now;
  due_.store(MonotonicTime::max().time_since_epoch().count(), std::memory_order_relaxed);  // until it is written
  {
    const std::lock_guard lock(mutex_);
    pending_ = std::move(checkpoint);
  }
  wake_.notify_all();
}

Checkpoint CheckpointKeeper::Compose(const std::vector<ScopePosition>& positions) {
  Checkpoint checkpoint;
  checkpoint.writer = options_.writer;
  checkpoint.sequence = ++sequence_;
  checkpoint.saved_at = parts_.clock.Wall();
  checkpoint.totals = parts_.counter.Export(parts_.store.MostTotals());
  for (const SavedScope& saved : std::exchange(checkpoint.totals.scopes, {})) {
    const ScopePosition& position = positions.at(saved.scope);
    if (position.version.empty()) continue;
    checkpoint.scopes.push_back({options_.scopes.at(saved.scope),
                                 position.version,
                                 position.observed_until,
                                 saved.horizon,
                                 saved.baseline_time,
                                 saved.newest,
                                 saved.newest_listed,
                                 {}});
  }
  return checkpoint;
}

// ---- the writing thread ----------------------------------------------------------------------------------------

void CheckpointKeeper::Schedule(milliseconds pause) {
  due_.store((parts_.clock.Monotonic() + pause).time_since_epoch().count(), std::memory_order_relaxed);
}

void CheckpointKeeper::Run(const std::stop_token& stop) {
  while (true) {
    std::optional<Checkpoint> checkpoint;
    {
      std::unique_lock lock(mutex_);
      if (!wake_.wait(lock, stop, [this] { return pending_.has_value(); })) return;
      if (stop.stop_requested()) return;
      checkpoint = pending_;  // kept there until it is written: Finish may have to do it
    }
    const std::uint64_t sequence = checkpoint->sequence;
    const bool written = Write(std::move(*checkpoint), {.timeout = options_.call_timeout, .stop = stop});
    if (stop.stop_requested() && !written) return;
    const std::lock_guard lock(mutex_);
    if (pending_ && pending_->sequence == sequence) pending_.reset();
  }
}

bool CheckpointKeeper::Write(Checkpoint checkpoint, const CallLimits& limits) {
  const ConsumerPositions sinks = options_.sinks ? options_.sinks() : ConsumerPositions{};
  SetSinks(checkpoint, sinks, options_.scopes);
  const auto saved = parts_.store.Save(std::move(checkpoint), limits);
  if (!saved) {
    // Before it is told, here and below: whoever hears of it may look at the clock.
    write_again_ = true;
    Schedule(std::max(options_.interval, backoff_.Next(saved.error().retry_after.value_or(milliseconds{0}))));
    if (saved.error().kind != ErrorKind::kCancelled) {
      parts_.monitor.OnWrite(ResultOf(saved.error()), nullptr);
      trouble_.Note("the checkpoint: " + saved.error().message, {{"store", parts_.store.Name()}});
    }
    return false;
  }
  trouble_.Over("checkpoints are written again", {"store", parts_.store.Name()});
  backoff_.Reset();
  {
    const std::lock_guard lock(mutex_);
    written_sinks_ = sinks;
  }
  const milliseconds stretched{
      static_cast<milliseconds::rep>(1000.0 * static_cast<double>(saved->bytes) / parts_.store.MaxBytesPerSecond())};
  Schedule(std::max(options_.interval, stretched));
  if (!saved->other_writer.empty()) NoteOtherWriter(saved->other_writer);
  parts_.monitor.OnWrite("ok", &*saved);
  return true;
}

// It was behind us, so that what it wrote could be replaced.
void CheckpointKeeper::NoteOtherWriter(const std::string& writer) {
  parts_.monitor.OnWrite("conflict", nullptr);
  if (writer == std::exchange(last_other_writer_, writer)) return;
  parts_.log.Warn("another exporter writes this checkpoint too; give each its own --checkpoint",
                  {{"store", parts_.store.Name()}, {"other", writer}});
}

void CheckpointKeeper::Finish(milliseconds timeout) {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
  // What the sinks have delivered at the very end is worth a checkpoint too.
  const bool may_save = !options_.may_save || options_.may_save();
  const bool known = !last_positions_.empty() && !last_positions_.front().version.empty();
  if (!pending_ && known && may_save && SinksMoved()) pending_ = Compose(last_positions_);
  if (pending_) Write(std::move(*std::exchange(pending_, std::nullopt)), {.timeout = timeout});
}

}  // namespace kube_events
