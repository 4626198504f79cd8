#include "support/metrics_page.h"

#include <sstream>
#include <utility>

namespace kube_events {
namespace {

// The label values of a sample, joined by bars; escapes stay as they are written.
std::string LabelValues(const std::string& line) {
  std::string values;
  bool quoted = false;
  bool first = true;
  for (std::size_t at = line.find('{'); at < line.size() && (quoted || line[at] != '}'); ++at) {
    if (line[at] == '"') {
      quoted = !quoted;
      if (quoted && !std::exchange(first, false)) values += '|';
    } else if (quoted) {
      values += line[at];
      if (line[at] == '\\' && at + 1 < line.size()) values += line[++at];
    }
  }
  return values;
}

}  // namespace

EventCounts ReadEventCounts(const std::string& page, bool with_zero) {
  EventCounts counts;
  std::istringstream lines(page);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("kube_events_total{")) continue;
    const auto value = static_cast<std::int64_t>(std::stod(line.substr(line.rfind(' ') + 1)));
    if (value != 0 || with_zero) counts[LabelValues(line)] = value;
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
