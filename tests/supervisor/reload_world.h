// A disk, a Fluent Bit and their noticing in virtual time, around a ReloadController: what the property test plays
// histories in. The Fluent Bit behaves as the real one was observed to. Owned by a test; one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <queue>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kube_events/supervisor/debouncer.h"
#include "kube_events/supervisor/reload_controller.h"

namespace kube_events {

// One change of the file.
struct DiskWrite {
  enum class Kind { kGood, kBad, kEmpty, kTouch, kBack } kind = Kind::kGood;
  std::chrono::milliseconds after{0};  // the write before it
  bool in_place = false;               // empty for some milliseconds, as a truncating writer has it
  bool forced = false;                 // a SIGHUP to the watcher comes with it
};

struct History {
  std::uint64_t seed = 0;
  double swallow = 0;   // share of triggers that have no effect
  double slow = 0;      // share of reloads that drain for seconds
  double unseen = 0;    // share of changes that only the slow re-hash finds
  double flicker = 0;   // share of checks and triggers that meet another content, which is gone again right after
  bool by_log = false;  // no HTTP server: signals and log lines
  std::vector<DiskWrite> writes = {};
};

History RandomHistory(std::uint64_t seed);
std::string Describe(const History& history);

class ReloadWorld {
 public:
  explicit ReloadWorld(const History& history);
  // Plays the history, and three hours more: with four of five triggers swallowed it takes that long to be sure.
  void Play();
  // What is wrong with the outcome; empty: nothing.
  std::string Complaint() const;
  int reloads() const { return reloads_; }

 private:
  using Ms = std::chrono::milliseconds;
  struct Event {
    MonotonicTime at;
    std::uint64_t order;
    std::function<void()> run;
    bool operator<(const Event& other) const { return std::tie(other.at, other.order) < std::tie(at, order); }
  };

  void At(MonotonicTime when, std::function<void()> run) { events_.push({when, order_++, std::move(run)}); }
  void In(Ms delay, std::function<void()> run) { At(now_ + delay, std::move(run)); }
  Ms Between(int low, int high) { return Ms{std::uniform_int_distribution<int>(low, high)(random_)}; }
  bool Chance(double share) { return std::bernoulli_distribution(share)(random_); }

  void Put(std::uint64_t content);
  void Write(const DiskWrite& write);
  void Flicker(bool good);
  void Notice();
  void LookIfDue();
  void Rehash();
  SeenConfig Scan() const;
  void Step(const ReloadInput& input);
  void Carry(const ReloadEffect& effect);
  void Arm();
  TriggerAnswer Trigger();
  void FinishReload(std::uint64_t content);
  ReloadCount Count() const;

  History history_;
  std::mt19937_64 random_;
  MonotonicTime now_{std::chrono::hours{1}};
  MonotonicTime end_{};
  std::uint64_t order_ = 0;
  std::priority_queue<Event> events_;

  // The disk. Content 0 is an empty file; odd ones are bad.
  std::uint64_t disk_ = 2;
  std::uint64_t stamp_ = 1;
  std::uint64_t next_ = 4;
  std::vector<std::uint64_t> earlier_{2};
  std::set<std::uint64_t> good_{2};
  int changes_ = 0;
  int flickers_ = 0;

  // Fluent Bit.
  std::uint64_t running_ = 2;
  std::uint64_t count_ = 0;
  bool reloading_ = false;
  MonotonicTime deaf_until_{};
  int reloads_ = 0;
  int triggers_ = 0;
  int overlaps_ = 0;

  Debouncer debouncer_{Ms{300}, Ms{3'000}};
  ReloadController controller_;
  std::uint64_t wake_ = 0;
};

}  // namespace kube_events
