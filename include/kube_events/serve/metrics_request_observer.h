// Counts the requests for /metrics into the exporter's own metrics.
// Owned by the composition root; called on the server's thread.
#pragma once

#include <chrono>
#include <string_view>

#include "kube_events/metrics/self_metrics.h"
#include "kube_events/serve/http_server.h"

namespace kube_events {

class MetricsRequestObserver final : public RequestObserver {
 public:
  explicit MetricsRequestObserver(SelfMetrics& metrics) : metrics_(metrics) {}
  void OnRequestBegin(std::string_view path) override;
  void OnRequestEnd(std::string_view path, int status, std::chrono::nanoseconds took) override;

 private:
  SelfMetrics& metrics_;
};

}  // namespace kube_events
