// Checkpoints for the tests of their format and stores.
#pragma once

#include <chrono>
#include <cstddef>
#include <random>
#include <string>

#include "kube_events/state/checkpoint.h"

namespace kube_events::testing {

inline constexpr WallTime kNow{std::chrono::seconds{1'767'225'600}};

inline SavedTotal RandomTotal(std::mt19937_64& random, bool tombstone) {
  SavedTotal total;
  total.key = random();
  total.uid = static_cast<std::uint32_t>(random());
  total.highest = static_cast<std::uint32_t>(2 + random() % (random() % 10 == 0 ? 100'000 : 6));
  total.last = random() % 20 == 0 ? 1 : total.highest;
  if (random() % 10 != 0) total.epoch = kNow - std::chrono::seconds{random() % 3600};
  total.baselined = random() % 8 == 0;
  total.series_at_baseline = total.baselined && random() % 2 == 0;
  if (tombstone) total.buried = kNow - std::chrono::minutes{15 * (random() % 96)};
  return total;
}

inline Checkpoint Sample(std::size_t live = 0, std::size_t tombstones = 0, std::uint64_t seed = 1) {
  std::mt19937_64 random(seed);
  Checkpoint checkpoint;
  checkpoint.cluster = {"uid-of-the-cluster", "https://server 17"};
  checkpoint.writer = "pod_1";
  checkpoint.sequence = 3;
  checkpoint.saved_at = kNow;
  CheckpointScope scope;
  scope.scope = {EventApi::kEventsV1, "shop", "team=a,\"b\"", "type=Warning"};
  scope.position = "4711";
  scope.observed_until = kNow;
  scope.horizon = kNow - std::chrono::seconds{1};
  scope.baseline_time = kNow - std::chrono::hours{9};
  scope.newest = kNow - std::chrono::seconds{2};
  checkpoint.scopes.push_back(scope);
  checkpoint.totals.hash_seed = ~std::uint64_t{7};
  for (std::size_t i = 0; i < live; ++i) checkpoint.totals.live.push_back(RandomTotal(random, false));
  for (std::size_t i = 0; i < tombstones; ++i) checkpoint.totals.tombstones.push_back(RandomTotal(random, true));
  return checkpoint;
}

inline Checkpoint At(const std::string& position, const std::string& writer) {
  Checkpoint checkpoint = Sample(2, 1);
  checkpoint.scopes[0].position = position;
  checkpoint.writer = writer;
  return checkpoint;
}

}  // namespace kube_events::testing
