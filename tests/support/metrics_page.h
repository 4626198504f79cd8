// What a page of metrics in the text format says, read without the code that wrote it. Pure functions, any thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kube_events {

struct MetricSample {
  std::string name;
  std::vector<std::string> labels;  // their values, escapes as they are written
  double value = 0;
};

// One line of a page; nothing where it is no sample, as a comment.
std::optional<MetricSample> ReadSampleLine(const std::string& line);

// kube_events_total by "type|namespace|kind|reason". Series that are 0 are left out unless asked for.
using EventCounts = std::map<std::string, std::int64_t>;
EventCounts ReadEventCounts(const std::string& page, bool with_zero = false);

// The value of the sample `name`, with its labels as the page writes them; nothing where there is none.
std::optional<double> ReadSample(const std::string& page, std::string_view name);

}  // namespace kube_events
