#include "kube_events/metrics/catalog.h"

namespace kube_events {
namespace {

constexpr auto kCounter = MetricKind::kCounter;
constexpr auto kGauge = MetricKind::kGauge;
constexpr auto kHistogram = MetricKind::kHistogram;

constexpr std::array<MetricSpec, kMetricCount> kCatalog{{
    {Metric::kEventsTotal,
     "kube_events_total",
     kCounter,
     "Occurrences of Kubernetes Events since this process began to watch.",
     {"type", "involved_object_namespace", "involved_object_kind", "reason"}},
    {Metric::kVersion,
     "kube_events_exporter_version",
     kGauge,
     "Always 1; the label is the version of this program.",
     {"version"}},
    {Metric::kBuildInfo,
     "kube_events_exporter_build_info",
     kGauge,
     "Always 1; the labels tell version, source revision and compiler.",
     {"version", "revision", "compiler"}},
    {Metric::kRequestsTotal,
     "kube_events_exporter_requests_total",
     kCounter,
     "Answered requests for /metrics by HTTP status code.",
     {"code"}},
    {Metric::kRequestsInFlight, "kube_events_exporter_requests_in_flight", kGauge,
     "Requests for /metrics that are not answered completely yet, this scrape included."},
    {Metric::kRequestDurationSeconds, "kube_events_exporter_request_duration_seconds", kHistogram,
     "Time from the end of a request's header to the last byte of the answer, for /metrics."},
    {Metric::kListTotal, "kube_events_exporter_list_total", kCounter,
     "Lists of Events that were begun, with all their pages, also those that failed."},
    {Metric::kListFailedTotal, "kube_events_exporter_list_failed_total", kCounter, "Lists of Events that failed."},
    {Metric::kWatchTotal, "kube_events_exporter_watch_total", kCounter,
     "Watches of Events that were begun, also those that failed."},
    {Metric::kWatchFailedTotal, "kube_events_exporter_watch_failed_total", kCounter, "Watches of Events that failed."},
    {Metric::kApiErrorsTotal,
     "kube_events_exporter_api_errors_total",
     kCounter,
     "Failed requests to the API server by verb and by the reason that the server or the network gave.",
     {"verb", "reason"}},
    {Metric::kRelistsTotal,
     "kube_events_exporter_relists_total",
     kCounter,
     "Times that a scope had to be listed again because its watch could not be continued.",
     {"reason"}},
    {Metric::kWatchOpen,
     "kube_events_exporter_watch_open",
     kGauge,
     "Whether a watch of the scope is open (1) or not (0).",
     {"scope"}},
    {Metric::kSynced,
     "kube_events_exporter_synced",
     kGauge,
     "Whether the first list of the scope is complete (1) or not (0).",
     {"scope"}},
    {Metric::kLastListTimestampSeconds, "kube_events_exporter_last_list_timestamp_seconds", kGauge,
     "Unix time of the last successful list; 0 before the first."},
    {Metric::kLastEventTimestampSeconds, "kube_events_exporter_last_event_timestamp_seconds", kGauge,
     "Unix time at which the last change of an Event was received; 0 before the first."},
    {Metric::kLastStreamActivityTimestampSeconds, "kube_events_exporter_last_stream_activity_timestamp_seconds", kGauge,
     "Unix time at which a watch was last opened or brought anything; 0 before the first."},
    {Metric::kWatchEventsTotal,
     "kube_events_exporter_watch_events_total",
     kCounter,
     "Messages received through watches by their type.",
     {"type"}},
    {Metric::kEventLagSeconds, "kube_events_exporter_event_lag_seconds", kHistogram,
     "Time from an Event's last timestamp to its counting; most Events tell whole seconds only."},
    {Metric::kCachedEvents, "kube_events_exporter_cached_events", kGauge,
     "Events that exist in the cluster and whose counted state is in memory."},
    {Metric::kTombstones, "kube_events_exporter_tombstones", kGauge,
     "Deleted Events that are remembered in case that they are created again with their count."},
    {Metric::kEvictedEventsTotal, "kube_events_exporter_evicted_events_total", kCounter,
     "Cached Events reduced to tombstones because --max-cached-events was reached."},
    {Metric::kSeries, "kube_events_exporter_series", kGauge,
     "Series of kube_events_total, the overflow series included."},
    {Metric::kSeriesOverflowTotal, "kube_events_exporter_series_overflow_total", kCounter,
     "Occurrences counted in the overflow series because --max-series was reached."},
    {Metric::kDecodeErrorsTotal, "kube_events_exporter_decode_errors_total", kCounter,
     "Watch messages and list items that could not be decoded and were skipped."},
    {Metric::kUncertainOccurrencesTotal,
     "kube_events_exporter_uncertain_occurrences_total",
     kCounter,
     "Occurrences that may be wrong in kube_events_total: counted but perhaps older, or not counted but perhaps new.",
     {"kind"}},
    {Metric::kGapsTotal,
     "kube_events_exporter_gaps_total",
     kCounter,
     "Interruptions of the observation during which Events may have come and gone unseen.",
     {"scope"}},
    {Metric::kGapSecondsTotal,
     "kube_events_exporter_gap_seconds_total",
     kCounter,
     "Length of these interruptions together.",
     {"scope"}},
    {Metric::kLeader, "kube_events_exporter_leader", kGauge,
     "Whether this replica counts (1) or waits for the Lease (0); 1 without --leader-elect."},
    {Metric::kCheckpointWritesTotal,
     "kube_events_exporter_checkpoint_writes_total",
     kCounter,
     "Writes of the checkpoint by result: ok, or why they failed.",
     {"result"}},
    {Metric::kCheckpointBytes, "kube_events_exporter_checkpoint_bytes", kGauge, "Size of the checkpoint written last."},
    {Metric::kCheckpointLastSuccessTimestampSeconds, "kube_events_exporter_checkpoint_last_success_timestamp_seconds",
     kGauge, "Unix time of the last checkpoint that was written; 0 before the first."},
    {Metric::kCheckpointAgeSeconds, "kube_events_exporter_checkpoint_age_seconds", kGauge,
     "Time since a checkpoint was written, or since the start; 0 without --checkpoint."},
    {Metric::kCheckpointTruncated, "kube_events_exporter_checkpoint_truncated", kGauge,
     "Whether totals were left out of the last checkpoint because it has a size limit (1) or not (0)."},
    {Metric::kForwardRecordsTotal,
     "kube_events_exporter_forward_records_total",
     kCounter,
     "Records of --forward by what became of them: sent, spooled (and sent later), rejected.",
     {"sink", "result"}},
    {Metric::kForwardRetriesTotal,
     "kube_events_exporter_forward_retries_total",
     kCounter,
     "Batches that failed and were tried again.",
     {"sink"}},
    {Metric::kForwardDroppedTotal,
     "kube_events_exporter_forward_dropped_total",
     kCounter,
     "Records lost for ever by reason: overflow, rejected, spool (unreadable).",
     {"sink", "reason"}},
    {Metric::kForwardSendDurationSeconds,
     "kube_events_exporter_forward_send_duration_seconds",
     kHistogram,
     "Time from sending a batch to its acknowledgement.",
     {"sink"}},
    {Metric::kForwardQueueRecords,
     "kube_events_exporter_forward_queue_records",
     kGauge,
     "Records in memory that are not delivered yet.",
     {"sink"}},
    {Metric::kForwardSpoolBytes,
     "kube_events_exporter_forward_spool_bytes",
     kGauge,
     "Size of the spool on disk.",
     {"sink"}},
    {Metric::kForwardOldestUnsentSeconds,
     "kube_events_exporter_forward_oldest_unsent_seconds",
     kGauge,
     "Age of the oldest record that is not delivered yet; 0 where there is none.",
     {"sink"}},
    {Metric::kForwardCatchingUp,
     "kube_events_exporter_forward_catching_up",
     kGauge,
     "Whether the sink is behind the live stream, paused or being brought up (1), or not (0).",
     {"sink"}},
    {Metric::kProcessCpuSecondsTotal, "process_cpu_seconds_total", kCounter,
     "Total user and system CPU time spent in seconds."},
    {Metric::kProcessOpenFds, "process_open_fds", kGauge, "Number of open file descriptors."},
    {Metric::kProcessMaxFds, "process_max_fds", kGauge, "Maximum number of open file descriptors."},
    {Metric::kProcessVirtualMemoryBytes, "process_virtual_memory_bytes", kGauge, "Virtual memory size in bytes."},
    {Metric::kProcessResidentMemoryBytes, "process_resident_memory_bytes", kGauge, "Resident memory size in bytes."},
    {Metric::kProcessStartTimeSeconds, "process_start_time_seconds", kGauge,
     "Start time of the process since unix epoch in seconds."},
    {Metric::kProcessThreads, "process_threads", kGauge, "Number of OS threads in the process."},
}};

consteval bool RowsAreInOrder() {
  for (std::size_t i = 0; i < kCatalog.size(); ++i) {
    if (static_cast<std::size_t>(kCatalog[i].id) != i) return false;
  }
  return true;
}
static_assert(RowsAreInOrder(), "the rows must stand in the order of the enumeration");

}  // namespace

std::string_view ToString(MetricKind kind) {
  switch (kind) {
    case MetricKind::kCounter:
      return "counter";
    case MetricKind::kGauge:
      return "gauge";
    case MetricKind::kHistogram:
      return "histogram";
  }
  return "untyped";
}

const MetricSpec& Spec(Metric metric) { return kCatalog[static_cast<std::size_t>(metric)]; }

std::span<const MetricSpec> AllMetrics() { return kCatalog; }

}  // namespace kube_events
