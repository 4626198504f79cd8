#include "kube_events/metrics/exposition.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "kube_events/metrics/label_text.h"

namespace kube_events {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;

constexpr std::string_view kTotalSuffix = "_total";

void AppendNumber(std::string& out, double value) {
  if (std::isnan(value)) {
    out += "NaN";
  } else if (std::isinf(value)) {
    out += value > 0 ? "+Inf" : "-Inf";
  } else {
    char digits[32];
    out.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
  }
}

void AppendNumber(std::string& out, std::uint64_t value) {
  char digits[24];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

// A number as the value of `le` or `quantile`: OpenMetrics wants to see that it is a float ("1.0").
std::string Bound(double value, ExpositionFormat format) {
  std::string text;
  AppendNumber(text, value);
  if (format == ExpositionFormat::kOpenMetrics && text.find_first_not_of("-0123456789") == std::string::npos) {
    text += ".0";
  }
  return text;
}

std::string_view TypeWord(MetricType type, ExpositionFormat format) {
  switch (type) {
    case MetricType::Counter:
      return "counter";
    case MetricType::Gauge:
      return "gauge";
    case MetricType::Summary:
      return "summary";
    case MetricType::Histogram:
      return "histogram";
    default:
      return format == ExpositionFormat::kOpenMetrics ? "unknown" : "untyped";
  }
}

struct ExtraLabel {
  std::string_view name = {};
  std::string_view value = {};
};

void AppendLabel(std::string& out, std::string_view name, std::string_view value) {
  out += name;
  out += "=\"";
  AppendEscapedLabelValue(out, value);
  out += "\",";
}

// Writes `name suffix{labels} ` up to the value.
void AppendSampleStart(std::string& out, std::string_view name, std::string_view suffix,
                       const std::vector<ClientMetric::Label>& labels, ExtraLabel extra = {}) {
  out += name;
  out += suffix;
  if (!labels.empty() || !extra.name.empty()) {
    out += '{';
    for (const auto& label : labels) AppendLabel(out, label.name, label.value);
    if (!extra.name.empty()) AppendLabel(out, extra.name, extra.value);
    out.back() = '}';
  }
  out += ' ';
}

class FamilyWriter {
 public:
  FamilyWriter(std::string& out, ExpositionFormat format, const MetricFamily& family)
      : out_(out), format_(format), family_(family) {}

  void Write(const ClientMetric& metric) {
    switch (family_.type) {
      case MetricType::Counter:
        return Sample(metric, "", metric.counter.value);
      case MetricType::Gauge:
        return Sample(metric, "", metric.gauge.value);
      case MetricType::Summary:
        return Summary(metric);
      case MetricType::Histogram:
        return Histogram(metric);
      default:
        return Sample(metric, "", metric.untyped.value);
    }
  }

 private:
  template <typename T>
  void Sample(const ClientMetric& metric, std::string_view suffix, T value, ExtraLabel extra = {}) {
    AppendSampleStart(out_, family_.name, suffix, metric.label, extra);
    AppendNumber(out_, value);
    out_ += '\n';
  }

  void Summary(const ClientMetric& metric) {
    for (const auto& quantile : metric.summary.quantile) {
      Sample(metric, "", quantile.value, {"quantile", Bound(quantile.quantile, format_)});
    }
    Sample(metric, "_sum", metric.summary.sample_sum);
    Sample(metric, "_count", metric.summary.sample_count);
  }

  void Histogram(const ClientMetric& metric) {
    bool complete = false;
    for (const auto& bucket : metric.histogram.bucket) {
      complete = complete || bucket.upper_bound == std::numeric_limits<double>::infinity();
      Sample(metric, "_bucket", bucket.cumulative_count, {"le", Bound(bucket.upper_bound, format_)});
    }
    if (!complete) Sample(metric, "_bucket", metric.histogram.sample_count, {"le", "+Inf"});
    Sample(metric, "_sum", metric.histogram.sample_sum);
    Sample(metric, "_count", metric.histogram.sample_count);
  }

  std::string& out_;
  const ExpositionFormat format_;
  const MetricFamily& family_;
};

void AppendEscapedHelp(std::string& out, std::string_view help, ExpositionFormat format) {
  for (const char c : help) {
    if (c == '\\' || (c == '"' && format == ExpositionFormat::kOpenMetrics)) out += '\\';
    if (c == '\n') {
      out += "\\n";
    } else {
      out += c;
    }
  }
}

}  // namespace

std::string_view ContentType(ExpositionFormat format) {
  return format == ExpositionFormat::kOpenMetrics ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
                                                  : "text/plain; version=0.0.4; charset=utf-8";
}

std::string RenderPage(std::span<const MetricSource* const> sources, ExpositionFormat format) {
  std::string page;
  for (const MetricSource* source : sources) source->AppendTo(page, format);
  if (format == ExpositionFormat::kOpenMetrics) page += "# EOF\n";
  return page;
}

void AppendFamilyHeader(std::string& page, ExpositionFormat format, std::string_view name, std::string_view type,
                        std::string_view help) {
  if (format == ExpositionFormat::kOpenMetrics && type == "counter" && name.ends_with(kTotalSuffix)) {
    name.remove_suffix(kTotalSuffix.size());
  }
  page += "# HELP ";
  page += name;
  page += ' ';
  AppendEscapedHelp(page, help, format);
  page += "\n# TYPE ";
  page += name;
  page += ' ';
  page += type;
  page += '\n';
}

void AppendFamily(std::string& page, ExpositionFormat format, MetricFamily family) {
  if (family.metric.empty()) return;
  AppendFamilyHeader(page, format, family.name, TypeWord(family.type, format), family.help);
  std::sort(family.metric.begin(), family.metric.end(),
            [](const ClientMetric& a, const ClientMetric& b) { return a.label < b.label; });
  FamilyWriter writer(page, format, family);
  for (const ClientMetric& metric : family.metric) writer.Write(metric);
}

}  // namespace kube_events
