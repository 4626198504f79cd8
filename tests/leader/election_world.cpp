#include "leader/election_world.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

namespace kube_events {
namespace {

using std::chrono::duration_cast;
using std::chrono::nanoseconds;

Error Conflict() { return {ErrorKind::kConflict, "conflict", {}, {}}; }

}  // namespace

MonotonicTime ElectionWorld::Candidate::Local(Time now) const {
  return MonotonicTime{offset + nanoseconds{static_cast<nanoseconds::rep>(static_cast<double>(now.count()) * rate)}};
}

ElectionWorld::ElectionWorld(ElectionWorldOptions options) : options_(options), random_(options.seed) {
  for (int i = 0; i < options_.candidates; ++i) {
    auto candidate = std::make_unique<Candidate>();
    candidate->number = i;
    candidate->rate = 1 + Draw(-options_.drift, options_.drift);
    candidate->offset = DrawTime(1, 100'000);
    candidates_.push_back(std::move(candidate));
    At(DrawTime(0, 5), [this, i] { Start(*candidates_[static_cast<std::size_t>(i)]); });
  }
  At(DrawTime(0, 10), [this] { Disturb(); });
}

std::string ElectionWorld::Play() {
  while (violation_.empty() && !events_.empty() && now_ < options_.troubled + options_.calm) {
    const Event event = events_.top();
    events_.pop();
    now_ = event.at;
    event.what();
    Check();
  }
  return violation_;
}

int ElectionWorld::leaders() const {
  return static_cast<int>(std::count_if(candidates_.begin(), candidates_.end(), [this](const auto& candidate) {
    return candidate->machine && candidate->machine->Leads(candidate->Local(now_));
  }));
}

// Leading begins with an event and ends by itself, so looking after every event misses nothing.
void ElectionWorld::Check() {
  if (leaders() < 2) return;
  violation_ = "two lead at " + std::to_string(static_cast<double>(now_.count()) / 1e9) + " s, seed " +
               std::to_string(options_.seed);
}

ElectionWorld::Time ElectionWorld::DrawTime(double from_seconds, double to_seconds) {
  return Time{static_cast<Time::rep>(Draw(from_seconds, to_seconds) * 1e9)};
}

ElectionWorld::Time ElectionWorld::Latency() {
  return Troubled() && Chance(0.1) ? DrawTime(0, 30) : DrawTime(0.0005, 0.05);
}

void ElectionWorld::At(Time when, std::function<void()> what) { events_.push({when, ++order_, std::move(what)}); }

// ---- processes ---------------------------------------------------------------------------------------------------

void ElectionWorld::Start(Candidate& candidate) {
  const int life = ++candidate.life;
  candidate.machine = std::make_unique<LeaderElector>(
      LeaderElectorOptions{std::to_string(candidate.number) + "_" + std::to_string(life), options_.times, random_()});
  candidate.base_version = candidate.request = candidate.timer = 0;
  candidate.led = false;
  candidate.suspended_until = now_;
  Deliver(candidate, life, ElectionStarted{});
}

// The process is gone, and started anew some time later.
void ElectionWorld::End(Candidate& candidate) {
  candidate.machine.reset();
  const int life = ++candidate.life;
  At(now_ + DrawTime(0.1, 5), [this, &candidate, life] {
    if (candidate.life == life) Start(candidate);
  });
}

void ElectionWorld::Disturb() {
  if (!Troubled()) return;
  At(now_ + DrawTime(0, 12), [this] { Disturb(); });
  if (Chance(0.1)) {
    outage_until_ = now_ + DrawTime(0, 25);
    return;
  }
  Candidate& candidate = *candidates_[random_() % candidates_.size()];
  if (!candidate.machine) return;
  if (Chance(0.3)) {
    candidate.cut_off_until = now_ + DrawTime(0, 40);
  } else if (Chance(0.5)) {
    candidate.suspended_until = now_ + DrawTime(0, Chance(0.5) ? 3 : 40);
  } else if (Chance(0.5)) {
    End(candidate);
  } else {
    Stop(candidate);
  }
}

// By SIGTERM; it has some time to release the Lease.
void ElectionWorld::Stop(Candidate& candidate) {
  const int life = candidate.life;
  candidate.request = 0;
  Deliver(candidate, life, ElectionStopped{});
  At(now_ + std::chrono::milliseconds{1'000}, [this, &candidate, life] {
    if (candidate.life == life) End(candidate);
  });
}

// ---- what the driver does ----------------------------------------------------------------------------------------

void ElectionWorld::Deliver(Candidate& candidate, int life, const ElectionInput& input) {
  if (candidate.life != life || !candidate.machine) return;
  if (candidate.suspended_until > now_) {
    At(candidate.suspended_until, [this, &candidate, life, input] { Deliver(candidate, life, input); });
    return;
  }
  const WallTime wall{duration_cast<std::chrono::microseconds>(candidate.Local(now_).time_since_epoch())};
  for (const auto& effect : candidate.machine->Handle(input, candidate.Local(now_), wall)) Carry(candidate, effect);
}

void ElectionWorld::Carry(Candidate& candidate, const ElectionEffect& effect) {
  if (const auto* read = std::get_if<ReadLease>(&effect)) {
    Request(candidate, read->timeout, [this](Candidate& asking) -> ElectionInput {
      if (version_ == 0) return LeaseMissing{};
      asking.base_version = version_;
      return LeaseSeen{lease_};
    });
  } else if (const auto* write = std::get_if<WriteLease>(&effect)) {
    const std::uint64_t base = write->create ? 0 : candidate.base_version;
    if (write->record.holder.empty()) ++released_;
    Request(candidate, write->timeout, [this, base, record = write->record](Candidate& asking) -> ElectionInput {
      if (version_ != base) return LeaseFailed{Conflict()};
      lease_ = record;
      asking.base_version = ++version_;
      return LeaseWritten{};
    });
  } else if (const auto* timer = std::get_if<StartElectionTimer>(&effect)) {
    const std::uint64_t number = candidate.timer = ++order_;
    const int life = candidate.life;
    if (timer->delay.count() < 0) violation_ = "a timer in the past, seed " + std::to_string(options_.seed);
    const Time delay{static_cast<Time::rep>(static_cast<double>(nanoseconds{timer->delay}.count()) / candidate.rate)};
    At(now_ + delay + DrawTime(0, 0.01), [this, &candidate, life, number] {
      if (candidate.timer == number) Deliver(candidate, life, ElectionTimerFired{});
    });
  } else if (std::holds_alternative<Lead>(effect)) {
    if (!std::exchange(candidate.led, true)) ++leaderships_;
  } else if (std::holds_alternative<LoseLease>(effect)) {
    ++lost_;
  } else if (std::holds_alternative<EndElection>(effect)) {
    const int life = candidate.life;
    At(now_, [this, &candidate, life] {
      if (candidate.life == life) End(candidate);
    });
  }
}

// A request may be lost before or after it is carried out; what is carried out late is carried out all the same. What
// the server sends changes what the candidate knows only if it arrives.
void ElectionWorld::Request(Candidate& candidate, std::chrono::milliseconds timeout,
                            std::function<ElectionInput(Candidate&)> serve) {
  const std::uint64_t number = candidate.request = ++order_;
  const int life = candidate.life;
  const Time limit{static_cast<Time::rep>(static_cast<double>(nanoseconds{timeout}.count()) / candidate.rate)};
  At(now_ + limit, [this, &candidate, life, number] {
    Answer(candidate, life, number, LeaseFailed{Error{ErrorKind::kRetry, "no answer", {}, {}}});
  });
  const Time sent = now_;
  At(now_ + Latency(), [this, &candidate, life, number, sent, serve = std::move(serve)] {
    if (Troubled() && (sent < std::max(outage_until_, candidate.cut_off_until) || Chance(0.05))) return;
    Candidate asking;  // what the answer tells
    const ElectionInput answer = serve(asking);
    if (Troubled() && Chance(0.1)) return;
    At(now_ + Latency(), [this, &candidate, life, number, answer, version = asking.base_version] {
      if (candidate.life == life && candidate.request == number && version != 0) candidate.base_version = version;
      Answer(candidate, life, number, answer);
    });
  });
}

void ElectionWorld::Answer(Candidate& candidate, int life, std::uint64_t request, const ElectionInput& input) {
  if (candidate.life != life || candidate.request != request) return;
  candidate.request = 0;
  Deliver(candidate, life, input);
}

}  // namespace kube_events
