#include "kube_events/metrics/process_families.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "kube_events/metrics/process_stats.h"

namespace kube_events {

prometheus::MetricFamily OneValueFamily(Metric metric, double value) {
  const MetricSpec& spec = Spec(metric);
  prometheus::MetricFamily family;
  family.name = spec.name;
  family.help = spec.help;
  const bool is_counter = spec.kind == MetricKind::kCounter;
  family.type = is_counter ? prometheus::MetricType::Counter : prometheus::MetricType::Gauge;
  prometheus::ClientMetric sample;
  (is_counter ? sample.counter.value : sample.gauge.value) = value;
  family.metric.push_back(std::move(sample));
  return family;
}

std::vector<prometheus::MetricFamily> ProcessFamilies() {
  std::vector<prometheus::MetricFamily> families;
  if (const auto stats = ReadProcessStats()) {
    families.push_back(OneValueFamily(Metric::kProcessCpuSecondsTotal, stats->cpu_seconds));
    families.push_back(OneValueFamily(Metric::kProcessVirtualMemoryBytes, stats->virtual_memory_bytes));
    families.push_back(OneValueFamily(Metric::kProcessResidentMemoryBytes, stats->resident_memory_bytes));
    families.push_back(OneValueFamily(Metric::kProcessStartTimeSeconds, stats->start_time_seconds));
    families.push_back(OneValueFamily(Metric::kProcessThreads, stats->threads));
  }
  if (const auto fds = CountOpenFds()) families.push_back(OneValueFamily(Metric::kProcessOpenFds, *fds));
  if (const auto fds = MaxFds()) families.push_back(OneValueFamily(Metric::kProcessMaxFds, *fds));
  return families;
}

void AppendWithProcess(std::string& page, ExpositionFormat format, std::vector<prometheus::MetricFamily> families) {
  auto process = ProcessFamilies();
  std::move(process.begin(), process.end(), std::back_inserter(families));
  std::sort(families.begin(), families.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  for (auto& family : families) AppendFamily(page, format, std::move(family));
}

double UnixSeconds(WallTime when) { return std::chrono::duration<double>(when.time_since_epoch()).count(); }

}  // namespace kube_events
