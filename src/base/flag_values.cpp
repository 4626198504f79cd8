#include "kube_events/base/flag_values.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <string_view>

namespace kube_events::flag_values {
namespace {

struct Unit {
  std::string_view name;
  int shift;
};
// The largest first.
constexpr std::array<Unit, 4> kUnits{{{"Gi", 30}, {"Mi", 20}, {"Ki", 10}, {"", 0}}};

}  // namespace

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

Result<std::uint64_t> ParseSize(const std::string& text, std::uint64_t min, std::uint64_t max) {
  std::uint64_t number = 0;
  const char* const text_end = text.data() + text.size();
  const auto [end, code] = std::from_chars(text.data(), text_end, number);
  std::string_view unit(end, static_cast<std::size_t>(text_end - end));
  if (unit.size() == 3 && unit.ends_with("iB")) unit.remove_suffix(1);
  const auto found = std::find_if(kUnits.begin(), kUnits.end(), [&](const Unit& one) { return one.name == unit; });
  if (code != std::errc{} || found == kUnits.end() || number > max >> found->shift || number << found->shift < min) {
    return BadValue("\"" + text + "\" is no size from " + FormatSize(min) + " to " + FormatSize(max) +
                    "; write a number of bytes, or of KiB, MiB or GiB as in 16Mi");
  }
  return number << found->shift;
}

std::string FormatSize(std::uint64_t bytes) {
  for (const Unit& unit : kUnits) {
    const bool whole = ((bytes >> unit.shift) << unit.shift) == bytes;
    if (whole && (bytes != 0 || unit.shift == 0)) return std::to_string(bytes >> unit.shift) + std::string(unit.name);
  }
  return {};
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
  return BadValue("\"" + text + "\" is no switch; write true or false");
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
