#include "chaos/disturbances.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>
#include <vector>

namespace kube_events::chaos {

using sim::Fault;
using sim::FaultAction;

const Disturbances::Named Disturbances::kActions[] = {
    {"end watches", &Disturbances::EndWatches},
    {"close watches", &Disturbances::CloseWatches},
    {"reset watches", &Disturbances::ResetWatches},
    {"silence watches", &Disturbances::SilenceWatches},
    {"close all connections", &Disturbances::CloseConnections},
    {"compact under a watch", &Disturbances::CompactUnderAWatch},
    {"compact and reset", &Disturbances::CompactAndReset},
    {"restore a backup", &Disturbances::RestoreBackup},
    {"rotate the token", &Disturbances::RotateToken},
    {"suspend the exporter", &Disturbances::Suspend},
    {"forbid for a while", &Disturbances::ForbidForAWhile},
    {"fail lists", &Disturbances::FailLists},
    {"break a list", &Disturbances::BreakAList},
    {"refuse watches", &Disturbances::RefuseWatches},
    {"send an error frame", &Disturbances::SendErrorFrame},
    {"truncate a frame", &Disturbances::TruncateAFrame},
    {"reset after frames", &Disturbances::ResetAfterFrames},
    {"end watches empty", &Disturbances::EndEmptyWatches},
    {"send nonsense", &Disturbances::SendNonsense},
    {"slow down", &Disturbances::SlowDown},
};

const sim::LoadOptions& Disturbances::DrawLoad() {
  sim::LoadOptions& load = load_;
  constexpr std::array<double, 5> kRates = {20, 100, 400, 1500, 4000};
  load.rate = kRates[Draw(kRates.size())];
  // Half of the rounds have only what a watcher can know for certain.
  const bool honest = Draw(2) == 0;
  load.late_retries = honest ? 0 : 0.01;
  load.delayed_recreations = honest ? 0 : 0.01;
  constexpr std::array<double, 4> kShares = {0, 0.02, 0.06, 0.15};
  load.resets = kShares[Draw(3)];
  load.deletions = kShares[Draw(kShares.size())];
  load.recreations = kShares[Draw(kShares.size())];
  load.touches = kShares[Draw(kShares.size())];
  return load;
}

std::string Disturbances::DisturbOnce() {
  const Named& chosen = kActions[Draw(std::size(kActions))];
  (this->*chosen.action)();
  ++done_[chosen.name];
  return chosen.name;
}

void Disturbances::Calm() {
  world_.server.ClearFaults();
  world_.server.SetDenied({});
}

void Disturbances::CompactAndReset() {
  ResetWatches();
  world_.server.Compact();
}

// Clients notice a restored backup by its lower version. What they had not seen of the time that is lost they cannot
// miss, and a server that writes as much as it lost before they look again cannot be told from one that was never
// restored: so they see all first, and the load is slow from here on.
void Disturbances::RestoreBackup() {
  constexpr std::uint64_t kLeastLoss = 1000;
  world_.server.StopLoad();
  Calm();
  world_.catch_up();
  const sim::SimState state = world_.server.State();
  const std::uint64_t oldest = std::max(world_.baseline, state.compacted_revision);
  if (state.revision > oldest + kLeastLoss) {
    world_.server.Rewind(state.revision - kLeastLoss - Draw(state.revision - oldest - kLeastLoss));
  }
  sim::LoadOptions slow = load_;
  slow.rate = 10;
  world_.server.StartLoad(slow);
}

// Until the round is over.
void Disturbances::ForbidForAWhile() {
  sim::AccessRule rule;
  rule.verb = Draw(2) == 0 ? "watch" : "list";
  world_.server.SetDenied({rule});
  ResetWatches();
}

void Disturbances::FailLists() {
  constexpr std::array<int, 5> kCodes = {500, 503, 429, 504, 410};
  Fault fault;
  fault.verb = "list";
  fault.action = FaultAction::kStatus;
  fault.status = kCodes[Draw(kCodes.size())];
  fault.retry_after_seconds = static_cast<int>(Draw(2));
  fault.times = static_cast<std::int64_t>(1 + Draw(3));
  fault.skip = static_cast<std::int64_t>(Draw(3));
  world_.server.AddFault(fault);
  ResetWatches();
}

void Disturbances::BreakAList() {
  constexpr std::array<FaultAction, 3> kActionsOfLists = {FaultAction::kReset, FaultAction::kClose, FaultAction::kBody};
  Fault fault;
  fault.verb = "list";
  fault.action = kActionsOfLists[Draw(kActionsOfLists.size())];
  fault.after_bytes = Draw(20'000);
  fault.text = R"({"kind":"EventList","metadata":{"resourceVersion":"7"},"items":[{"metadata":7}]})";
  // A list of another version and without Events would be believed: only what is no list at all is nonsense.
  if (fault.action == FaultAction::kBody) fault.text = "<html>teapot</html>";
  fault.skip = static_cast<std::int64_t>(Draw(3));
  world_.server.AddFault(fault);
  CompactAndReset();
}

void Disturbances::AddWatchFault(FaultAction action, std::int64_t times) {
  Fault fault;
  fault.verb = "watch";
  fault.action = action;
  fault.times = times;
  fault.after_frames = Draw(20);
  constexpr std::array<int, 5> kCodes = {410, 429, 500, 504, 503};
  fault.status = kCodes[Draw(kCodes.size())];
  fault.delay_ms = action == FaultAction::kDelay ? static_cast<std::int64_t>(Draw(700)) : 0;
  world_.server.AddFault(fault);
  EndWatches();
}

void Disturbances::RefuseWatches() { AddWatchFault(FaultAction::kStatus, static_cast<std::int64_t>(1 + Draw(2))); }
void Disturbances::SendErrorFrame() { AddWatchFault(FaultAction::kError, 1); }
void Disturbances::TruncateAFrame() { AddWatchFault(FaultAction::kTruncate, static_cast<std::int64_t>(1 + Draw(3))); }
void Disturbances::ResetAfterFrames() { AddWatchFault(FaultAction::kReset, static_cast<std::int64_t>(1 + Draw(3))); }
void Disturbances::SlowDown() { AddWatchFault(FaultAction::kDelay, 2); }

void Disturbances::EndEmptyWatches() {
  Fault fault;
  fault.verb = "watch";
  fault.action = FaultAction::kEnd;
  fault.times = static_cast<std::int64_t>(1 + Draw(3));
  world_.server.AddFault(fault);
  EndWatches();
}

void Disturbances::SendNonsense() {
  static const std::vector<std::string> kFrames = {
      "no JSON\n",
      "{\"type\":\"ADDED\"}\n",
      "{\"type\":\"GONE\",\"object\":{}}\n",
      "{\"type\":\"ADDED\",\"object\":{\"kind\":\"Pod\",\"metadata\":{\"name\":\"x\",\"resourceVersion\":\"1\"}}}\n",
      "{\"type\":\"ADDED\",\"object\":{\"kind\":\"Event\",\"metadata\":{\"name\":\"x\"}}}\n",
      "{\"type\":\"MODIFIED\",\"object\":{\"kind\":\"Event\",\"metadata\":[]}}\n",
      "\n\n\n",
      "{\"type\":\"ADDED\",\"object\":{\"kind\":\"Event\",\"metadata\":{\"name\":\"\xff\xfe\",\"resourceVersion\":7}}}"
      "\n",
  };
  world_.server.InjectFrame(kFrames[Draw(kFrames.size())]);
}

}  // namespace kube_events::chaos
