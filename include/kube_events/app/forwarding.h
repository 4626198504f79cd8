// --forward: the Forwarder, its sinks as flags and file describe them, and what its metrics say.
// Owned by the composition root and used on its thread, except where it says otherwise.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kube_events/app/exporter_options.h"
#include "kube_events/forward/forwarder.h"
#include "kube_events/metrics/forward_metrics.h"

namespace kube_events {

// The sinks of --forward and --forward-config. Reads the file. Fails with kConfiguration: what is wrong and where, and
// what to write instead; also where two sinks have the same id.
Result<std::vector<SinkSettings>> ForwardSinks(const ExporterOptions& options);

// Counting first, then forwarding. Informer thread.
class CountThenForward final : public ChangeConsumer {
 public:
  // Both must outlive it.
  CountThenForward(ChangeConsumer& counter, ChangeConsumer& forwarder) : counter_(counter), forwarder_(forwarder) {}

  void OnListBegin(ScopeIndex scope, ListReason reason, WallTime server_time) override;
  void OnListCommitted(ScopeIndex scope, std::string_view version, WallTime server_time) override;
  void OnChange(const Change& change) override;

 private:
  ChangeConsumer& counter_;
  ChangeConsumer& forwarder_;
};

struct ForwardingParts {
  KubeClient& client;
  const Clock& clock;
  Health& health;
  ChangeConsumer& counter;  // who else gets the changes, and first
  Logger log;
  SessionOptions session;
  Environment environment;
};

class Forwarding final : private ForwardMonitor {
 public:
  // Waits for no network. Everything in `parts` must outlive it. Fails as ForwardSinks and Forwarder::Start do.
  static Result<std::unique_ptr<Forwarding>> Start(const ExporterOptions& options, const std::vector<Scope>& scopes,
                                                   EventFilter filter, ForwardingParts parts);

  // Gets what the counter would get.
  ChangeConsumer& consumer() { return *consumer_; }
  Forwarder& forwarder() { return *forwarder_; }
  const MetricSource& metrics() const { return metrics_; }

 private:
  explicit Forwarding(const std::vector<SinkSettings>& sinks);

  void OnRecords(std::string_view sink, std::string_view result, std::size_t count) override;
  void OnRetry(std::string_view sink) override;
  void OnDropped(std::string_view sink, std::string_view reason, std::size_t count) override;
  void OnSent(std::string_view sink, std::chrono::microseconds took) override;
  std::vector<ForwardGauges> Gauges() const;

  ForwardMetrics metrics_;
  std::unique_ptr<Forwarder> forwarder_;  // its threads use metrics_
  std::unique_ptr<CountThenForward> consumer_;
};

}  // namespace kube_events
