#include "sim/json_text.h"

#include <array>
#include <charconv>
#include <chrono>
#include <cstring>

namespace kube_events::sim {
namespace {

using std::chrono::days;
using std::chrono::sys_days;

// True for bytes that JSON or Go's encoder does not write as they are.
constexpr std::array<bool, 256> EscapeTable() {
  std::array<bool, 256> table{};
  for (int byte = 0; byte < 0x20; ++byte) table[static_cast<std::size_t>(byte)] = true;
  for (const char byte : {'"', '\\', '<', '>', '&'}) table[static_cast<unsigned char>(byte)] = true;
  return table;
}
constexpr std::array<bool, 256> kEscape = EscapeTable();

// Whether one of eight bytes has to be escaped; may say yes for bytes above 0x7f.
bool AnyEscape(const char* bytes) {
  constexpr std::uint64_t kOnes = 0x0101010101010101U;
  constexpr std::uint64_t kHigh = kOnes * 0x80U;
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, sizeof(word));
  // A byte of (x - n) & ~x has its highest bit set where x < n.
  std::uint64_t found = (word - kOnes * 0x20U) & ~word;
  for (const char byte : {'"', '\\', '<', '>', '&'}) {
    const std::uint64_t differs = word ^ (kOnes * static_cast<unsigned char>(byte));
    found |= (differs - kOnes) & ~differs;
  }
  return (found & kHigh) != 0;
}

void AppendEscaped(std::string& out, char byte) {
  constexpr std::string_view kHex = "0123456789abcdef";
  switch (byte) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default: {
      const auto value = static_cast<unsigned char>(byte);
      out += "\\u00";
      out += kHex[value >> 4U];
      out += kHex[value & 0xfU];
    }
  }
}

template <typename Number>
void AppendChars(std::string& out, Number number) {
  std::array<char, 24> buffer;
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number);
  out.append(buffer.data(), result.ptr);
}

void PutDigits(char* at, unsigned value, int digits) {
  for (int i = digits - 1; i >= 0; --i, value /= 10) at[i] = static_cast<char>('0' + value % 10);
}

// Appends 2026-01-01T00:00:00.
void AppendSeconds(std::string& out, WallTime time) {
  const auto day = std::chrono::floor<days>(time);
  const std::chrono::year_month_day date{day};
  const auto seconds = static_cast<unsigned>(std::chrono::duration_cast<std::chrono::seconds>(time - day).count());
  char text[] = "0000-00-00T00:00:00";
  PutDigits(text, static_cast<unsigned>(static_cast<int>(date.year())), 4);
  PutDigits(text + 5, static_cast<unsigned>(date.month()), 2);
  PutDigits(text + 8, static_cast<unsigned>(date.day()), 2);
  PutDigits(text + 11, seconds / 3600, 2);
  PutDigits(text + 14, seconds / 60 % 60, 2);
  PutDigits(text + 17, seconds % 60, 2);
  out.append(text, sizeof(text) - 1);
}

// Reads exactly `digits` digits from the front of `text` and removes them; -1 where there are none.
int TakeDigits(std::string_view& text, std::size_t digits) {
  if (text.size() < digits) return -1;
  int value = 0;
  for (const char digit : text.substr(0, digits)) {
    if (digit < '0' || digit > '9') return -1;
    value = value * 10 + (digit - '0');
  }
  text.remove_prefix(digits);
  return value;
}

bool TakeChar(std::string_view& text, char expected) {
  if (text.empty() || text.front() != expected) return false;
  text.remove_prefix(1);
  return true;
}

// Reads ".123456789", rounded down to microseconds; 0 where there is no fraction.
int TakeFraction(std::string_view& text) {
  if (!TakeChar(text, '.')) return 0;
  int value = 0;
  int digits = 0;
  for (; !text.empty() && text.front() >= '0' && text.front() <= '9'; text.remove_prefix(1), ++digits) {
    if (digits < 6) value = value * 10 + (text.front() - '0');
  }
  for (; digits < 6; ++digits) value *= 10;
  return value;
}

// Reads "Z" or "+02:00"; false where it is neither or something follows.
bool TakeOffset(std::string_view text, std::chrono::minutes& offset) {
  if (text == "Z" || text == "z") return true;
  if (text.empty() || (text.front() != '+' && text.front() != '-')) return false;
  const int sign = text.front() == '-' ? -1 : 1;
  text.remove_prefix(1);
  const int hours = TakeDigits(text, 2);
  const bool colon = TakeChar(text, ':');
  const int minutes = TakeDigits(text, 2);
  if (hours < 0 || !colon || minutes < 0 || !text.empty()) return false;
  offset = std::chrono::minutes{sign * (hours * 60 + minutes)};
  return true;
}

