// What survives a restart: for each scope a position and what counting needs to go on from it; docs/checkpoints.md.
// Plain values and pure functions, no thread rules.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kube_events/base/clock.h"
#include "kube_events/base/result.h"
#include "kube_events/counting/saved_counts.h"
#include "kube_events/informer/informer_monitor.h"
#include "kube_events/kube/scope.h"

namespace kube_events {

// Tells clusters apart. Where both know a uid it decides, else the server does.
struct ClusterIdentity {
  std::string uid;     // of an object that only this cluster has; empty: not readable
  std::string server;  // what is known without asking: address and CA as a hash

  bool operator==(const ClusterIdentity&) const = default;
};
bool IsSameCluster(const ClusterIdentity& a, const ClusterIdentity& b);

struct CheckpointScope {
  Scope scope;
  std::string position;     // the resourceVersion up to which everything was counted; a decimal number
  WallTime observed_until;  // the API server's time until when nothing was missed
  WallTime horizon;         // these four: see SavedScope
  WallTime baseline_time;
  OptionalTime newest;
  OptionalTime newest_listed;
  std::map<std::string, ScopePosition> sinks;  // up to where each sink of --forward is done, by its id
};

// Of each sink, by its id: one position per scope, in the order of the scopes; an empty version: none.
using ConsumerPositions = std::map<std::string, std::vector<ScopePosition>>;

struct Checkpoint {
  ClusterIdentity cluster;
  std::string writer;          // of the process that wrote it; a name that no other has
  std::uint64_t sequence = 0;  // counts the checkpoints of this writer
  WallTime saved_at;
  std::vector<CheckpointScope> scopes;
  SavedCounts totals;  // its `scopes` is empty: see above
};

// What `checkpoint` holds for the scopes of this process, by their index in `scopes`.
SavedCounts CountsFor(const Checkpoint& checkpoint, const std::vector<Scope>& scopes);
// Where the informer goes on, for each of `scopes`; nothing for those that start cold.
std::vector<std::optional<ScopePosition>> PositionsFor(const Checkpoint& checkpoint, const std::vector<Scope>& scopes);
// Where each sink goes on; sinks and scopes that the checkpoint does not know are missing or empty.
ConsumerPositions SinksFor(const Checkpoint& checkpoint, const std::vector<Scope>& scopes);
// Puts the positions of the sinks into the checkpoint's scopes; `scopes`: to which they belong.
void SetSinks(Checkpoint& checkpoint, const ConsumerPositions& sinks, const std::vector<Scope>& scopes);

// Whether `ours` may take the place of `stored`, which another process has written meanwhile: not if that has counted
// further in any scope that both know. kConflict with a message for the log that names the writer.
Result<void> MayReplace(const Checkpoint& ours, const Checkpoint& stored);

}  // namespace kube_events
