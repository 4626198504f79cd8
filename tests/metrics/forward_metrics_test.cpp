#include "kube_events/metrics/forward_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kube_events {
namespace {

using testing::HasSubstr;

std::string Page(const ForwardMetrics& metrics) {
  std::string page;
  metrics.AppendTo(page, ExpositionFormat::kText);
  return page;
}

TEST(ForwardMetricsTest, EverySeriesIsThereFromTheStart) {
  const ForwardMetrics metrics({"a"}, [] { return std::vector<ForwardGauges>{{.sink = "a", .queue_records = 3}}; });
  const std::string page = Page(metrics);
  for (const auto* line :
       {"records_total{result=\"sent\",sink=\"a\"} 0", "records_total{result=\"spooled\",sink=\"a\"} 0",
        "records_total{result=\"rejected\",sink=\"a\"} 0", "retries_total{sink=\"a\"} 0",
        "dropped_total{reason=\"overflow\",sink=\"a\"} 0", "dropped_total{reason=\"rejected\",sink=\"a\"} 0",
        "dropped_total{reason=\"spool\",sink=\"a\"} 0", "send_duration_seconds_count{sink=\"a\"} 0",
        "queue_records{sink=\"a\"} 3", "spool_bytes{sink=\"a\"} 0", "oldest_unsent_seconds{sink=\"a\"} 0",
        "catching_up{sink=\"a\"} 0"}) {
    EXPECT_THAT(page, HasSubstr("kube_events_exporter_forward_" + std::string(line) + "\n"));
  }
}

TEST(ForwardMetricsTest, ASinkThatIsBehindShows) {
  const ForwardMetrics metrics({"a"}, [] { return std::vector<ForwardGauges>{{.sink = "a", .catching_up = true}}; });
  EXPECT_THAT(Page(metrics), HasSubstr("kube_events_exporter_forward_catching_up{sink=\"a\"} 1\n"));
}

TEST(ForwardMetricsTest, WhatIsToldIsCountedPerSink) {
  ForwardMetrics metrics({"a", "b"}, [] { return std::vector<ForwardGauges>{}; });
  metrics.CountRecords("a", "sent", 5);
  metrics.CountRetry("b");
  metrics.CountDropped("b", "overflow", 2);
  metrics.ObserveSend("a", std::chrono::milliseconds{20});
  metrics.CountRecords("unknown", "sent", 1);
  metrics.CountRecords("a", "unknown", 1);
  const std::string page = Page(metrics);
  for (const auto* line : {"records_total{result=\"sent\",sink=\"a\"} 5", "records_total{result=\"sent\",sink=\"b\"} 0",
                           "retries_total{sink=\"b\"} 1", "dropped_total{reason=\"overflow\",sink=\"b\"} 2",
                           "send_duration_seconds_bucket{sink=\"a\",le=\"0.025\"} 1"}) {
    EXPECT_THAT(page, HasSubstr("kube_events_exporter_forward_" + std::string(line) + "\n"));
  }
  EXPECT_THAT(page, Not(HasSubstr("unknown")));
}

}  // namespace
}  // namespace kube_events
