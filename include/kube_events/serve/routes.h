// The pages of the exporter: metrics, health and an index that links them.
// Functions that make routes; what they are given must outlive the server. Handlers run on the server's thread.
#pragma once

#include <string>
#include <vector>

#include "kube_events/base/health.h"
#include "kube_events/metrics/exposition.h"
#include "kube_events/metrics/self_metrics.h"
#include "kube_events/serve/http_server.h"
#include "kube_events/serve/router.h"

namespace kube_events {

// GET /metrics: all sources in one page, as text or OpenMetrics, compressed where the client asks for it.
Route MetricsRoute(std::vector<const MetricSource*> sources);

// GET /healthz and /readyz: 200 "ok" while the process does its job, else 503 with one line per reason.
// GET /livez: the same for loops that are stuck.
std::vector<Route> HealthRoutes(const Health& health);

struct IndexPage {
  std::string product;
  std::string version;
  std::vector<std::string> paths;  // to link
};
// GET /: a small HTML page.
Route IndexRoute(const IndexPage& page);

// Counts the requests for /metrics into the exporter's own metrics.
class MetricsRequestObserver final : public RequestObserver {
 public:
  explicit MetricsRequestObserver(SelfMetrics& metrics) : metrics_(metrics) {}
  void OnRequestBegin(std::string_view path) override;
  void OnRequestEnd(std::string_view path, int status, std::chrono::nanoseconds took) override;

 private:
  SelfMetrics& metrics_;
};

}  // namespace kube_events
