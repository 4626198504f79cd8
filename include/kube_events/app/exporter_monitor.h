// Turns what the informer tells about itself into metrics and readiness.
// Owned by the composition root; called on the informer thread.
#pragma once

#include <map>
#include <string>

#include "kube_events/base/health.h"
#include "kube_events/informer/informer_monitor.h"
#include "kube_events/metrics/self_metrics.h"

namespace kube_events {

class ExporterMonitor final : public InformerMonitor {
 public:
  // A watch that is opened again within this time does not make the exporter unready: a rotation must not flap.
  static constexpr std::chrono::seconds kReconnectGrace{30};

  // All must outlive the monitor.
  ExporterMonitor(SelfMetrics& metrics, Health& health, const Clock& clock)
      : metrics_(metrics), health_(health), clock_(clock) {}

  void OnScopeState(const Scope& scope, const ScopeState& state) override;
  void OnRequest(std::string_view verb, RequestOutcome outcome, const Error* error) override;
  void OnRelist(std::string_view reason) override;
  void OnGap(const Scope& scope, std::chrono::milliseconds length) override;
  void OnFrame(const FrameType* type, WallTime now) override;

 private:
  SelfMetrics& metrics_;
  Health& health_;
  const Clock& clock_;
};

}  // namespace kube_events
