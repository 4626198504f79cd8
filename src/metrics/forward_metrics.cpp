#include "kube_events/metrics/forward_metrics.h"

#include <algorithm>
#include <array>
#include <utility>

#include "kube_events/metrics/catalog.h"
#include "register.h"

namespace kube_events {
namespace {

using prometheus::Histogram;

constexpr std::array<std::string_view, 3> kResults{"sent", "spooled", "rejected"};
constexpr std::array<std::string_view, 3> kReasons{"overflow", "rejected", "spool"};
// A file takes under a millisecond, a receiver in another region a second.
const Histogram::BucketBoundaries kBuckets{0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30};

prometheus::MetricFamily GaugeFamily(Metric metric) {
  const MetricSpec& spec = Spec(metric);
  return {std::string(spec.name), std::string(spec.help), prometheus::MetricType::Gauge, {}};
}

void AddGauge(prometheus::MetricFamily& family, const std::string& sink, double value) {
  prometheus::ClientMetric metric;
  metric.label = {{"sink", sink}};
  metric.gauge.value = value;
  family.metric.push_back(std::move(metric));
}

template <typename Map>
auto* Find(const Map& map, std::string_view key) {
  const auto found = map.find(key);
  return found == map.end() ? nullptr : &found->second;
}

}  // namespace

ForwardMetrics::ForwardMetrics(const std::vector<std::string>& sinks,
                               std::function<std::vector<ForwardGauges>()> gauges)
    : gauges_(std::move(gauges)) {
  auto& records = Register(registry_, prometheus::BuildCounter(), Metric::kForwardRecordsTotal);
  auto& dropped = Register(registry_, prometheus::BuildCounter(), Metric::kForwardDroppedTotal);
  auto& retries = Register(registry_, prometheus::BuildCounter(), Metric::kForwardRetriesTotal);
  auto& durations = Register(registry_, prometheus::BuildHistogram(), Metric::kForwardSendDurationSeconds);
  for (const std::string& sink : sinks) {
    OfSink& of = sinks_[sink];
    for (const auto result : kResults) {
      of.records[std::string(result)] = &records.Add({{"sink", sink}, {"result", std::string(result)}});
    }
    for (const auto reason : kReasons) {
      of.dropped[std::string(reason)] = &dropped.Add({{"sink", sink}, {"reason", std::string(reason)}});
    }
    of.retries = &retries.Add({{"sink", sink}});
    of.duration = &durations.Add({{"sink", sink}}, kBuckets);
  }
}

ForwardMetrics::~ForwardMetrics() = default;

void ForwardMetrics::CountRecords(std::string_view sink, std::string_view result, std::size_t count) {
  const OfSink* of = Find(sinks_, sink);
  if (of == nullptr) return;
  if (auto* counter = Find(of->records, result)) (*counter)->Increment(static_cast<double>(count));
}

void ForwardMetrics::CountDropped(std::string_view sink, std::string_view reason, std::size_t count) {
  const OfSink* of = Find(sinks_, sink);
  if (of == nullptr) return;
  if (auto* counter = Find(of->dropped, reason)) (*counter)->Increment(static_cast<double>(count));
}

void ForwardMetrics::CountRetry(std::string_view sink) {
  if (const OfSink* of = Find(sinks_, sink)) of->retries->Increment();
}

void ForwardMetrics::ObserveSend(std::string_view sink, std::chrono::microseconds took) {
  if (const OfSink* of = Find(sinks_, sink)) of->duration->Observe(std::chrono::duration<double>(took).count());
}

void ForwardMetrics::AppendTo(std::string& page, ExpositionFormat format) const {
  auto families = registry_.Collect();
  auto queue = GaugeFamily(Metric::kForwardQueueRecords);
  auto spool = GaugeFamily(Metric::kForwardSpoolBytes);
  auto oldest = GaugeFamily(Metric::kForwardOldestUnsentSeconds);
  auto catching_up = GaugeFamily(Metric::kForwardCatchingUp);
  for (const ForwardGauges& of : gauges_()) {
    AddGauge(queue, of.sink, of.queue_records);
    AddGauge(spool, of.sink, of.spool_bytes);
    AddGauge(oldest, of.sink, of.oldest_unsent_seconds);
    AddGauge(catching_up, of.sink, of.catching_up ? 1 : 0);
  }
  for (auto* family : {&queue, &spool, &oldest, &catching_up}) families.push_back(std::move(*family));
  std::sort(families.begin(), families.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  for (auto& family : families) AppendFamily(page, format, std::move(family));
}

}  // namespace kube_events
