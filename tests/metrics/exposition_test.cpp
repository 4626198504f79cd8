#include "kube_events/metrics/exposition.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace kube_events {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::string Render(const MetricFamily& family, ExpositionFormat format = ExpositionFormat::kText) {
  std::string page;
  AppendFamily(page, format, family);
  return page;
}

MetricFamily Family(MetricType type, std::string name, std::vector<ClientMetric> metrics) {
  MetricFamily family;
  family.name = std::move(name);
  family.help = "Help.";
  family.type = type;
  family.metric = std::move(metrics);
  return family;
}

ClientMetric CounterOf(double value, std::vector<ClientMetric::Label> labels = {}) {
  ClientMetric metric;
  metric.label = std::move(labels);
  metric.counter.value = value;
  return metric;
}

ClientMetric GaugeOf(double value) {
  ClientMetric metric;
  metric.gauge.value = value;
  return metric;
}

TEST(ExpositionTest, ContentTypesAreExact) {
  EXPECT_EQ(ContentType(ExpositionFormat::kText), "text/plain; version=0.0.4; charset=utf-8");
  EXPECT_EQ(ContentType(ExpositionFormat::kOpenMetrics), "application/openmetrics-text; version=1.0.0; charset=utf-8");
}

TEST(ExpositionTest, ACounterKeepsItsNameInText) {
  EXPECT_EQ(Render(Family(MetricType::Counter, "x_total", {CounterOf(3)})),
            "# HELP x_total Help.\n# TYPE x_total counter\nx_total 3\n");
}

TEST(ExpositionTest, ACounterFamilyLosesTotalInOpenMetrics) {
  EXPECT_EQ(Render(Family(MetricType::Counter, "x_total", {CounterOf(3)}), ExpositionFormat::kOpenMetrics),
            "# HELP x Help.\n# TYPE x counter\nx_total 3\n");
}

TEST(ExpositionTest, AGaugeKeepsItsNameInBothFormats) {
  const auto family = Family(MetricType::Gauge, "odd_total", {GaugeOf(-1.5)});
  const std::string expected = "# HELP odd_total Help.\n# TYPE odd_total gauge\nodd_total -1.5\n";
  EXPECT_EQ(Render(family), expected);
  EXPECT_EQ(Render(family, ExpositionFormat::kOpenMetrics), expected);
}

TEST(ExpositionTest, SamplesAreSortedByTheirLabels) {
  const auto family = Family(MetricType::Counter, "x_total",
                             {CounterOf(2, {{"code", "500"}}), CounterOf(1, {{"code", "200"}, {"verb", "get"}})});
  EXPECT_EQ(Render(family),
            "# HELP x_total Help.\n# TYPE x_total counter\n"
            "x_total{code=\"200\",verb=\"get\"} 1\nx_total{code=\"500\"} 2\n");
}

TEST(ExpositionTest, AFamilyWithoutMetricsIsLeftOut) { EXPECT_EQ(Render(Family(MetricType::Gauge, "x", {})), ""); }

MetricFamily HistogramFamily(std::vector<ClientMetric::Bucket> buckets) {
  ClientMetric metric;
  metric.label = {{"scope", "all"}};
  metric.histogram.sample_count = 7;
  metric.histogram.sample_sum = 12.25;
  metric.histogram.bucket = std::move(buckets);
  return Family(MetricType::Histogram, "lag_seconds", {metric});
}

TEST(ExpositionTest, AHistogramShowsBucketsSumAndCount) {
  EXPECT_EQ(Render(HistogramFamily({{2, 0.5}, {5, 1}, {7, kInfinity}})),
            "# HELP lag_seconds Help.\n# TYPE lag_seconds histogram\n"
            "lag_seconds_bucket{scope=\"all\",le=\"0.5\"} 2\n"
            "lag_seconds_bucket{scope=\"all\",le=\"1\"} 5\n"
            "lag_seconds_bucket{scope=\"all\",le=\"+Inf\"} 7\n"
            "lag_seconds_sum{scope=\"all\"} 12.25\n"
            "lag_seconds_count{scope=\"all\"} 7\n");
}

TEST(ExpositionTest, BoundsAreFloatsInOpenMetrics) {
  const std::string page =
      Render(HistogramFamily({{2, 0.5}, {5, 1}, {6, 1e21}, {7, kInfinity}}), ExpositionFormat::kOpenMetrics);
  EXPECT_NE(page.find("le=\"0.5\"} 2\n"), page.npos);
  EXPECT_NE(page.find("le=\"1.0\"} 5\n"), page.npos);
  EXPECT_NE(page.find("le=\"1e+21\"} 6\n"), page.npos);
  EXPECT_NE(page.find("le=\"+Inf\"} 7\n"), page.npos);
}

