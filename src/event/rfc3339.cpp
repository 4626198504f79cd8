#include "rfc3339.h"

#include <chrono>
#include <cstddef>
#include <optional>

namespace kube_events {
namespace {

using std::chrono::microseconds;

// Takes the parts of a time off the front of a text; after the first failure everything else fails too.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  int Number(std::size_t digits) {
    int number = 0;
    for (std::size_t i = 0; i < digits; ++i) {
      if (!AtDigit()) return Fail();
      number = number * 10 + (Take() - '0');
    }
    return number;
  }

  // One of the characters of `allowed`.
  char OneOf(std::string_view allowed) {
    if (rest_.empty() || allowed.find(rest_.front()) == std::string_view::npos) return static_cast<char>(Fail());
    return Take();
  }

  // ".123456789" as microseconds; 0 where there is no dot.
  int Fraction() {
    if (rest_.empty() || rest_.front() != '.') return 0;
    Take();
    if (!AtDigit()) return Fail();
    int value = 0;
    for (int scale = 100'000; AtDigit(); scale /= 10) value += (Take() - '0') * scale;
    return value;
  }

  bool AtDigit() const { return !rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9'; }
  bool Done() const { return !failed_ && rest_.empty(); }

 private:
  char Take() {
    const char character = rest_.front();
    rest_.remove_prefix(1);
    return character;
  }
  int Fail() {
    failed_ = true;
    rest_ = {};
    return 0;
  }

  std::string_view rest_;
  bool failed_ = false;
};

// The offset from UTC, or nothing where it is out of range.
std::optional<std::chrono::minutes> Offset(Scanner& scanner) {
  const char sign = scanner.OneOf("Zz+-");
  if (sign != '+' && sign != '-') return std::chrono::minutes{0};
  const int hours = scanner.Number(2);
  scanner.OneOf(":");
  const int minutes = scanner.Number(2);
  if (hours > 23 || minutes > 59) return std::nullopt;
  const std::chrono::minutes offset{60 * hours + minutes};
  return sign == '-' ? -offset : offset;
}

}  // namespace

bool ParseRfc3339(std::string_view text, OptionalTime& out) {
  if (text.empty()) {
    out.reset();
    return true;
  }
  Scanner scanner(text);
  const std::chrono::year year{scanner.Number(4)};
  scanner.OneOf("-");
  const auto month = static_cast<unsigned>(scanner.Number(2));
  scanner.OneOf("-");
  const auto day = static_cast<unsigned>(scanner.Number(2));
  scanner.OneOf("Tt");
  const int hour = scanner.Number(2);
  scanner.OneOf(":");
  const int minute = scanner.Number(2);
  scanner.OneOf(":");
  const int second = scanner.Number(2);  // 60: a leap second, taken as the first of the next minute
  const microseconds fraction{scanner.Fraction()};
  const auto offset = Offset(scanner);
  const std::chrono::year_month_day date{year, std::chrono::month{month}, std::chrono::day{day}};
  if (!scanner.Done() || !offset || !date.ok() || hour > 23 || minute > 59 || second > 60) return false;

  const WallTime time = std::chrono::sys_days{date} + std::chrono::hours{hour} + std::chrono::minutes{minute} +
                        std::chrono::seconds{second} + fraction - *offset;
  const bool unset = year <= std::chrono::year{1} || time == WallTime{};
  out = unset ? OptionalTime{} : OptionalTime{time};
  return true;
}

}  // namespace kube_events
