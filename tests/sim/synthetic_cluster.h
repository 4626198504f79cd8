// A made-up cluster whose Events look like those of a real one: namespaces, workloads, pods and nodes, the reasons and
// messages that kubelet, scheduler and controllers write, and managedFields as clients leave them.
// Owned by the load generator; not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "kube_events/base/clock.h"
#include "sim/event_object.h"

namespace kube_events::sim {

struct ClusterOptions {
  std::uint64_t seed = 1;
  std::size_t namespaces = 12;  // 1 or more
  std::size_t nodes = 9;        // 1 or more
};

class SyntheticCluster {
 public:
  explicit SyntheticCluster(const ClusterOptions& options);

  // A new Event, as its recorder writes it at `now` when the thing happened for the first time: either with
  // firstTimestamp, lastTimestamp and count 1, or with an eventTime and no series.
  EventObject NewEvent(WallTime now);

 private:
  struct Workload {
    std::string namespace_name;
    std::string name;
    std::string image;
    std::string hash;  // of its ReplicaSet
  };
  struct Subject;

  Subject MakeSubject(const char* kind);
  std::string Fill(const char* pattern, const Subject& subject);
  std::string Hex(int digits);
  std::string Uid(const std::string& of) const;
  std::size_t Draw(std::size_t count) { return static_cast<std::size_t>(random_() % count); }

  std::mt19937_64 random_;
  std::uint64_t salt_;
  std::vector<Workload> workloads_;
  std::vector<std::string> nodes_;
  std::vector<std::size_t> rows_;  // indices into the catalog, repeated by weight
};

}  // namespace kube_events::sim
