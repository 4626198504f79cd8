#include "kube_events/base/utf8.h"

#include <cstddef>
#include <cstdint>

namespace kube_events {
namespace {

struct Sequence {
  std::size_t length = 1;  // bytes to take; of a broken sequence those that could still have become a valid one
  bool valid = false;
};

struct LeadByte {
  std::size_t length = 0;   // of the whole sequence; 0: cannot start one
  std::uint8_t low = 0x80;  // range of the second byte, which keeps out overlong forms, surrogates and > U+10FFFF
  std::uint8_t high = 0xBF;
};

LeadByte Classify(std::uint8_t byte) {
  if (byte < 0x80) return {1, 0, 0};
  if (byte >= 0xC2 && byte <= 0xDF) return {2, 0x80, 0xBF};
  if (byte == 0xE0) return {3, 0xA0, 0xBF};
  if (byte == 0xED) return {3, 0x80, 0x9F};
  if (byte >= 0xE1 && byte <= 0xEF) return {3, 0x80, 0xBF};
  if (byte == 0xF0) return {4, 0x90, 0xBF};
  if (byte >= 0xF1 && byte <= 0xF3) return {4, 0x80, 0xBF};
  if (byte == 0xF4) return {4, 0x80, 0x8F};
  return {};
}

// `bytes` is not empty.
Sequence Next(std::string_view bytes) {
  const LeadByte lead = Classify(static_cast<std::uint8_t>(bytes[0]));
  if (lead.length == 0) return {};
  for (std::size_t i = 1; i < lead.length; ++i) {
    const std::uint8_t low = i == 1 ? lead.low : 0x80;
    const std::uint8_t high = i == 1 ? lead.high : 0xBF;
    if (i == bytes.size()) return {i, false};
    const auto byte = static_cast<std::uint8_t>(bytes[i]);
    if (byte < low || byte > high) return {i, false};
  }
  return {lead.length, true};
}

// Length of the valid text at the start of `bytes`.
std::size_t ValidPrefix(std::string_view bytes) {
  std::size_t length = 0;
  while (length < bytes.size()) {
    const Sequence next = Next(bytes.substr(length));
    if (!next.valid) break;
    length += next.length;
  }
  return length;
}

}  // namespace

bool IsValidUtf8(std::string_view bytes) { return ValidPrefix(bytes) == bytes.size(); }

void AppendValidUtf8(std::string& out, std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t valid = ValidPrefix(bytes);
    out.append(bytes.substr(0, valid));
    bytes.remove_prefix(valid);
    if (bytes.empty()) return;
    out.append("\xEF\xBF\xBD");
    bytes.remove_prefix(Next(bytes).length);
  }
}

}  // namespace kube_events
