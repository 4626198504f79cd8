#include "json_repair.h"

#include <algorithm>
#include <charconv>
#include <cstddef>

#include "kube_events/base/utf8.h"

namespace kube_events {
namespace {

constexpr std::string_view kLargest = "9223372036854775807";

bool IsHighSurrogate(unsigned unit) { return unit >= 0xD800 && unit <= 0xDBFF; }
bool IsLowSurrogate(unsigned unit) { return unit >= 0xDC00 && unit <= 0xDFFF; }

// The code unit of the escape \uXXXX at `at`, or 0 where there is none.
unsigned UnicodeEscape(const std::string& text, std::size_t at) {
  if (at + 6 > text.size() || text[at] != '\\' || text[at + 1] != 'u') return 0;
  unsigned unit = 0;
  const char* digits = text.data() + at + 2;
  const auto [end, code] = std::from_chars(digits, digits + 4, unit, 16);
  return code == std::errc{} && end == digits + 4 ? unit : 0;
}

// Repairs the escape at `at`, which is a backslash, and returns the position behind it.
std::size_t RepairEscape(std::string& text, std::size_t at) {
  const unsigned unit = UnicodeEscape(text, at);
  if (unit == 0) return at + 2;
  if (IsHighSurrogate(unit) && IsLowSurrogate(UnicodeEscape(text, at + 6))) return at + 12;
  if (IsHighSurrogate(unit) || IsLowSurrogate(unit)) text.replace(at + 2, 4, "fffd");
  return at + 6;
}

// `at` is behind the opening quote; returns the position behind the closing one.
std::size_t RepairString(std::string& text, std::size_t at) {
  while (at < text.size() && text[at] != '"') at = text[at] == '\\' ? RepairEscape(text, at) : at + 1;
  return at + 1;
}

// `at` is a digit; returns the position behind the number. The length of the text stays the same.
std::size_t RepairNumber(std::string& text, std::size_t at) {
  const std::size_t end = std::min(text.find_first_not_of("0123456789.eE+-", at), text.size());
  const std::string_view number = std::string_view(text).substr(at, end - at);
  const bool integer = number.find_first_not_of("0123456789") == std::string_view::npos;
  if (integer && number.size() > kLargest.size() && number.front() != '0') {
    text.replace(at, end - at, std::string(kLargest) + std::string(end - at - kLargest.size(), ' '));
  }
  return end;
}

}  // namespace

void RepairJson(std::string_view json, std::string& out) {
  out.clear();
  AppendValidUtf8(out, json);
  for (std::size_t at = 0; at < out.size();) {
    const char character = out[at];
    if (character == '"') {
      at = RepairString(out, at + 1);
    } else if (character >= '0' && character <= '9') {
      at = RepairNumber(out, at);
    } else {
      ++at;
    }
  }
}

}  // namespace kube_events
