#include "kube/text.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>

namespace kube_events {
namespace {

constexpr std::string_view kBase64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view kWhiteSpace = " \t\r\n";

bool IsUnreserved(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '.' ||
         c == '_' || c == '~';
}

}  // namespace

std::string PercentEncoded(std::string_view text) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string result;
  for (const char c : text) {
    if (IsUnreserved(c)) {
      result += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    result += {'%', kHex[byte >> 4], kHex[byte & 15]};
  }
  return result;
}

std::string Base64Encoded(std::string_view bytes) {
  std::string result;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::string_view group = bytes.substr(i, 3);
    std::uint32_t bits = 0;
    for (std::size_t j = 0; j < 3; ++j) {
      bits = bits << 8 | (j < group.size() ? static_cast<unsigned char>(group[j]) : 0U);
    }
    for (std::size_t j = 0; j < 4; ++j) {
      result += j <= group.size() ? kBase64[bits >> (18 - 6 * j) & 63] : '=';
    }
  }
  return result;
}

std::optional<std::string> Base64Decoded(std::string_view text) {
  std::string digits;
  std::copy_if(text.begin(), text.end(), std::back_inserter(digits),
               [](char c) { return kWhiteSpace.find(c) == std::string_view::npos; });
  if (digits.size() % 4 != 0) return {};
  for (int i = 0; i < 2 && !digits.empty() && digits.back() == '='; ++i) digits.pop_back();
  std::string result;
  std::uint32_t bits = 0;
  int held = 0;
  for (const char c : digits) {
    const std::size_t value = kBase64.find(c);
    if (value == std::string_view::npos) return {};
    bits = bits << 6 | static_cast<std::uint32_t>(value);
    held += 6;
    if (held < 8) continue;
    held -= 8;
    result += static_cast<char>(bits >> held & 0xff);
  }
  return result;
}

}  // namespace kube_events
