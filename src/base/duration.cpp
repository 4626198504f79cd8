#include "kube_events/base/duration.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>

namespace kube_events {
namespace {

struct Unit {
  std::string_view name;
  std::int64_t nanoseconds;
};

constexpr std::int64_t kSecond = 1'000'000'000;
// Longer names before their prefixes: "ms" before "m".
constexpr std::array<Unit, 8> kUnits{{{"ns", 1},
                                      {"us", 1'000},
                                      {"\u00b5s", 1'000},
                                      {"\u03bcs", 1'000},
                                      {"ms", 1'000'000},
                                      {"s", kSecond},
                                      {"m", 60 * kSecond},
                                      {"h", 3600 * kSecond}}};

const Unit* TakeUnit(std::string_view& text) {
  for (const Unit& unit : kUnits) {
    if (text.starts_with(unit.name)) {
      text.remove_prefix(unit.name.size());
      return &unit;
    }
  }
  return nullptr;
}

tl::unexpected<Error> Bad(std::string_view text) {
  return Fail(ErrorKind::kConfiguration,
              "\"" + std::string(text) + "\" is not a duration; write for example 300ms, 10s, 5m or 1h30m");
}

// Takes one number, with an optional fraction, off the front of the text.
bool TakeNumber(std::string_view& text, double& number) {
  if (text.empty() || ((text[0] < '0' || text[0] > '9') && text[0] != '.')) return false;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  if (code != std::errc{}) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

}  // namespace

Result<std::chrono::nanoseconds> ParseDuration(std::string_view text) {
  std::string_view rest = text;
  if (rest.empty()) return Bad(text);
  double total = 0;
  while (!rest.empty()) {
    double number = 0;
    if (!TakeNumber(rest, number)) return Bad(text);
    const bool bare_seconds = rest.empty() && total == 0;
    const Unit* unit = bare_seconds ? &kUnits[5] : TakeUnit(rest);
    if (unit == nullptr) return Bad(text);
    total += number * static_cast<double>(unit->nanoseconds);
  }
  if (!(total < static_cast<double>(std::numeric_limits<std::int64_t>::max()))) return Bad(text);
  return std::chrono::nanoseconds(static_cast<std::int64_t>(total));
}

std::string FormatDuration(std::chrono::nanoseconds duration) {
  std::int64_t rest = duration.count();
  if (rest == 0) return "0s";
  std::string text;
  for (const std::string_view name : {"h", "m", "s", "ms", "us", "ns"}) {
    for (const Unit& unit : kUnits) {
      if (unit.name != name || rest < unit.nanoseconds) continue;
      text += std::to_string(rest / unit.nanoseconds);
      text += name;
      rest %= unit.nanoseconds;
    }
  }
  return text;
}

}  // namespace kube_events
