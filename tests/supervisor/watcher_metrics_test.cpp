#include "kube_events/supervisor/watcher_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <sstream>

#include "metrics/source_file.h"

namespace kube_events {
namespace {

using testing::ElementsAreArray;
using testing::HasSubstr;
using testing::Not;

std::string Page(const WatcherMetrics& metrics) {
  std::string page;
  metrics.AppendTo(page, ExpositionFormat::kText);
  return page;
}

TEST(WatcherMetricsTest, DocumentationHasTheSameTable) {
  std::vector<std::string> expected, documented;
  for (const WatcherMetricSpec& spec : WatcherMetricCatalog()) {
    std::string labels;
    std::istringstream names{std::string(spec.labels)};
    for (std::string name; std::getline(names, name, ',');) labels += (labels.empty() ? "`" : ", `") + name + "`";
    expected.push_back("| `" + std::string(spec.name) + "` | " + std::string(ToString(spec.kind)) + " | " +
                       (labels.empty() ? "–" : labels) + " | " + std::string(spec.help) + " |");
  }
  std::istringstream lines(ReadSourceFile("docs/fluent-bit-watcher.md"));
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("| `fluent_bit_watcher_")) documented.push_back(line);
  }
  EXPECT_THAT(documented, ElementsAreArray(expected));
}

TEST(WatcherMetricsTest, EveryMetricIsOnThePageOnceSomethingWasApplied) {
  WatcherMetrics metrics({.version = "1.2", .revision = "abc", .compiler = "c"});
  metrics.SetApplied(1, WallTime{std::chrono::seconds{5}});
  const std::string page = Page(metrics);
  for (const WatcherMetricSpec& spec : WatcherMetricCatalog()) {
    EXPECT_THAT(page, HasSubstr("# TYPE " + std::string(spec.name) + " " + std::string(ToString(spec.kind)) + "\n"));
    EXPECT_EQ(spec.name.ends_with("_total"), spec.kind == MetricKind::kCounter) << spec.name;
  }
  EXPECT_THAT(page, HasSubstr("\nprocess_start_time_seconds "));
  for (const char* result : {"applied", "rejected", "failed", "timeout"}) {
    EXPECT_THAT(page, HasSubstr("reloads_total{result=\"" + std::string(result) + "\"} 0\n")) << "for increase()";
  }
}

TEST(WatcherMetricsTest, PromtoolFindsNoFault) {
  if (std::system("command -v promtool >/dev/null") != 0) {
    GTEST_SKIP() << "promtool is not installed (Debian package prometheus), so Prometheus' own opinion is not asked";
  }
  WatcherMetrics metrics({.version = "1.2", .revision = "abc", .compiler = "c"});
  metrics.SetApplied(1, WallTime{std::chrono::seconds{5}});
  FILE* promtool = popen("promtool check metrics", "w");
  ASSERT_NE(promtool, nullptr);
  std::fputs(Page(metrics).c_str(), promtool);
  EXPECT_EQ(pclose(promtool), 0);
}

TEST(WatcherMetricsTest, OnlyTheHashThatRunsIsShown) {
  WatcherMetrics metrics({});
  metrics.SetApplied(1, WallTime{std::chrono::seconds{5}});
  metrics.SetApplied(2, WallTime{std::chrono::seconds{6}});
  EXPECT_THAT(Page(metrics), HasSubstr("config_hash_info{hash=\"0000000000000002\"} 1\n"));
  EXPECT_THAT(Page(metrics), Not(HasSubstr("0000000000000001")));
  EXPECT_THAT(Page(metrics), HasSubstr("last_reload_success_timestamp_seconds 6\n"));
  metrics.SetApplied(2, WallTime{std::chrono::seconds{7}});
  EXPECT_THAT(Page(metrics), HasSubstr("config_hash_info{hash=\"0000000000000002\"} 1\n"));
}

TEST(WatcherMetricsTest, TheChildComesAndGoes) {
  WatcherMetrics metrics({});
  metrics.SetChild(true, WallTime{std::chrono::seconds{9}});
  EXPECT_THAT(Page(metrics), HasSubstr("child_up 1\n"));
  metrics.SetChild(false, {});
  EXPECT_THAT(Page(metrics), HasSubstr("child_up 0\n"));
  EXPECT_THAT(Page(metrics), HasSubstr("child_start_timestamp_seconds 9\n"));
}

}  // namespace
}  // namespace kube_events
