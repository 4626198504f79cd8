// The pages of the programs: metrics, health and an index that links them.
// Functions that make routes; what they are given must outlive the server. Handlers run on the server's thread.
#pragma once

#include <string>
#include <vector>

#include "kube_events/base/health.h"
#include "kube_events/metrics/exposition.h"
#include "kube_events/serve/router.h"

namespace kube_events {

// GET /metrics: all sources in one page, as text or OpenMetrics, compressed where the client asks for it.
Route MetricsRoute(std::vector<const MetricSource*> sources);

// GET of a path: 200 "ok" while the process does its job, else 503 with one line per reason.
Route ReadyRoute(std::string path, const Health& health);
// The same for loops that are stuck.
Route AliveRoute(std::string path, const Health& health);

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

}  // namespace kube_events
