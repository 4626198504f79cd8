#include "kube_events/net/http_headers.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <string>

#include "kube_events/base/text.h"

namespace kube_events {
namespace {

constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                      "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
constexpr std::chrono::seconds kMaxRetryAfter = std::chrono::hours{24};

std::optional<int> Number(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || text.front() == '-' || error != std::errc{} || end != text.data() + text.size()) return {};
  return value;
}

std::optional<unsigned> Month(std::string_view text) {
  const auto found = std::find(kMonths.begin(), kMonths.end(), text);
  if (found == kMonths.end()) return {};
  return static_cast<unsigned>(found - kMonths.begin()) + 1;
}

OptionalTime ToTime(std::optional<int> year, std::optional<unsigned> month, std::optional<int> day,
                    std::string_view clock) {
  const auto hour = Number(TakeUntil(clock, ':'));
  const auto minute = Number(TakeUntil(clock, ':'));
  const auto second = Number(clock);
  if (!year || !month || !day || !hour || !minute || !second) return {};
  // 60: a leap second, which is taken as the first second of the next minute.
  if (*hour > 23 || *minute > 59 || *second > 60) return {};
  // Larger numbers would be cut to those that the calendar types hold, and look right again.
  if (*year > 9999 || *day > 31) return {};
  const std::chrono::year_month_day date{std::chrono::year{*year}, std::chrono::month{*month},
                                         std::chrono::day{static_cast<unsigned>(*day)}};
  if (!date.ok()) return {};
  return WallTime{std::chrono::sys_days{date}} + std::chrono::hours{*hour} + std::chrono::minutes{*minute} +
         std::chrono::seconds{*second};
}

// Two digits of a year: this century unless that is more than half of it ahead, as the standard has it for 2026.
std::optional<int> FullYear(std::optional<int> year) {
  if (!year || *year >= 100) return year;
  return *year < 77 ? 2000 + *year : 1900 + *year;
}

// "Sun, 06 Nov 1994 08:49:37 GMT" and "Sunday, 06-Nov-94 08:49:37 GMT".
OptionalTime ParseWithComma(std::string_view rest) {
  rest = Trimmed(rest);
  std::string text(rest);
  std::replace(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(text.size(), 12)), '-',
               ' ');
  rest = text;
  const auto day = Number(TakeUntil(rest, ' '));
  const auto month = Month(TakeUntil(rest, ' '));
  const auto year = FullYear(Number(TakeUntil(rest, ' ')));
  const std::string_view clock = TakeUntil(rest, ' ');
  if (rest != "GMT") return {};
  return ToTime(year, month, day, clock);
}

// "Sun Nov  6 08:49:37 1994".
OptionalTime ParseAscTime(std::string_view rest) {
  TakeUntil(rest, ' ');
  const auto month = Month(TakeUntil(rest, ' '));
  rest = Trimmed(rest);
  const auto day = Number(TakeUntil(rest, ' '));
  const std::string_view clock = TakeUntil(rest, ' ');
  return ToTime(Number(rest), month, day, clock);
}

bool IsTokenCharacter(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}

bool IsForbidden(char c) { return IsControlCharacter(c) && c != '\t'; }

}  // namespace

OptionalTime ParseHttpDate(std::string_view value) {
  value = Trimmed(value);
  const std::size_t comma = value.find(',');
  return comma == std::string_view::npos ? ParseAscTime(value) : ParseWithComma(value.substr(comma + 1));
}

std::optional<std::chrono::seconds> ParseRetryAfter(std::string_view value, OptionalTime now) {
  value = Trimmed(value);
  if (const OptionalTime date = ParseHttpDate(value); date && now) {
    return std::clamp(std::chrono::ceil<std::chrono::seconds>(*date - *now), std::chrono::seconds{0}, kMaxRetryAfter);
  }
  if (value.empty() || value.find_first_not_of("0123456789") != std::string_view::npos) return {};
  // More digits than fit: certainly more than the maximum.
  const auto seconds = Number(value);
  return seconds ? std::min(std::chrono::seconds{*seconds}, kMaxRetryAfter) : kMaxRetryAfter;
}

Result<void> CheckHeaders(const std::vector<HttpHeader>& headers) {
  for (const HttpHeader& header : headers) {
    if (header.name.empty() || !std::all_of(header.name.begin(), header.name.end(), IsTokenCharacter)) {
      return Fail(ErrorKind::kConfiguration, "a request header has a name that HTTP does not allow");
    }
    if (std::any_of(header.value.begin(), header.value.end(), IsForbidden)) {
      return Fail(ErrorKind::kConfiguration, "the value of the request header " + header.name +
                                                 " contains a line break or another control character; remove it "
                                                 "from the token or setting that it comes from");
    }
  }
  return {};
}

}  // namespace kube_events
