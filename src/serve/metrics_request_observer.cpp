#include "kube_events/serve/metrics_request_observer.h"

namespace kube_events {
namespace {

constexpr std::string_view kMetricsPath = "/metrics";

}  // namespace

void MetricsRequestObserver::OnRequestBegin(std::string_view path) {
  if (path == kMetricsPath) metrics_.requests_in_flight.Increment();
}

void MetricsRequestObserver::OnRequestEnd(std::string_view path, int status, std::chrono::nanoseconds took) {
  if (path != kMetricsPath) return;
  metrics_.requests_in_flight.Decrement();
  metrics_.CountRequest(status);
  metrics_.request_duration_seconds.Observe(std::chrono::duration<double>(took).count());
}

}  // namespace kube_events
