// Several candidates and an API server, on one simulated time: every candidate has a clock of its own that runs faster
// or slower, requests are late, lost, or carried out without an answer, processes are suspended, killed, stopped and
// started anew. What happens follows from the seed. One thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <queue>
#include <random>
#include <string>
#include <vector>

#include "kube_events/leader/leader_elector.h"

namespace kube_events {

struct ElectionWorldOptions {
  std::uint64_t seed = 0;
  int candidates = 3;
  ElectionTimes times;
  double drift = 0.15;                 // clocks run at a rate from 1 - drift to 1 + drift
  std::chrono::seconds troubled{300};  // for so long things go wrong
  std::chrono::seconds calm{60};       // then for so long nothing does
};

class ElectionWorld {
 public:
  explicit ElectionWorld(ElectionWorldOptions options);

  // Plays it all. Returns when two led at the same time, as a text; empty: never.
  std::string Play();

  int leaders() const;  // right now
  int leaderships() const { return leaderships_; }
  int lost() const { return lost_; }
  int released() const { return released_; }

 private:
  using Time = std::chrono::nanoseconds;  // true time since the beginning

  struct Candidate {
    int number = 0;
    int life = 0;  // counts processes; what was meant for an earlier one is dropped
    double rate = 1;
    Time offset{};
    Time suspended_until{};
    Time cut_off_until{};                    // from the API server
    std::unique_ptr<LeaderElector> machine;  // none: not running
    std::uint64_t base_version = 0;          // of the Lease, as it knows it
    std::uint64_t request = 0;               // number of the one under way; 0: none
    std::uint64_t timer = 0;
    bool led = false;

    MonotonicTime Local(Time now) const;
  };
  struct Event {
    Time at;
    std::uint64_t order;
    std::function<void()> what;
    bool operator<(const Event& other) const { return std::tie(other.at, other.order) < std::tie(at, order); }
  };

  double Draw(double from, double to) { return std::uniform_real_distribution<double>(from, to)(random_); }
  bool Chance(double probability) { return Draw(0, 1) < probability; }
  Time DrawTime(double from_seconds, double to_seconds);
  bool Troubled() const { return now_ < options_.troubled; }
  Time Latency();
  void At(Time when, std::function<void()> what);
  void Start(Candidate& candidate);
  void End(Candidate& candidate);
  void Disturb();
  void Stop(Candidate& candidate);
  void Deliver(Candidate& candidate, int life, const ElectionInput& input);
  void Carry(Candidate& candidate, const ElectionEffect& effect);
  void Request(Candidate& candidate, std::chrono::milliseconds timeout, std::function<ElectionInput(Candidate&)> serve);
  void Answer(Candidate& candidate, int life, std::uint64_t request, const ElectionInput& input);
  void Check();

  const ElectionWorldOptions options_;
  std::mt19937_64 random_;
  Time now_{};
  std::uint64_t order_ = 0;
  std::priority_queue<Event> events_;
  std::vector<std::unique_ptr<Candidate>> candidates_;
  Time outage_until_{};
  LeaseRecord lease_;
  std::uint64_t version_ = 0;  // of the Lease; 0: there is none
  std::string violation_;
  int leaderships_ = 0;
  int lost_ = 0;
  int released_ = 0;
};

}  // namespace kube_events
