#include "kube_events/supervisor/watcher_metrics.h"

#include "kube_events/metrics/process_families.h"
#include "kube_events/supervisor/config_scan.h"

namespace kube_events {
namespace {

using prometheus::Counter;
using prometheus::Family;
using prometheus::Gauge;
using prometheus::Histogram;
using prometheus::Registry;

enum Row : std::size_t {
  kReloads,
  kLastSuccessful,
  kLastSuccess,
  kDuration,
  kSwallowed,
  kConfigHash,
  kChildUp,
  kChildStart,
  kWatchErrors,
  kPending,
  kBuildInfo,
};

constexpr WatcherMetricSpec kCatalog[] = {
    {"fluent_bit_watcher_reloads_total", MetricKind::kCounter, "result",
     "Reloads that came to an end: applied, rejected by the check, failed to be triggered, or not done in time."},
    {"fluent_bit_watcher_last_reload_successful", MetricKind::kGauge, "",
     "Whether the configuration last wanted is the one that runs (1) or was refused or lost (0)."},
    {"fluent_bit_watcher_last_reload_success_timestamp_seconds", MetricKind::kGauge, "",
     "Unix time at which a configuration was last known to run."},
    {"fluent_bit_watcher_reload_duration_seconds", MetricKind::kHistogram, "",
     "Time from the first trigger of a reload to its proof."},
    {"fluent_bit_watcher_triggers_swallowed_total", MetricKind::kCounter, "",
     "Triggers that Fluent Bit took without reloading, so that they were repeated."},
    {"fluent_bit_watcher_config_hash_info", MetricKind::kGauge, "hash",
     "Always 1; the label is the hash of the configuration last known to run."},
    {"fluent_bit_watcher_child_up", MetricKind::kGauge, "", "Whether Fluent Bit is running (1) or not (0)."},
    {"fluent_bit_watcher_child_start_timestamp_seconds", MetricKind::kGauge, "",
     "Unix time at which Fluent Bit was started; 0 before that."},
    {"fluent_bit_watcher_watch_errors_total", MetricKind::kCounter, "",
     "Times that inotify failed or a part of the configuration could not be read anew."},
    {"fluent_bit_watcher_pending_reload", MetricKind::kGauge, "",
     "Whether what is on disk is not, or not known to be, what runs (1)."},
    {"fluent_bit_watcher_build_info", MetricKind::kGauge, "version,revision,compiler",
     "Always 1; the labels tell version, source revision and compiler."},
};

// 0.1 s to 5 min: an idle pipeline takes 0.1 to 1 s, one that drains as long as its output needs.
const Histogram::BucketBoundaries kBuckets{0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60, 120, 300};

template <typename T>
Family<T>& Register(Registry& registry, prometheus::detail::Builder<T> builder, Row row) {
  const WatcherMetricSpec& spec = kCatalog[row];
  return builder.Name(std::string(spec.name)).Help(std::string(spec.help)).Register(registry);
}
Family<Counter>& Counters(Registry& registry, Row row) { return Register(registry, prometheus::BuildCounter(), row); }
Family<Gauge>& Gauges(Registry& registry, Row row) { return Register(registry, prometheus::BuildGauge(), row); }

}  // namespace

std::span<const WatcherMetricSpec> WatcherMetricCatalog() { return kCatalog; }

WatcherMetrics::WatcherMetrics(const WatcherMetricsOptions& options)
    : last_reload_successful(Gauges(registry_, kLastSuccessful).Add({})),
      triggers_swallowed_total(Counters(registry_, kSwallowed).Add({})),
      watch_errors_total(Counters(registry_, kWatchErrors).Add({})),
      pending_reload(Gauges(registry_, kPending).Add({})),
      last_success_(Gauges(registry_, kLastSuccess).Add({})),
      duration_(Register(registry_, prometheus::BuildHistogram(), kDuration).Add({}, kBuckets)),
      child_up_(Gauges(registry_, kChildUp).Add({})),
      child_start_(Gauges(registry_, kChildStart).Add({})),
      config_hash_(Gauges(registry_, kConfigHash)) {
  auto& reloads = Counters(registry_, kReloads);
  for (const auto result :
       {ReloadResult::kApplied, ReloadResult::kRejected, ReloadResult::kFailed, ReloadResult::kTimeout}) {
    reloads_[static_cast<std::size_t>(result)] = &reloads.Add({{"result", std::string(ToString(result))}});
  }
  Gauges(registry_, kBuildInfo)
      .Add({{"version", options.version}, {"revision", options.revision}, {"compiler", options.compiler}})
      .Set(1);
}

void WatcherMetrics::ObserveDuration(std::chrono::milliseconds took) {
  duration_.Observe(std::chrono::duration<double>(took).count());
}

void WatcherMetrics::SetApplied(std::uint64_t content, WallTime when) {
  last_success_.Set(UnixSeconds(when));
  Gauge& now = config_hash_.Add({{"hash", HashText(content)}});
  now.Set(1);
  if (hash_ != nullptr && hash_ != &now) config_hash_.Remove(hash_);
  hash_ = &now;
}

void WatcherMetrics::SetChild(bool up, WallTime started) {
  child_up_.Set(up ? 1 : 0);
  if (up) child_start_.Set(UnixSeconds(started));
}

void WatcherMetrics::AppendTo(std::string& page, ExpositionFormat format) const {
  AppendWithProcess(page, format, registry_.Collect());
}

}  // namespace kube_events
