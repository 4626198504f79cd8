// What the watcher tells about itself. Every series that an alert may look at exists from the start.
// Owned by the composition root; the loop's thread changes it, scrapes may come on any other.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "kube_events/base/clock.h"
#include "kube_events/metrics/catalog.h"
#include "kube_events/metrics/exposition.h"
#include "kube_events/supervisor/reload_protocol.h"
#include "prometheus/counter.h"
#include "prometheus/gauge.h"
#include "prometheus/histogram.h"
#include "prometheus/registry.h"

namespace kube_events {

// One metric; docs/fluent-bit-watcher.md is compared with the table of them by a test.
struct WatcherMetricSpec {
  std::string_view name;
  MetricKind kind;
  std::string_view labels;  // separated by commas
  std::string_view help;
};
std::span<const WatcherMetricSpec> WatcherMetricCatalog();

struct WatcherMetricsOptions {
  std::string version = {};
  std::string revision = {};
  std::string compiler = {};
};

class WatcherMetrics final : public MetricSource {
 private:
  prometheus::Registry registry_;  // first: the references below point into it

 public:
  explicit WatcherMetrics(const WatcherMetricsOptions& options);

  void CountReload(ReloadResult result) { reloads_[static_cast<std::size_t>(result)]->Increment(); }
  void ObserveDuration(std::chrono::milliseconds took);
  void SetApplied(std::uint64_t content, WallTime when);
  void SetChild(bool up, WallTime started);

  prometheus::Gauge& last_reload_successful;
  prometheus::Counter& triggers_swallowed_total;
  prometheus::Counter& watch_errors_total;
  prometheus::Gauge& pending_reload;

  void AppendTo(std::string& page, ExpositionFormat format) const override;

 private:
  std::array<prometheus::Counter*, 4> reloads_{};
  prometheus::Gauge& last_success_;
  prometheus::Histogram& duration_;
  prometheus::Gauge& child_up_;
  prometheus::Gauge& child_start_;
  prometheus::Family<prometheus::Gauge>& config_hash_;
  prometheus::Gauge* hash_ = nullptr;  // of the content that runs; used by the loop's thread only
};

}  // namespace kube_events
