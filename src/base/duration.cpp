#include "kube_events/base/duration.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>

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

// A number as it is written: digits, and digits behind a point.
struct Number {
  std::string_view whole;
  std::string_view fraction;
};

std::string_view TakeDigits(std::string_view& text) {
  const std::string_view digits = text.substr(0, std::min(text.find_first_not_of("0123456789"), text.size()));
  text.remove_prefix(digits.size());
  return digits;
}

// Takes one number, with an optional fraction, off the front of the text.
bool TakeNumber(std::string_view& text, Number& number) {
  number.whole = TakeDigits(text);
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    number.fraction = TakeDigits(text);
  }
  return !number.whole.empty() || !number.fraction.empty();
}

// Adds number * unit, without parts of a nanosecond; false where that is too much. In integers: a double holds no more
// than 104 days to the nanosecond.
bool Add(const Number& number, std::int64_t unit, std::int64_t& total) {
  std::int64_t whole = 0;
  const auto [end, code] = std::from_chars(number.whole.data(), number.whole.data() + number.whole.size(), whole);
  if (code == std::errc::result_out_of_range) return false;
  std::int64_t fraction = 0;  // from the last digit to the first, so that any number of them is exact
  for (std::size_t i = number.fraction.size(); i > 0; --i) {
    fraction = ((number.fraction[i - 1] - '0') * unit + fraction) / 10;
  }
  return !__builtin_mul_overflow(whole, unit, &whole) && !__builtin_add_overflow(total, whole, &total) &&
         !__builtin_add_overflow(total, fraction, &total);
}

}  // namespace

Result<std::chrono::nanoseconds> ParseDuration(std::string_view text) {
  std::string_view rest = text;
  if (rest.empty()) return Bad(text);
  std::int64_t total = 0;
  for (bool first = true; !rest.empty(); first = false) {
    Number number;
    if (!TakeNumber(rest, number)) return Bad(text);
    const bool bare_seconds = first && rest.empty();
    const Unit* unit = bare_seconds ? &kUnits[5] : TakeUnit(rest);
    if (unit == nullptr || !Add(number, unit->nanoseconds, total)) return Bad(text);
  }
  return std::chrono::nanoseconds(total);
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
