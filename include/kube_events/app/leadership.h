// --leader-elect: of several replicas only the one that holds the Lease counts and shows kube_events_total.
// Owned by the composition root and used on its thread, except where it says otherwise.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "kube_events/app/exporter_options.h"
#include "kube_events/informer/change_consumer.h"
#include "kube_events/leader/leader_election.h"
#include "kube_events/metrics/exposition.h"
#include "kube_events/metrics/self_metrics.h"

namespace kube_events {

// Lets changes through while this process leads. The first one that comes later is refused, with all that follow:
// somebody else may have counted them. Used on the informer thread.
class FencedConsumer final : public ChangeConsumer {
 public:
  // Both must outlive it. `on_lapse` is told once, on the informer thread; the process must not go on.
  FencedConsumer(const LeaderFence& fence, ChangeConsumer& inner, std::function<void()> on_lapse)
      : fence_(fence), inner_(inner), on_lapse_(std::move(on_lapse)) {}

  void OnListBegin(ScopeIndex scope, ListReason reason, WallTime server_time) override;
  void OnListCommitted(ScopeIndex scope, std::string_view version, WallTime server_time) override;
  void OnChange(const Change& change) override;
  // A change was refused. Informer thread.
  bool lapsed() const { return lapsed_; }

 private:
  bool MayPass();

  const LeaderFence& fence_;
  ChangeConsumer& inner_;
  const std::function<void()> on_lapse_;
  bool lapsed_ = false;
};

// Shows metrics while this process leads. Any thread.
class FencedSource final : public MetricSource {
 public:
  // Both must outlive it.
  FencedSource(const LeaderFence& fence, const MetricSource& inner) : fence_(fence), inner_(inner) {}
  void AppendTo(std::string& page, ExpositionFormat format) const override {
    if (fence_.IsOpen()) inner_.AppendTo(page, format);
  }

 private:
  const LeaderFence& fence_;
  const MetricSource& inner_;
};

struct LeadershipParts {
  HttpClient& http;
  Credentials& credentials;
  const Clock& clock;
  Health& health;
  SelfMetrics& metrics;
  ChangeConsumer& consumer;      // what only the leader may feed
  const MetricSource& counters;  // what only the leader may show
  Logger log;
  // This process leads: begin to count. On the election's thread, at most once; must not block.
  std::function<void()> start_counting;
  // The process must end, for this reason. Any thread, perhaps more than once.
  std::function<void(const std::string& reason)> on_failure;
};

class Leadership final : private LeadershipListener {
 public:
  // `default_namespace`: of the Lease, where --leader-elect-lease names none. Everything in `parts` must outlive it.
  Leadership(const ExporterOptions& options, const std::string& default_namespace, LeadershipParts parts);

  // To be used instead of the parts of the same name.
  FencedConsumer& consumer() { return consumer_; }
  const MetricSource& counters() const { return counters_; }
  // Right now. Any thread.
  bool Leads() const { return fence_.IsOpen(); }

  // Takes part in the election from now on, with a thread of its own.
  void Begin();
  // Releases the Lease; counting must have stopped. Waits for the API server, at most 1 s.
  void End() { election_.reset(); }

 private:
  void OnFollowing(const std::string& holder) override;
  void OnLeading() override;
  void OnElectionTrouble(std::string_view verb, const Error& error) override;
  void OnLost(const std::string& reason) override;

  LeadershipParts parts_;
  const ObjectPath lease_;
  const LeaderElectorOptions options_;
  ObjectClient objects_;
  LeaderFence fence_;
  FencedConsumer consumer_;
  FencedSource counters_;
  std::unique_ptr<LeaderElection> election_;  // last: its thread uses the others
};

}  // namespace kube_events
