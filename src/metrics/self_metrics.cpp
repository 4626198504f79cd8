#include "kube_events/metrics/self_metrics.h"

#include <algorithm>
#include <array>
#include <utility>

#include "kube_events/metrics/label_text.h"
#include "kube_events/metrics/process_families.h"
#include "register.h"

namespace kube_events {
namespace {

using prometheus::Counter;
using prometheus::Family;
using prometheus::Gauge;
using prometheus::Histogram;
using prometheus::Registry;

// Enough for every pair of verb and reason that client-go knows; beyond it somebody makes words up.
constexpr std::size_t kMaxOpenSeries = 100;

// The reasons that alerts may name; their series exist from the start, because increase() does not see a series that
// begins with 1.
constexpr std::array<std::string_view, 15> kApiErrorReasons{"connect",     "eof",
                                                            "protocol",    "reset",
                                                            "timeout",     "tls",
                                                            "BadRequest",  "Expired",
                                                            "Forbidden",   "InternalError",
                                                            "NotFound",    "ServiceUnavailable",
                                                            "Timeout",     "TooManyRequests",
                                                            "Unauthorized"};
constexpr std::array<std::string_view, 5> kRelistReasons{"errors", "expired", "invalid", "restored", "short_watch"};
constexpr std::array<std::string_view, 5> kCheckpointResults{"conflict", "error", "forbidden", "ok", "too_large"};
constexpr std::array<int, 3> kStatusCodes{200, 405, 500};

// 1 ms to 10 s: a scrape is answered in milliseconds unless the client reads slowly.
const Histogram::BucketBoundaries kRequestBuckets{0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1,
                                                  0.25,  0.5,    1,     2.5,  5,     10};
// Lag is a matter of seconds, since most timestamps are whole seconds; after a restart it may be an hour.
const Histogram::BucketBoundaries kLagBuckets{0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60, 300, 900, 3600};

Family<Counter>& Counters(Registry& registry, Metric metric) {
  return Register(registry, prometheus::BuildCounter(), metric);
}
Family<Gauge>& Gauges(Registry& registry, Metric metric) {
  return Register(registry, prometheus::BuildGauge(), metric);
}
Counter& OneCounter(Registry& registry, Metric metric) { return Counters(registry, metric).Add({}); }
Gauge& OneGauge(Registry& registry, Metric metric) { return Gauges(registry, metric).Add({}); }
Histogram& OneHistogram(Registry& registry, Metric metric, const Histogram::BucketBoundaries& buckets) {
  return Register(registry, prometheus::BuildHistogram(), metric).Add({}, buckets);
}

std::vector<std::string> LabelNames(Metric metric) {
  const auto names = Spec(metric).Labels();
  return {names.begin(), names.end()};
}

std::vector<Counter*> WatchEventCounters(Registry& registry) {
  auto& family = Counters(registry, Metric::kWatchEventsTotal);
  std::vector<Counter*> counters;
  for (const auto type :
       {FrameType::kAdded, FrameType::kModified, FrameType::kDeleted, FrameType::kBookmark, FrameType::kError}) {
    counters.push_back(&family.Add({{"type", std::string(ToString(type))}}));
  }
  return counters;
}

}  // namespace

Counter& SelfMetrics::OpenCounters::With(std::vector<std::string> values) {
  for (std::string& value : values) value = CleanUtf8(value);
  const std::lock_guard lock(mutex_);
  if (known_.size() >= kMaxOpenSeries && !known_.contains(values)) values.back() = "other";
  Counter*& counter = known_[values];
  if (counter == nullptr) {
    prometheus::Labels labels;
    for (std::size_t i = 0; i < names_.size(); ++i) labels[names_[i]] = values[i];
    counter = &family_.Add(labels);
  }
  return *counter;
}

SelfMetrics::SelfMetrics(const SelfMetricsOptions& options)
    : requests_in_flight(OneGauge(registry_, Metric::kRequestsInFlight)),
      request_duration_seconds(OneHistogram(registry_, Metric::kRequestDurationSeconds, kRequestBuckets)),
      list_total(OneCounter(registry_, Metric::kListTotal)),
      list_failed_total(OneCounter(registry_, Metric::kListFailedTotal)),
      watch_total(OneCounter(registry_, Metric::kWatchTotal)),
      watch_failed_total(OneCounter(registry_, Metric::kWatchFailedTotal)),
      decode_errors_total(OneCounter(registry_, Metric::kDecodeErrorsTotal)),
      uncertain_counted(Counters(registry_, Metric::kUncertainOccurrencesTotal).Add({{"kind", "counted"}})),
      uncertain_not_counted(Counters(registry_, Metric::kUncertainOccurrencesTotal).Add({{"kind", "not_counted"}})),
      last_list_(OneGauge(registry_, Metric::kLastListTimestampSeconds)),
      last_event_(OneGauge(registry_, Metric::kLastEventTimestampSeconds)),
      last_stream_activity_(OneGauge(registry_, Metric::kLastStreamActivityTimestampSeconds)),
      event_lag_(OneHistogram(registry_, Metric::kEventLagSeconds, kLagBuckets)),
      watch_events_(WatchEventCounters(registry_)),
      watch_open_(Gauges(registry_, Metric::kWatchOpen)),
      synced_(Gauges(registry_, Metric::kSynced)),
      gaps_(Counters(registry_, Metric::kGapsTotal)),
      gap_seconds_(Counters(registry_, Metric::kGapSecondsTotal)),
      requests_(Counters(registry_, Metric::kRequestsTotal), LabelNames(Metric::kRequestsTotal)),
      api_errors_(Counters(registry_, Metric::kApiErrorsTotal), LabelNames(Metric::kApiErrorsTotal)),
      relists_(Counters(registry_, Metric::kRelistsTotal), LabelNames(Metric::kRelistsTotal)),
      checkpoint_writes_(Counters(registry_, Metric::kCheckpointWritesTotal),
                         LabelNames(Metric::kCheckpointWritesTotal)),
      checkpoint_bytes_(OneGauge(registry_, Metric::kCheckpointBytes)),
      checkpoint_last_success_(OneGauge(registry_, Metric::kCheckpointLastSuccessTimestampSeconds)),
      checkpoint_truncated_(OneGauge(registry_, Metric::kCheckpointTruncated)) {
  Gauges(registry_, Metric::kVersion).Add({{"version", options.version}}).Set(1);
  Gauges(registry_, Metric::kBuildInfo)
      .Add({{"version", options.version}, {"revision", options.revision}, {"compiler", options.compiler}})
      .Set(1);
  for (const std::string& scope : options.scopes) Scope(scope);
  for (const auto verb : {"list", "watch"}) {
    for (const auto reason : kApiErrorReasons) api_errors_.With({verb, std::string(reason)});
  }
  for (const auto reason : kRelistReasons) relists_.With({std::string(reason)});
  for (const auto result : kCheckpointResults) checkpoint_writes_.With({std::string(result)});
  for (const int code : kStatusCodes) requests_.With({std::to_string(code)});
}

SelfMetrics::~SelfMetrics() = default;

void SelfMetrics::SetSources(SelfMetricsSources sources) {
  const std::lock_guard lock(sources_mutex_);
  sources_ = std::move(sources);
}

void SelfMetrics::CountRequest(int http_status) { requests_.With({std::to_string(http_status)}).Increment(); }

void SelfMetrics::CountApiError(std::string_view verb, std::string_view reason) {
  api_errors_.With({std::string(verb), std::string(reason)}).Increment();
}

void SelfMetrics::CountApiError(std::string_view verb, const Error& error) {
  CountApiError(verb, error.reason.empty() ? ToString(error.kind) : std::string_view(error.reason));
}

void SelfMetrics::CountCheckpointWrite(std::string_view result) {
  checkpoint_writes_.With({std::string(result)}).Increment();
}

void SelfMetrics::SetCheckpoint(WallTime when, std::size_t bytes, bool truncated) {
  checkpoint_last_success_.Set(UnixSeconds(when));
  checkpoint_bytes_.Set(static_cast<double>(bytes));
  checkpoint_truncated_.Set(truncated ? 1 : 0);
}

void SelfMetrics::CountRelist(std::string_view reason) { relists_.With({std::string(reason)}).Increment(); }

ScopeMetrics SelfMetrics::Scope(const std::string& name) {
  const prometheus::Labels labels{{"scope", CleanUtf8(name)}};
  return {watch_open_.Add(labels), synced_.Add(labels), gaps_.Add(labels), gap_seconds_.Add(labels)};
}

void SelfMetrics::SetLastList(WallTime when) { last_list_.Set(UnixSeconds(when)); }
void SelfMetrics::SetLastEvent(WallTime when) { last_event_.Set(UnixSeconds(when)); }
void SelfMetrics::SetLastStreamActivity(WallTime when) { last_stream_activity_.Set(UnixSeconds(when)); }

void SelfMetrics::ObserveEventLag(std::chrono::microseconds lag) {
  event_lag_.Observe(std::max(0.0, std::chrono::duration<double>(lag).count()));
}

void SelfMetrics::AppendTo(std::string& page, ExpositionFormat format) const {
  auto families = registry_.Collect();
  AddSources(families);
  AppendWithProcess(page, format, std::move(families));
}

void SelfMetrics::AddSources(std::vector<prometheus::MetricFamily>& families) const {
  SelfMetricsSources sources;
  {
    const std::lock_guard lock(sources_mutex_);
    sources = sources_;
  }
  const auto add = [&families](Metric metric, const std::function<double()>& source) {
    if (source) families.push_back(OneValueFamily(metric, source()));
  };
  add(Metric::kCachedEvents, sources.cached_events);
  add(Metric::kTombstones, sources.tombstones);
  add(Metric::kEvictedEventsTotal, sources.evicted_events);
  add(Metric::kSeries, sources.series);
  add(Metric::kSeriesOverflowTotal, sources.series_overflow);
  add(Metric::kLeader, sources.leader);
  add(Metric::kCheckpointAgeSeconds, sources.checkpoint_age);
}

}  // namespace kube_events
