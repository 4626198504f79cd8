#include "kube_events/net/http_headers.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <string>

namespace kube_events {
namespace {

constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                      "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
constexpr std::chrono::seconds kMaxRetryAfter = std::chrono::hours{24};

std::string_view Trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

// Takes the text up to `end` (or all of it) off the front of `rest`.
std::string_view Take(std::string_view& rest, char end) {
  const std::size_t at = rest.find(end);
  const std::string_view head = rest.substr(0, at);
  rest = at == std::string_view::npos ? std::string_view{} : rest.substr(at + 1);
  return head;
}

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
  const auto hour = Number(Take(clock, ':'));
  const auto minute = Number(Take(clock, ':'));
  const auto second = Number(clock);
  if (!year || !month || !day || !hour || !minute || !second) return {};
  // 60: a leap second, which is taken as the first second of the next minute.
  if (*hour > 23 || *minute > 59 || *second > 60) return {};
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
  rest = Trim(rest);
  std::string text(rest);
  std::replace(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(text.size(), 12)), '-',
               ' ');
  rest = text;
  const auto day = Number(Take(rest, ' '));
  const auto month = Month(Take(rest, ' '));
  const auto year = FullYear(Number(Take(rest, ' ')));
  const std::string_view clock = Take(rest, ' ');
  if (rest != "GMT") return {};
  return ToTime(year, month, day, clock);
}

// "Sun Nov  6 08:49:37 1994".
OptionalTime ParseAscTime(std::string_view rest) {
  Take(rest, ' ');
  const auto month = Month(Take(rest, ' '));
  rest = Trim(rest);
  const auto day = Number(Take(rest, ' '));
  const std::string_view clock = Take(rest, ' ');
  return ToTime(Number(rest), month, day, clock);
}

bool IsTokenCharacter(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}

bool IsControl(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte < 0x20 && c != '\t') || byte == 0x7f;
}

}  // namespace

OptionalTime ParseHttpDate(std::string_view value) {
  value = Trim(value);
  const std::size_t comma = value.find(',');
  return comma == std::string_view::npos ? ParseAscTime(value) : ParseWithComma(value.substr(comma + 1));
}

std::optional<std::chrono::seconds> ParseRetryAfter(std::string_view value) {
  value = Trim(value);
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
    if (std::any_of(header.value.begin(), header.value.end(), IsControl)) {
      return Fail(ErrorKind::kConfiguration, "the value of the request header " + header.name +
                                                 " contains a line break or another control character; remove it "
                                                 "from the token or setting that it comes from");
    }
  }
  return {};
}

}  // namespace kube_events
