#include "kube_events/app/leadership.h"

#include <random>
#include <utility>

#include "program.h"

namespace kube_events {
namespace {

// A replica that cannot read the Lease for a moment is still ready to take over.
constexpr std::chrono::seconds kTroubleGrace{30};
constexpr char kCondition[] = "leader election";

ObjectPath LeasePath(const ExporterOptions& options, const std::string& default_namespace) {
  const std::string& given = options.leader_elect_lease_namespace;
  return {"coordination.k8s.io", "leases", given.empty() ? default_namespace : given, options.leader_elect_lease_name};
}

}  // namespace

bool FencedConsumer::MayPass() {
  if (!lapsed_ && !fence_.IsOpen()) {
    lapsed_ = true;
    on_lapse_();
  }
  return !lapsed_;
}

void FencedConsumer::OnListBegin(ScopeIndex scope, ListReason reason, WallTime server_time) {
  if (MayPass()) inner_.OnListBegin(scope, reason, server_time);
}

void FencedConsumer::OnListCommitted(ScopeIndex scope, std::string_view version, WallTime server_time) {
  if (MayPass()) inner_.OnListCommitted(scope, version, server_time);
}

void FencedConsumer::OnChange(const Change& change) {
  if (MayPass()) inner_.OnChange(change);
}

Leadership::Leadership(const ExporterOptions& options, const std::string& default_namespace, LeadershipParts parts)
    : parts_(std::move(parts)),
      lease_(LeasePath(options, default_namespace)),
      options_{NewElectionIdentity(), options.ElectionTimesGiven(), std::random_device{}()},
      objects_(parts_.http, parts_.credentials),
      fence_(parts_.clock),
      consumer_(fence_, parts_.consumer,
                [this] {
                  parts_.on_failure("the time for which the Lease " + ToString(lease_) +
                                    " was held is over, and Events go on to come: another replica may count them");
                }),
      counters_(fence_, parts_.counters) {
  parts_.health.SetNotReady(kCondition, "leader election: the Lease " + ToString(lease_) + " was not read yet");
}

void Leadership::Begin() {
  election_ = std::make_unique<LeaderElection>(
      lease_, options_,
      LeaderElectionParts{objects_, parts_.clock, fence_, *this, parts_.health.AddLoop("leader", kMaxLoopSilence),
                          parts_.log});
}

void Leadership::OnFollowing(const std::string&) { parts_.health.SetReady(kCondition); }

void Leadership::OnLeading() {
  parts_.start_counting();
  parts_.health.SetReady(kCondition);  // not before: from here on readiness is that of the counting
}

void Leadership::OnElectionTrouble(std::string_view verb, const Error& error) {
  parts_.metrics.CountApiError(verb, error);
  // A leader goes on to count, or is told that it has lost the Lease.
  if (Leads()) return;
  parts_.health.SetNotReady(kCondition, "leader election: " + error.message, kTroubleGrace);
}

void Leadership::OnLost(const std::string& reason) {
  parts_.on_failure(reason + "; this replica ends, so that nothing is counted twice");
}

}  // namespace kube_events
