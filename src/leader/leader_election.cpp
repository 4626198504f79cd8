#include "kube_events/leader/leader_election.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <random>
#include <utility>

#include "lease_object.h"

namespace kube_events {
namespace {

// The loop comes round at least this often, so that its heartbeat is fresh also when nothing happens.
constexpr std::chrono::seconds kMaxWait{5};
constexpr std::size_t kMaxLeaseBytes = std::size_t{256} * 1024;

}  // namespace

LeaderElection::LeaderElection(ObjectPath lease, LeaderElectorOptions options, LeaderElectionParts parts)
    : path_(std::move(lease)),
      parts_(std::move(parts)),
      elector_(std::move(options)),
      trouble_log_(parts_.log, parts_.clock),
      thread_([this](const std::stop_token& stop) { Run(stop); }) {}

LeaderElection::~LeaderElection() = default;

void LeaderElection::Run(const std::stop_token& stop) {
  try {
    Loop(stop);
  } catch (const std::exception& error) {
    parts_.fence.Close();
    parts_.listener.OnLost(std::string("the leader election failed: ") + error.what());
  } catch (...) {
    parts_.fence.Close();
    parts_.listener.OnLost("the leader election failed");
  }
}

void LeaderElection::Loop(const std::stop_token& stop) {
  parts_.log.Info("waiting for the Lease that decides which replica counts", {{"lease", ToString(path_)}});
  Feed(ElectionStarted{}, stop);
  while (!stop.stop_requested() && elector_.phase() != ElectionPhase::kEnded) {
    parts_.heartbeat.Beat();
    WaitForTimer(stop);
    if (timer_ && parts_.clock.Monotonic() >= *timer_) {
      timer_.reset();
      Feed(ElectionTimerFired{}, stop);
    }
  }
  parts_.fence.Close();
  Feed(ElectionStopped{}, {});
}

void LeaderElection::WaitForTimer(const std::stop_token& stop) {
  const MonotonicTime latest = parts_.clock.Monotonic() + kMaxWait;
  std::mutex mutex;
  std::condition_variable_any nobody;  // only the stop token ends the wait early
  std::unique_lock lock(mutex);
  nobody.wait_until(lock, stop, std::min(timer_.value_or(latest), latest), [] { return false; });
}

// Every request is answered before anything else happens; its answer is the next input.
void LeaderElection::Feed(ElectionInput input, const std::stop_token& stop) {
  for (Answer next = std::move(input); next;) {
    const auto effects = elector_.Handle(*next, parts_.clock.Monotonic(), parts_.clock.Wall());
    next.reset();
    for (const ElectionEffect& effect : effects) {
      auto answer = std::visit([&](const auto& what) { return Do(what, stop); }, effect);
      if (answer) next = std::move(answer);
    }
    if (stop.stop_requested()) return;  // the answer, if there was one, is of no interest any more
  }
}

LeaderElection::Answer LeaderElection::Do(const ReadLease& effect, const std::stop_token& stop) {
  verb_ = "get";
  auto record = Keep(parts_.objects.Get(path_, Limits(effect.timeout, stop)));
  if (record) return LeaseSeen{std::move(*record)};
  if (record.error().kind == ErrorKind::kNotFound) return LeaseMissing{};
  return LeaseFailed{std::move(record.error())};
}

LeaderElection::Answer LeaderElection::Do(const WriteLease& effect, const std::stop_token& stop) {
  const CallLimits limits = Limits(effect.timeout, stop);
  Result<nlohmann::json> written;
  if (effect.create) {
    verb_ = "create";
    written = parts_.objects.Create(path_, NewLeaseObject(path_, effect.record), limits);
  } else {
    verb_ = "update";
    nlohmann::json lease = lease_;
    UpdateLeaseObject(lease, effect.record);
    written = parts_.objects.Replace(path_, lease, limits);
  }
  auto record = Keep(std::move(written));
  if (record) return LeaseWritten{};
  return LeaseFailed{std::move(record.error())};
}

LeaderElection::Answer LeaderElection::Do(const StartElectionTimer& effect, const std::stop_token&) {
  timer_ = parts_.clock.Monotonic() + effect.delay;
  return {};
}

LeaderElection::Answer LeaderElection::Do(const Lead& effect, const std::stop_token&) {
  parts_.fence.OpenUntil(effect.until);
  trouble_log_.Over("the Lease could be renewed again", {"lease", path_.name});
  if (!std::exchange(has_led_, true)) {
    parts_.log.Info("this replica leads", {{"lease", ToString(path_)}});
    parts_.listener.OnLeading();
  }
  return {};
}

LeaderElection::Answer LeaderElection::Do(const Follow& effect, const std::stop_token&) {
  trouble_log_.Over("the Lease could be read again", {"lease", path_.name});
  if (std::exchange(holder_, effect.holder) != effect.holder) {
    parts_.log.Info("another replica leads; this one counts nothing and waits",
                    {{"lease", ToString(path_)}, {"holder", effect.holder}});
  }
  parts_.listener.OnFollowing(effect.holder);
  return {};
}

LeaderElection::Answer LeaderElection::Do(const ReportElectionTrouble& effect, const std::stop_token& stop) {
  if (stop.stop_requested()) return {};
  trouble_log_.Note(effect.error.message, {{"verb", verb_}, {"kind", ToString(effect.error.kind)}});
  parts_.listener.OnElectionTrouble(verb_, effect.error);
  return {};
}

LeaderElection::Answer LeaderElection::Do(const LoseLease& effect, const std::stop_token&) {
  parts_.fence.Close();
  parts_.listener.OnLost("the Lease " + ToString(path_) + " is lost: " + effect.reason);
  return {};
}

LeaderElection::Answer LeaderElection::Do(const EndElection&, const std::stop_token&) {
  timer_.reset();
  return {};
}

CallLimits LeaderElection::Limits(std::chrono::milliseconds timeout, const std::stop_token& stop) const {
  return {.timeout = std::max(timeout, std::chrono::milliseconds{1}), .stop = stop, .max_bytes = kMaxLeaseBytes};
}

Result<LeaseRecord> LeaderElection::Keep(Result<nlohmann::json> lease) {
  if (!lease) return Fail(std::move(lease.error()));
  auto record = ReadLeaseObject(*lease);
  if (record) lease_ = std::move(*lease);
  return record;
}

std::string NewElectionIdentity() {
  std::array<char, 256> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0 || host[0] == '\0') host = {"kube-events-exporter"};
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string identity = std::string(host.data()) + "_";
  std::random_device random;
  for (int i = 0; i < 32; ++i) identity += kDigits[random() % kDigits.size()];
  return identity;
}

}  // namespace kube_events