TEST(ExpositionTest, AHistogramWithoutALastBucketGetsIt) {
  EXPECT_NE(Render(HistogramFamily({{2, 0.5}})).find("lag_seconds_bucket{scope=\"all\",le=\"+Inf\"} 7\n"),
            std::string::npos);
}

TEST(ExpositionTest, ASummaryShowsQuantilesSumAndCount) {
  ClientMetric metric;
  metric.summary.sample_count = 3;
  metric.summary.sample_sum = 6;
  metric.summary.quantile = {{0.5, 2}, {0.99, 3}};
  EXPECT_EQ(Render(Family(MetricType::Summary, "s", {metric})),
            "# HELP s Help.\n# TYPE s summary\ns{quantile=\"0.5\"} 2\ns{quantile=\"0.99\"} 3\ns_sum 6\ns_count 3\n");
}

TEST(ExpositionTest, AnUntypedFamilyIsUnknownInOpenMetrics) {
  ClientMetric metric;
  metric.untyped.value = 4;
  const auto family = Family(MetricType::Untyped, "u", {metric});
  EXPECT_EQ(Render(family), "# HELP u Help.\n# TYPE u untyped\nu 4\n");
  EXPECT_EQ(Render(family, ExpositionFormat::kOpenMetrics), "# HELP u Help.\n# TYPE u unknown\nu 4\n");
}

TEST(ExpositionTest, HelpIsEscapedAsEachFormatWants) {
  auto family = Family(MetricType::Gauge, "x", {GaugeOf(0)});
  family.help = "a\\b\nc \"d\"";
  EXPECT_EQ(Render(family), "# HELP x a\\\\b\\nc \"d\"\n# TYPE x gauge\nx 0\n");
  EXPECT_EQ(Render(family, ExpositionFormat::kOpenMetrics), "# HELP x a\\\\b\\nc \\\"d\\\"\n# TYPE x gauge\nx 0\n");
}

TEST(ExpositionTest, LabelValuesAreEscaped) {
  EXPECT_NE(Render(Family(MetricType::Counter, "x_total", {CounterOf(1, {{"l", "a\\b\"c\nd"}})}))
                .find("x_total{l=\"a\\\\b\\\"c\\nd\"} 1\n"),
            std::string::npos);
}

TEST(ExpositionTest, NumbersAreReadBackToTheSameValue) {
  for (const double value : {0.0, -0.0, 0.1, 1e-300, 1767225600.123456, 9007199254740992.0, 1.7976931348623157e308}) {
    const std::string page = Render(Family(MetricType::Gauge, "x", {GaugeOf(value)}));
    EXPECT_EQ(std::stod(page.substr(page.rfind(' '))), value);
  }
}

TEST(ExpositionTest, SpecialNumbersAreSpelledAsPrometheusReadsThem) {
  const std::string head = "# HELP x Help.\n# TYPE x gauge\nx ";
  EXPECT_EQ(Render(Family(MetricType::Gauge, "x", {GaugeOf(std::nan(""))})), head + "NaN\n");
  EXPECT_EQ(Render(Family(MetricType::Gauge, "x", {GaugeOf(kInfinity)})), head + "+Inf\n");
  EXPECT_EQ(Render(Family(MetricType::Gauge, "x", {GaugeOf(-kInfinity)})), head + "-Inf\n");
}

class FixedSource final : public MetricSource {
 public:
  explicit FixedSource(std::string text) : text_(std::move(text)) {}
  void AppendTo(std::string& page, ExpositionFormat) const override { page += text_; }

 private:
  const std::string text_;
};

TEST(ExpositionTest, APageHasAllSourcesInOrderAndOpenMetricsItsEnd) {
  const FixedSource first("a 1\n");
  const FixedSource second("b 2\n");
  const std::vector<const MetricSource*> sources{&first, &second};
  EXPECT_EQ(RenderPage(sources, ExpositionFormat::kText), "a 1\nb 2\n");
  EXPECT_EQ(RenderPage(sources, ExpositionFormat::kOpenMetrics), "a 1\nb 2\n# EOF\n");
  EXPECT_EQ(RenderPage({}, ExpositionFormat::kOpenMetrics), "# EOF\n");
}

}  // namespace
}  // namespace kube_events
