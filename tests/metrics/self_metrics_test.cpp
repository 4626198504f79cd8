#include "kube_events/metrics/self_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <regex>
#include <set>
#include <thread>

#include "kube_events/metrics/event_counters.h"
#include "kube_events/metrics/forward_metrics.h"
#include "metrics/source_file.h"

namespace kube_events {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

SelfMetricsOptions Options() {
  return {.version = "1.2.3", .revision = "0123abc", .compiler = "gcc", .scopes = {"all"}};
}

SelfMetricsSources Sources() {
  return {.cached_events = [] { return 120.0; },
          .tombstones = [] { return 7.0; },
          .evicted_events = [] { return 2.0; },
          .series = [] { return 3.0; },
          .series_overflow = [] { return 0.0; },
          .leader = [] { return 1.0; },
          .checkpoint_age = [] { return 4.0; }};
}

std::string Page(const SelfMetrics& metrics, ExpositionFormat format = ExpositionFormat::kText) {
  const std::vector<const MetricSource*> sources{&metrics};
  return RenderPage(sources, format);
}

// The page without what differs between machines: the values of process_*.
std::string Comparable(const std::string& page) {
  return std::regex_replace(page, std::regex("\n(process_[a-z_]+) [^\n]+"), "\n$1 0");
}

// Everything happens once.
void Exercise(SelfMetrics& metrics) {
  metrics.SetSources(Sources());
  metrics.CountRequest(200);
  metrics.request_duration_seconds.Observe(0.004);
  metrics.list_total.Increment();
  metrics.watch_total.Increment(2);
  metrics.watch_failed_total.Increment();
  metrics.CountApiError("watch", "Expired");
  metrics.CountRelist("expired");
  metrics.CountCheckpointWrite("ok");
  metrics.SetCheckpoint(WallTime{1767225600s}, 4096, false);
  metrics.Scope("all").watch_open.Set(1);
  metrics.Scope("all").synced.Set(1);
  metrics.Scope("all").gaps.Increment();
  metrics.Scope("all").gap_seconds.Increment(1.25);
  const WallTime when{1767225600s};
  metrics.SetLastList(when);
  metrics.SetLastEvent(when + 1500ms);
  metrics.SetLastStreamActivity(when + 2s);
  metrics.WatchEvents(FrameType::kAdded).Increment(4);
  metrics.WatchEvents(FrameType::kBookmark).Increment();
  metrics.ObserveEventLag(700ms);
  metrics.decode_errors_total.Increment();
  metrics.uncertain_counted.Increment(5);
  metrics.uncertain_not_counted.Increment(6);
}

TEST(SelfMetricsTest, TextPageIsTheGoldenOne) {
  SelfMetrics metrics(Options());
  Exercise(metrics);
  EXPECT_EQ(Comparable(Page(metrics)), ReadSourceFile("tests/metrics/testdata/self_metrics.txt"));
}

TEST(SelfMetricsTest, OpenMetricsPageIsTheGoldenOne) {
  SelfMetrics metrics(Options());
  Exercise(metrics);
  EXPECT_EQ(Comparable(Page(metrics, ExpositionFormat::kOpenMetrics)),
            ReadSourceFile("tests/metrics/testdata/self_metrics.openmetrics.txt"));
}

TEST(SelfMetricsTest, ThePageHasExactlyTheCatalogFromTheStart) {
  SelfMetrics metrics(Options());
  metrics.SetSources(Sources());
  const EventCounters counters(1);
  const ForwardMetrics forward({"sink"}, [] { return std::vector<ForwardGauges>{{.sink = "sink"}}; });
  const std::vector<const MetricSource*> sources{&counters, &metrics, &forward};
  std::map<std::string, std::string> types;
  const std::string page = RenderPage(sources, ExpositionFormat::kText);
  const std::regex type_line("# TYPE ([^ ]+) ([a-z]+)\n");
  for (std::sregex_iterator it(page.begin(), page.end(), type_line); it != std::sregex_iterator(); ++it) {
    EXPECT_TRUE(types.emplace((*it)[1], (*it)[2]).second) << (*it)[1] << " comes twice";
  }
  for (const MetricSpec& spec : AllMetrics()) {
    EXPECT_EQ(types[std::string(spec.name)], ToString(spec.kind)) << spec.name;
    EXPECT_THAT(page, HasSubstr("# HELP " + std::string(spec.name) + " " + std::string(spec.help) + "\n"));
  }
  EXPECT_EQ(types.size(), AllMetrics().size());
}

TEST(SelfMetricsTest, SamplesBearTheLabelsOfTheCatalog) {
  SelfMetrics metrics(Options());
  Exercise(metrics);
  const ForwardMetrics forward({"sink"}, [] { return std::vector<ForwardGauges>{{.sink = "sink"}}; });
  const std::string page = RenderPage(std::vector<const MetricSource*>{&metrics, &forward}, ExpositionFormat::kText);
  for (const MetricSpec& spec : AllMetrics()) {
    if (spec.id == Metric::kEventsTotal || spec.kind == MetricKind::kHistogram) continue;
    std::set<std::string> sorted(spec.Labels().begin(), spec.Labels().end());
    std::string pattern;
    for (const std::string& label : sorted) pattern += (pattern.empty() ? "\\{" : ",") + label + "=\"[^\"]*\"";
    const std::regex sample("\n" + std::string(spec.name) + pattern + (pattern.empty() ? "" : "\\}") + " ");
    EXPECT_TRUE(std::regex_search(page, sample)) << spec.name;
  }
}

TEST(SelfMetricsTest, SeriesOfAlertsExistWithZeroFromTheStart) {
  SelfMetrics metrics({.version = "1", .revision = "r", .scopes = {"default", "kube-system"}});
  metrics.SetSources(Sources());
  const std::string page = Page(metrics);
  for (const auto* line :
       {"watch_open{scope=\"default\"} 0", "watch_open{scope=\"kube-system\"} 0", "synced{scope=\"default\"} 0",
        "gaps_total{scope=\"kube-system\"} 0", "gap_seconds_total{scope=\"default\"} 0",
        "api_errors_total{reason=\"Forbidden\",verb=\"list\"} 0",
        "api_errors_total{reason=\"timeout\",verb=\"watch\"} 0", "relists_total{reason=\"expired\"} 0",
        "requests_total{code=\"500\"} 0", "decode_errors_total 0", "uncertain_occurrences_total{kind=\"counted\"} 0",
        "uncertain_occurrences_total{kind=\"not_counted\"} 0", "series_overflow_total 0", "list_failed_total 0",
        "watch_failed_total 0", "watch_events_total{type=\"ERROR\"} 0", "event_lag_seconds_count 0"}) {
    EXPECT_THAT(page, HasSubstr("\nkube_events_exporter_" + std::string(line) + "\n"));
  }
}

TEST(SelfMetricsTest, EachTypeOfMessageHasItsOwnCounter) {
  SelfMetrics metrics(Options());
  double n = 0;
  for (const auto type :
       {FrameType::kAdded, FrameType::kModified, FrameType::kDeleted, FrameType::kBookmark, FrameType::kError}) {
    metrics.WatchEvents(type).Increment(++n);
  }
  const std::string page = Page(metrics);
  for (const auto* sample : {"{type=\"ADDED\"} 1\n", "{type=\"MODIFIED\"} 2\n", "{type=\"DELETED\"} 3\n",
                             "{type=\"BOOKMARK\"} 4\n", "{type=\"ERROR\"} 5\n"}) {
    EXPECT_THAT(page, HasSubstr(sample));
  }
}

TEST(SelfMetricsTest, AScopeThatWasNotAmongTheOptionsGetsItsSeries) {
  SelfMetrics metrics(Options());
  metrics.Scope("late").watch_open.Set(1);
  metrics.Scope("late").gaps.Increment();
  metrics.Scope("late").gaps.Increment();
  const std::string page = Page(metrics);
  EXPECT_THAT(page, HasSubstr("watch_open{scope=\"late\"} 1\n"));
  EXPECT_THAT(page, HasSubstr("gaps_total{scope=\"late\"} 2\n"));
}

TEST(SelfMetricsTest, ReasonsFromOutsideAreBounded) {
  SelfMetrics metrics(Options());
  for (int i = 0; i < 1000; ++i) metrics.CountApiError("list", "Invented" + std::to_string(i));
  metrics.CountApiError("list", "Forbidden");
  const std::string page = Page(metrics);
  int series = 0;
  for (auto at = page.find("api_errors_total{"); at != page.npos; at = page.find("api_errors_total{", at + 1)) ++series;
  EXPECT_LE(series, 102);
  EXPECT_THAT(page, HasSubstr("api_errors_total{reason=\"Forbidden\",verb=\"list\"} 1\n")) << "known ones go on";
  std::smatch other;
  ASSERT_TRUE(std::regex_search(page, other, std::regex("reason=\"other\",verb=\"list\"\\} ([0-9]+)\n")));
  EXPECT_EQ(std::stoi(other[1]), 1000 - (series - 31)) << "nothing is lost";
}

TEST(SelfMetricsTest, ReasonsFromOutsideAreMadeValid) {
  SelfMetrics metrics(Options());
  metrics.CountApiError("watch", "bro\xffken\n\"");
  EXPECT_THAT(Page(metrics), HasSubstr("api_errors_total{reason=\"bro\uFFFDken\\n\\\"\",verb=\"watch\"} 1\n"));
}

TEST(SelfMetricsTest, ALagBelowZeroCountsAsZero) {
  SelfMetrics metrics(Options());
  metrics.ObserveEventLag(-5s);
  const std::string page = Page(metrics);
  EXPECT_THAT(page, HasSubstr("event_lag_seconds_bucket{le=\"0.1\"} 1\n"));
  EXPECT_THAT(page, HasSubstr("event_lag_seconds_sum 0\n"));
}

TEST(SelfMetricsTest, SourcesAreAskedAtEveryScrapeAndLeftOutWhereMissing) {
  SelfMetrics metrics(Options());
  EXPECT_THAT(Page(metrics), Not(HasSubstr("cached_events")));
  int asked = 0;
  metrics.SetSources({.cached_events = [&asked] { return static_cast<double>(++asked); }});
  EXPECT_THAT(Page(metrics), HasSubstr("kube_events_exporter_cached_events 1\n"));
  EXPECT_THAT(Page(metrics), HasSubstr("kube_events_exporter_cached_events 2\n"));
  EXPECT_THAT(Page(metrics), Not(HasSubstr("tombstones")));
}

TEST(SelfMetricsTest, ScrapesAndUpdatesMayRunAtTheSameTime) {
  SelfMetrics metrics(Options());
  metrics.SetSources(Sources());
  std::atomic<bool> done = false;
  std::thread scraper([&] {
    while (!done) Page(metrics, ExpositionFormat::kOpenMetrics);
  });
  for (int i = 0; i < 200; ++i) {
    Exercise(metrics);
    metrics.CountApiError("list", "Invented" + std::to_string(i));
    metrics.Scope("scope" + std::to_string(i % 10)).synced.Set(1);
  }
  done = true;
  scraper.join();
  EXPECT_THAT(Page(metrics), HasSubstr("kube_events_exporter_watch_total 400\n"));
}

}  // namespace
}  // namespace kube_events
