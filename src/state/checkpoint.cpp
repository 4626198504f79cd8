#include "kube_events/state/checkpoint.h"

#include <algorithm>

#include "kube_events/base/resource_version.h"

namespace kube_events {
namespace {

bool IsSameScope(const Scope& a, const Scope& b) {
  return a.api == b.api && a.namespace_name == b.namespace_name && a.label_selector == b.label_selector &&
         a.field_selector == b.field_selector;
}

// Of the scope of this process that `saved` is about; none also where its position is no number.
std::optional<ScopeIndex> IndexOf(const CheckpointScope& saved, const std::vector<Scope>& scopes) {
  const auto found =
      std::find_if(scopes.begin(), scopes.end(), [&](const Scope& scope) { return IsSameScope(scope, saved.scope); });
  if (found == scopes.end() || !ParseResourceVersion(saved.position)) return std::nullopt;
  return static_cast<ScopeIndex>(found - scopes.begin());
}

}  // namespace

bool IsSameCluster(const ClusterIdentity& a, const ClusterIdentity& b) {
  if (!a.uid.empty() && !b.uid.empty()) return a.uid == b.uid;
  return a.server == b.server;
}

SavedCounts CountsFor(const Checkpoint& checkpoint, const std::vector<Scope>& scopes) {
  SavedCounts counts = checkpoint.totals;
  for (const CheckpointScope& saved : checkpoint.scopes) {
    const auto index = IndexOf(saved, scopes);
    if (!index) continue;
    // The last one holds where a scope is there twice, which only another hand can have done; as in PositionsFor.
    std::erase_if(counts.scopes, [&](const SavedScope& scope) { return scope.scope == *index; });
    counts.scopes.push_back({.scope = *index,
                             .position = *ParseResourceVersion(saved.position),
                             .horizon = saved.horizon,
                             .baseline_time = saved.baseline_time,
                             .newest = saved.newest,
                             .newest_listed = saved.newest_listed});
  }
  return counts;
}

std::vector<std::optional<ScopePosition>> PositionsFor(const Checkpoint& checkpoint, const std::vector<Scope>& scopes) {
  std::vector<std::optional<ScopePosition>> positions(scopes.size());
  for (const CheckpointScope& saved : checkpoint.scopes) {
    if (const auto index = IndexOf(saved, scopes)) positions[*index] = {saved.position, saved.observed_until};
  }
  return positions;
}

ConsumerPositions SinksFor(const Checkpoint& checkpoint, const std::vector<Scope>& scopes) {
  ConsumerPositions sinks;
  for (const CheckpointScope& saved : checkpoint.scopes) {
    const auto index = IndexOf(saved, scopes);
    if (!index) continue;
    for (const auto& [id, position] : saved.sinks) {
      if (!ParseResourceVersion(position.version)) continue;
      auto& positions = sinks.try_emplace(id, scopes.size()).first->second;
      positions[*index] = position;
    }
  }
  return sinks;
}

void SetSinks(Checkpoint& checkpoint, const ConsumerPositions& sinks, const std::vector<Scope>& scopes) {
  for (CheckpointScope& saved : checkpoint.scopes) {
    saved.sinks.clear();
    const auto index = IndexOf(saved, scopes);
    if (!index) continue;
    for (const auto& [id, positions] : sinks) {
      if (!positions.at(*index).version.empty()) saved.sinks[id] = positions.at(*index);
    }
  }
}

Result<void> MayReplace(const Checkpoint& ours, const Checkpoint& stored) {
  if (ours.writer == stored.writer) return {};
  for (const CheckpointScope& scope : stored.scopes) {
    const auto found = std::find_if(ours.scopes.begin(), ours.scopes.end(),
                                    [&](const CheckpointScope& our) { return IsSameScope(our.scope, scope.scope); });
    if (found == ours.scopes.end() || !ComesBefore(found->position, scope.position)) continue;
    return Fail({ErrorKind::kConflict,
                 "another exporter, " + stored.writer + ", writes this checkpoint and is further (scope " +
                     scope.scope.Name() + ": " + scope.position + ", here " + found->position +
                     "); give each its own --checkpoint",
                 {},
                 "newer"});
  }
  return {};
}

}  // namespace kube_events