std::string CannotParse(std::string_view text, std::string_view layout, std::string_view rest,
                        std::string_view wanted) {
  std::string out = "parsing time \"";
  out.append(text).append("\" as \"").append(layout).append("\": cannot parse \"").append(rest);
  return out.append("\" as \"").append(wanted).append("\"");
}

}  // namespace

void AppendJsonString(std::string& out, std::string_view text) {
  out += '"';
  std::size_t done = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    while (i + 8 <= text.size() && !AnyEscape(text.data() + i)) i += 8;
    if (i == text.size()) break;
    if (!kEscape[static_cast<unsigned char>(text[i])]) continue;
    out.append(text, done, i - done);
    AppendEscaped(out, text[i]);
    done = i + 1;
  }
  out.append(text, done);
  out += '"';
}

void AppendNumber(std::string& out, std::int64_t number) { AppendChars(out, number); }
void AppendNumber(std::string& out, std::uint64_t number) { AppendChars(out, number); }

void AppendJsonTime(std::string& out, const OptionalTime& time) {
  if (!time) {
    out += "null";
    return;
  }
  out += '"';
  AppendSeconds(out, *time);
  out += "Z\"";
}

std::string TimeText(WallTime time) {
  std::string out;
  AppendSeconds(out, time);
  return out + "Z";
}

void AppendJsonMicroTime(std::string& out, const OptionalTime& time) {
  if (!time) {
    out += "null";
    return;
  }
  const auto micros = *time - std::chrono::floor<std::chrono::seconds>(*time);
  char fraction[] = ".000000Z\"";
  PutDigits(fraction + 1, static_cast<unsigned>(micros.count()), 6);
  out += '"';
  AppendSeconds(out, *time);
  out.append(fraction, sizeof(fraction) - 1);
}

std::string HttpDate(WallTime time) {
  constexpr std::array<std::string_view, 7> kDays = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                        "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const auto day = std::chrono::floor<days>(time);
  const std::chrono::year_month_day date{day};
  std::string iso;
  AppendSeconds(iso, time);
  std::string out{kDays[std::chrono::weekday{day}.c_encoding()]};
  out.append(", ").append(iso, 8, 2).append(" ");
  out.append(kMonths[static_cast<unsigned>(date.month()) - 1]).append(" ");
  out.append(iso, 0, 4).append(" ").append(iso, 11, 8).append(" GMT");
  return out;
}

std::string MicroTimeError(std::string_view text) {
  constexpr std::size_t kSeconds = 19;  // characters up to the point
  constexpr std::size_t kDigits = 6;
  const bool parses = ParseTime(text).has_value();
  const std::string_view rest = parses ? text.substr(kSeconds) : std::string_view();
  if (rest.starts_with('.') && rest.find_first_not_of("0123456789", 1) == kDigits + 1) return "";
  return CannotParse(text, "2006-01-02T15:04:05.000000Z07:00", parses ? rest : text, parses ? ".000000" : "2006");
}

std::string TimeError(std::string_view text) {
  return ParseTime(text) ? "" : CannotParse(text, "2006-01-02T15:04:05Z07:00", text, "2006");
}

OptionalTime ParseTime(std::string_view text) {
  std::array<int, 6> parts{};
  constexpr std::string_view kSeparators = "--T::";
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0 && !TakeChar(text, kSeparators[i - 1])) return std::nullopt;
    parts[i] = TakeDigits(text, i == 0 ? 4 : 2);
    if (parts[i] < 0) return std::nullopt;
  }
  const int micros = TakeFraction(text);
  std::chrono::minutes offset{0};
  if (!TakeOffset(text, offset)) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year{parts[0]},
                                         std::chrono::month{static_cast<unsigned>(parts[1])},
                                         std::chrono::day{static_cast<unsigned>(parts[2])}};
  if (!date.ok() || parts[3] > 23 || parts[4] > 59 || parts[5] > 60) return std::nullopt;
  return WallTime{sys_days{date}} + std::chrono::hours{parts[3]} + std::chrono::minutes{parts[4]} +
         std::chrono::seconds{parts[5]} + std::chrono::microseconds{micros} - offset;
}

}  // namespace kube_events::sim
