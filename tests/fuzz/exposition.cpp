// Pages of metrics: whatever texts Events and metrics carry, a page has one sample per line and every label reads back.
//   four lines: label values of an Event; line: a help text; the rest: the bytes of a value
#include "kube_events/metrics/exposition.h"

#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "fuzz/check.h"
#include "kube_events/base/utf8.h"
#include "kube_events/metrics/event_counters.h"
#include "kube_events/metrics/label_text.h"

namespace {

using kube_events::CleanUtf8;
using kube_events::ExpositionFormat;
using kube_events::fuzz::Check;

constexpr std::array kFormats{ExpositionFormat::kText, ExpositionFormat::kOpenMetrics};

std::vector<std::string> Lines(const std::string& page) {
  Check(page.empty() || page.back() == '\n', "a page ends with its last line", page);
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < page.size();) {
    const std::size_t end = page.find('\n', at);
    lines.push_back(page.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

// The label values of `name{a="x",b="y"} 1`, unescaped, and what follows them.
struct Sample {
  std::vector<std::string> labels;
  std::string value;
};

Sample Parse(const std::string& line) {
  Sample sample;
  std::size_t at = line.find('{');
  while (at != line.npos && line[at] != '}') {
    at = line.find('"', at) + 1;
    std::string label;
    for (; line.at(at) != '"'; ++at) {
      const bool escaped = line[at] == '\\';
      if (escaped) ++at;
      label += escaped && line.at(at) == 'n' ? '\n' : line.at(at);
    }
    sample.labels.push_back(label);
    ++at;
  }
  sample.value = line.substr(line.rfind(' ') + 1);
  return sample;
}

void CheckCleaning(std::string_view raw) {
  for (const std::size_t limit : {std::size_t{0}, std::size_t{1}, std::size_t{7}, kube_events::kMaxLabelBytes}) {
    const std::string clean = CleanUtf8(raw, limit);
    Check(kube_events::IsValidUtf8(clean) && clean.find('\0') == clean.npos, "a label is valid UTF-8 without NUL");
    Check(clean.size() <= limit, "a label keeps to its bound");
    Check(CleanUtf8(clean, limit) == clean, "cleaning again changes nothing");
    const bool good = kube_events::IsValidUtf8(raw) && raw.find('\0') == raw.npos;
    if (good && raw.size() <= limit) Check(clean == raw, "a good label stays as it is");
  }
}

void CheckEventCounters(const std::array<std::string, 4>& labels) {
  kube_events::EventCounters counters(2);
  counters.Add({labels[0], labels[1], labels[2], labels[3]}, 7);
  for (const ExpositionFormat format : kFormats) {
    std::string page;
    counters.AppendTo(page, format);
    const std::vector<std::string> lines = Lines(page);
    Check(lines.size() == 3, "a header of two lines and one sample", page);
    const Sample sample = Parse(lines[2]);
    Check(sample.labels.size() == 4 && sample.value == "7", "four labels and the value", page);
    for (std::size_t i = 0; i < 4; ++i) Check(sample.labels[i] == CleanUtf8(labels[i]), "a label reads back", page);
  }
}

// Self metrics come through prometheus-cpp.
void CheckFamily(const std::string& label, const std::string& help, double value) {
  prometheus::MetricFamily family;
  family.name = "a_gauge";
  family.help = help;
  family.type = prometheus::MetricType::Gauge;
  family.metric.emplace_back();
  family.metric[0].label = {{"x", label}};
  family.metric[0].gauge.value = value;
  for (const ExpositionFormat format : kFormats) {
    std::string page;
    kube_events::AppendFamily(page, format, family);
    const std::vector<std::string> lines = Lines(page);
    Check(lines.size() == 3, "a header of two lines and one sample", page);
    const Sample sample = Parse(lines[2]);
    Check(sample.labels.size() == 1 && sample.labels[0] == label, "a label reads back", page);
    const double read = std::strtod(sample.value.c_str(), nullptr);
    Check(std::isnan(value) ? std::isnan(read) : read == value, "a value reads back", page);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  kube_events::fuzz::Bytes bytes(data, size);
  std::array<std::string, 4> labels;
  for (std::string& label : labels) {
    label = bytes.Until('\n');
    CheckCleaning(label);
  }
  CheckEventCounters(labels);
  const std::string help(bytes.Until('\n'));
  double value = 0;
  std::memcpy(&value, bytes.Rest().data(), std::min(sizeof value, bytes.Rest().size()));
  CheckFamily(CleanUtf8(bytes.Rest()), help, value);
  return 0;
}
