#include "kube_events/metrics/catalog.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <sstream>

#include "metrics/source_file.h"

namespace kube_events {
namespace {

using testing::ElementsAreArray;
using testing::IsEmpty;

// The row of a metric as docs/metrics.md shows it.
std::string DocumentedRow(const MetricSpec& spec) {
  std::string labels;
  for (const auto label : spec.Labels()) labels += (labels.empty() ? "`" : ", `") + std::string(label) + "`";
  return "| `" + std::string(spec.name) + "` | " + std::string(ToString(spec.kind)) + " | " +
         (labels.empty() ? "–" : labels) + " | " + std::string(spec.help) + " |";
}

TEST(CatalogTest, NamesAreUnique) {
  std::set<std::string_view> names;
  for (const MetricSpec& spec : AllMetrics()) EXPECT_TRUE(names.insert(spec.name).second) << spec.name;
}

TEST(CatalogTest, OnlyCountersEndWithTotal) {
  for (const MetricSpec& spec : AllMetrics()) {
    EXPECT_EQ(spec.name.ends_with("_total"), spec.kind == MetricKind::kCounter) << spec.name;
  }
}

TEST(CatalogTest, EveryMetricHasAOneLineSentenceAsHelp) {
  for (const MetricSpec& spec : AllMetrics()) {
    EXPECT_TRUE(spec.help.ends_with(".")) << spec.name;
    EXPECT_EQ(spec.help.find_first_of("\n\\\""), spec.help.npos) << spec.name;
  }
}

TEST(CatalogTest, RowsAreFoundByTheirMetric) {
  EXPECT_EQ(Spec(Metric::kEventsTotal).name, "kube_events_total");
  EXPECT_EQ(Spec(Metric::kProcessThreads).name, "process_threads");
  EXPECT_EQ(AllMetrics().size(), kMetricCount);
}

TEST(CatalogTest, LabelsOfTheEventCounterAreThoseOfTheContract) {
  EXPECT_THAT(Spec(Metric::kEventsTotal).Labels(),
              ElementsAreArray({"type", "involved_object_namespace", "involved_object_kind", "reason"}));
  EXPECT_THAT(Spec(Metric::kTombstones).Labels(), IsEmpty());
}

TEST(CatalogTest, DocumentationHasTheSameTable) {
  std::vector<std::string> expected;
  for (const MetricSpec& spec : AllMetrics()) expected.push_back(DocumentedRow(spec));
  std::vector<std::string> documented;
  std::istringstream lines(ReadSourceFile("docs/metrics.md"));
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("| `")) documented.push_back(line);
  }
  EXPECT_THAT(documented, ElementsAreArray(expected)) << "docs/metrics.md and src/metrics/catalog.cpp differ";
}

TEST(CatalogTest, DocumentedQueriesNameOnlyMetricsThatExist) {
  std::set<std::string> known{"kube_events_exporter_event_lag_seconds_bucket"};
  for (const MetricSpec& spec : AllMetrics()) known.emplace(spec.name);
  const std::string text = ReadSourceFile("docs/metrics.md");
  const std::regex name("kube_events_[a-z_]*[a-z]");
  int found = 0;
  for (std::sregex_iterator match(text.begin(), text.end(), name); match != std::sregex_iterator(); ++match, ++found) {
    EXPECT_TRUE(known.contains(match->str()) || match->str() == "kube_events_exporter") << match->str();
  }
  EXPECT_GT(found, 40);
}

}  // namespace
}  // namespace kube_events
