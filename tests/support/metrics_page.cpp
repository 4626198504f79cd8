#include "support/metrics_page.h"

#include <cstdlib>
#include <sstream>

namespace kube_events {
namespace {

// The label values of a sample.
std::vector<std::string> LabelValues(const std::string& line) {
  std::vector<std::string> values;
  bool quoted = false;
  for (std::size_t at = line.find('{'); at < line.size() && (quoted || line[at] != '}'); ++at) {
    if (line[at] == '"') {
      quoted = !quoted;
      if (quoted) values.emplace_back();
    } else if (quoted) {
      values.back() += line[at];
      if (line[at] == '\\' && at + 1 < line.size()) values.back() += line[++at];
    }
  }
  return values;
}

}  // namespace

std::optional<MetricSample> ReadSampleLine(const std::string& line) {
  const std::size_t space = line.rfind(' ');
  if (line.starts_with('#') || space == std::string::npos) return std::nullopt;
  const char* begin = line.c_str() + space + 1;
  char* end = nullptr;
  const double value = std::strtod(begin, &end);
  if (end == begin || *end != '\0') return std::nullopt;
  return MetricSample{line.substr(0, line.find_first_of("{ ")), LabelValues(line), value};
}

EventCounts ReadEventCounts(const std::string& page, bool with_zero) {
  EventCounts counts;
  std::istringstream lines(page);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("kube_events_total{")) continue;
    const MetricSample sample = ReadSampleLine(line).value();
    std::string key;
    for (std::size_t i = 0; i < sample.labels.size(); ++i) key += (i == 0 ? "" : "|") + sample.labels[i];
    if (sample.value != 0 || with_zero) counts[key] = static_cast<std::int64_t>(sample.value);
  }
  return counts;
}

std::optional<double> ReadSample(const std::string& page, std::string_view name) {
  const std::string start = std::string(name) + " ";
  std::istringstream lines(page);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(start)) return std::stod(line.substr(start.size()));
  }
  return std::nullopt;
}

}  // namespace kube_events
