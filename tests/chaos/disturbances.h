// What a cluster and a network do to a client, drawn at random and done to a simulated API server.
// Owned and used by one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <utility>

#include "sim/load_generator.h"
#include "sim/sim_server.h"

namespace kube_events::chaos {

// What a disturbance may touch.
struct World {
  sim::SimServer& server;
  // No restored backup is older than this revision: the exporter's first list.
  std::uint64_t baseline = 0;
  // Gives the exporter another token, which the server knows too.
  std::function<void()> rotate_token;
  // Waits until the exporter has seen all that was written.
  std::function<void()> catch_up;
  // Stops the exporter's process for a moment.
  std::function<void()> suspend;
};

class Disturbances {
 public:
  Disturbances(World world, sim::LoadOptions load, std::uint64_t seed)
      : world_(std::move(world)), load_(load), random_(seed) {}

  // How the load of the next round is made up.
  const sim::LoadOptions& DrawLoad();
  // Does one thing and returns its name.
  std::string DisturbOnce();
  // Ends whatever still lasts.
  void Calm();

  // How often each was done.
  const std::map<std::string, int>& done() const { return done_; }

 private:
  using Action = void (Disturbances::*)();
  struct Named {
    const char* name;
    Action action;
  };
  static const Named kActions[];

  void EndWatches() { world_.server.DropWatches(sim::DropMode::kEnd); }
  void CloseWatches() { world_.server.DropWatches(sim::DropMode::kClose); }
  void ResetWatches() { world_.server.DropWatches(sim::DropMode::kReset); }
  void SilenceWatches() { world_.server.DropWatches(sim::DropMode::kSilence); }
  void CloseConnections() { world_.server.CloseConnections(); }
  void CompactUnderAWatch() { world_.server.Compact(); }
  void CompactAndReset();
  void RestoreBackup();
  void RotateToken() { world_.rotate_token(); }
  void Suspend() { world_.suspend(); }
  void ForbidForAWhile();
  void FailLists();
  void BreakAList();
  void RefuseWatches();
  void SendErrorFrame();
  void TruncateAFrame();
  void ResetAfterFrames();
  void EndEmptyWatches();
  void SendNonsense();
  void SlowDown();

  void AddWatchFault(sim::FaultAction action, std::int64_t times);
  std::size_t Draw(std::size_t count) { return static_cast<std::size_t>(random_() % count); }

  World world_;
  sim::LoadOptions load_;
  std::mt19937_64 random_;
  std::map<std::string, int> done_;
};

}  // namespace kube_events::chaos
