// Every metric of the exporter, declared once: code registers from this table and docs/metrics.md is compared with it.
// Constant data, any thread.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

namespace kube_events {

enum class MetricKind { kCounter, kGauge, kHistogram };
// "counter", "gauge" or "histogram", as in TYPE lines.
std::string_view ToString(MetricKind kind);

enum class Metric : std::size_t {
  kEventsTotal,
  kVersion,
  kBuildInfo,
  kRequestsTotal,
  kRequestsInFlight,
  kRequestDurationSeconds,
  kListTotal,
  kListFailedTotal,
  kWatchTotal,
  kWatchFailedTotal,
  kApiErrorsTotal,
  kRelistsTotal,
  kWatchOpen,
  kSynced,
  kLastListTimestampSeconds,
  kLastEventTimestampSeconds,
  kLastStreamActivityTimestampSeconds,
  kWatchEventsTotal,
  kEventLagSeconds,
  kCachedEvents,
  kTombstones,
  kEvictedEventsTotal,
  kSeries,
  kSeriesOverflowTotal,
  kDecodeErrorsTotal,
  kUncertainOccurrencesTotal,
  kGapsTotal,
  kGapSecondsTotal,
  kLeader,
  kCheckpointWritesTotal,
  kCheckpointBytes,
  kCheckpointLastSuccessTimestampSeconds,
  kCheckpointAgeSeconds,
  kCheckpointTruncated,
  kForwardRecordsTotal,
  kForwardRetriesTotal,
  kForwardDroppedTotal,
  kForwardSendDurationSeconds,
  kForwardQueueRecords,
  kForwardSpoolBytes,
  kForwardOldestUnsentSeconds,
  kForwardCatchingUp,
  kProcessCpuSecondsTotal,
  kProcessOpenFds,
  kProcessMaxFds,
  kProcessVirtualMemoryBytes,
  kProcessResidentMemoryBytes,
  kProcessStartTimeSeconds,
  kProcessThreads,
};
inline constexpr std::size_t kMetricCount = static_cast<std::size_t>(Metric::kProcessThreads) + 1;

struct MetricSpec {
  Metric id;
  std::string_view name;  // as in a sample; counters end with _total
  MetricKind kind;
  std::string_view help;  // one sentence without a newline
  std::array<std::string_view, 4> label_names = {};

  // The names of its labels, in the order of the contract.
  constexpr std::span<const std::string_view> Labels() const {
    std::size_t count = 0;
    while (count < label_names.size() && !label_names[count].empty()) ++count;
    return {label_names.data(), count};
  }
};

// The row of a metric.
const MetricSpec& Spec(Metric metric);
// All rows, in the order of the enumeration.
std::span<const MetricSpec> AllMetrics();

}  // namespace kube_events
