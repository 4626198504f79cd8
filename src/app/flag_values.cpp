#include "flag_values.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

namespace kube_events::flag_values {

tl::unexpected<Error> BadValue(std::string text) { return Fail(ErrorKind::kConfiguration, std::move(text)); }

Result<std::uint64_t> ParseNumber(const std::string& text, std::uint64_t min, std::uint64_t max) {
  std::uint64_t number = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (code != std::errc{} || end != text.data() + text.size() || number < min || number > max) {
    return BadValue("\"" + text + "\" is not a whole number from " + std::to_string(min) + " to " +
                    std::to_string(max));
  }
  return number;
}

Result<std::chrono::milliseconds> ParseDurationIn(const std::string& text, std::chrono::milliseconds min,
                                                  std::chrono::milliseconds max) {
  const auto duration = ParseDuration(text);
  if (!duration) return Fail(duration.error());
  const auto rounded = std::chrono::ceil<std::chrono::milliseconds>(*duration);
  if (rounded < min || rounded > max) {
    return BadValue("\"" + text + "\" is out of range; write a duration from " + FormatDuration(min) + " to " +
                    FormatDuration(max));
  }
  return rounded;
}

Result<LogFormat> ParseLogFormat(const std::string& name) {
  if (name == "text") return LogFormat::kText;
  if (name == "json") return LogFormat::kJson;
  if (name == "logfmt") return LogFormat::kLogfmt;
  return BadValue("\"" + name + "\" is unknown; write text, json or logfmt");
}

Result<bool> ParseBool(const std::string& text) {
  constexpr std::array<std::string_view, 6> kTrue{"1", "t", "T", "TRUE", "true", "True"};
  constexpr std::array<std::string_view, 6> kFalse{"0", "f", "F", "FALSE", "false", "False"};
  if (std::find(kTrue.begin(), kTrue.end(), text) != kTrue.end()) return true;
  if (std::find(kFalse.begin(), kFalse.end(), text) != kFalse.end()) return false;
  return BadValue("\"" + text + "\" is neither yes nor no; write true or false");
}

std::vector<std::string> SplitList(Values values) {
  std::vector<std::string> elements;
  for (const std::string& value : values) {
    std::size_t from = 0;
    for (std::size_t comma = value.find(','); comma != value.npos; comma = value.find(',', from)) {
      elements.push_back(value.substr(from, comma - from));
      from = comma + 1;
    }
    elements.push_back(value.substr(from));
  }
  return elements;
}

}  // namespace kube_events::flag_values
