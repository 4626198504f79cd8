// Takes part in the election of a leader by a Lease, from a thread of its own: a renewal waits for nothing but the
// answer to it.
// Owned by the composition root. The listener is called on that thread.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "kube_events/base/health.h"
#include "kube_events/base/logging.h"
#include "kube_events/base/trouble_log.h"
#include "kube_events/kube/object_client.h"
#include "kube_events/leader/leader_elector.h"
#include "kube_events/leader/leader_fence.h"

namespace kube_events {

// Implemented by whoever has something that only one process may do. No call may block: renewals wait for it.
class LeadershipListener {
 public:
  virtual ~LeadershipListener() = default;
  // `holder` leads; told at each look at the Lease.
  virtual void OnFollowing(const std::string& holder) = 0;
  // This process leads, as long as the fence is open. At most once.
  virtual void OnLeading() = 0;
  // A request failed and will be repeated. `verb`: "get", "create" or "update".
  virtual void OnElectionTrouble(std::string_view verb, const Error& error) = 0;
  // The fence is closed for good, well before another process may lead, and the process must end. At most once.
  virtual void OnLost(const std::string& reason) = 0;
};

struct LeaderElectionParts {
  ObjectClient& objects;
  const Clock& clock;
  LeaderFence& fence;
  LeadershipListener& listener;
  Heartbeat& heartbeat;
  Logger log;
};

class LeaderElection {
 public:
  // Starts the thread. `lease`: of the resource leases; it is created where it is missing. Everything in `parts` must
  // outlive the election.
  LeaderElection(ObjectPath lease, LeaderElectorOptions options, LeaderElectionParts parts);
  // Closes the fence and releases the Lease, so that another process need not wait until it expires: what only a leader
  // may do has to be over before. Waits for the API server, at most 1 s.
  ~LeaderElection();

 private:
  void Run(const std::stop_token& stop);
  void Loop(const std::stop_token& stop);
  void WaitForTimer(const std::stop_token& stop);
  void Feed(ElectionInput input, const std::stop_token& stop);
  using Answer = std::optional<ElectionInput>;
  Answer Do(const ReadLease& effect, const std::stop_token& stop);
  Answer Do(const WriteLease& effect, const std::stop_token& stop);
  Answer Do(const StartElectionTimer& effect, const std::stop_token& stop);
  Answer Do(const Lead& effect, const std::stop_token& stop);
  Answer Do(const Follow& effect, const std::stop_token& stop);
  Answer Do(const ReportElectionTrouble& effect, const std::stop_token& stop);
  Answer Do(const LoseLease& effect, const std::stop_token& stop);
  Answer Do(const EndElection& effect, const std::stop_token& stop);
  CallLimits Limits(std::chrono::milliseconds timeout, const std::stop_token& stop) const;
  Result<LeaseRecord> Keep(Result<nlohmann::json> lease);

  const ObjectPath path_;
  LeaderElectionParts parts_;
  LeaderElector elector_;
  TroubleLog trouble_log_;
  nlohmann::json lease_;  // as it was last read or written: the version that a write replaces
  std::optional<MonotonicTime> timer_;
  std::string holder_;     // whom we follow; empty: nobody yet
  std::string_view verb_;  // of the last request
  bool has_led_ = false;
  std::jthread thread_;
};

// A name that no other process has: this machine's, which in a pod is the pod's, and a random number.
std::string NewElectionIdentity();

}  // namespace kube_events
