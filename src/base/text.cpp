#include "kube_events/base/text.h"

#include <algorithm>

#include "kube_events/base/utf8.h"

namespace kube_events {

std::string_view Trimmed(std::string_view text) {
  constexpr std::string_view kWhiteSpace = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kWhiteSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kWhiteSpace) - first + 1);
}

std::string_view TakeUntil(std::string_view& rest, char separator) {
  const std::size_t end = rest.find(separator);
  const std::string_view part = rest.substr(0, end);
  rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
  return part;
}

namespace {

// -1 where the character is no hexadecimal digit.
int HexValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char lower = LowerAscii(c);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

}  // namespace

std::optional<std::string> PercentDecoded(std::string_view text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded += text[i];
      continue;
    }
    if (i + 2 >= text.size() || HexValue(text[i + 1]) < 0 || HexValue(text[i + 2]) < 0) return std::nullopt;
    decoded += static_cast<char>(HexValue(text[i + 1]) * 16 + HexValue(text[i + 2]));
    i += 2;
  }
  return decoded;
}

char LowerAscii(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string LowerAscii(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = LowerAscii(c);
  return lower;
}

bool EqualIgnoringCase(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return LowerAscii(x) == LowerAscii(y); });
}

bool IsControlCharacter(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 || byte == 0x7f;
}

bool HasControlCharacter(std::string_view text) { return std::any_of(text.begin(), text.end(), IsControlCharacter); }

std::string Shortened(std::string_view text, std::size_t max_bytes) {
  constexpr std::size_t kLongestSequence = 4;
  std::string result;
  AppendValidUtf8(result, text.substr(0, max_bytes + kLongestSequence));
  const bool cut = result.size() > max_bytes;
  if (cut) {
    std::size_t size = max_bytes;
    while (size > 0 && (static_cast<unsigned char>(result[size]) & 0xc0) == 0x80) --size;
    result.resize(size);
  }
  std::replace_if(result.begin(), result.end(), IsControlCharacter, ' ');
  return cut ? result + "..." : result;
}

namespace {

bool IsDnsWord(std::string_view word) {
  const auto allowed = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; };
  return !word.empty() && word.front() != '-' && word.back() != '-' && std::all_of(word.begin(), word.end(), allowed);
}

}  // namespace

bool IsDnsLabel(std::string_view text) { return text.size() <= 63 && IsDnsWord(text); }

bool IsDnsSubdomain(std::string_view text) {
  if (text.empty() || text.size() > 253 || text.back() == '.') return false;
  while (!text.empty()) {
    if (!IsDnsWord(TakeUntil(text, '.'))) return false;
  }
  return true;
}

}  // namespace kube_events
