#include "kube_events/metrics/label_text.h"

namespace kube_events {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";

unsigned char ByteAt(std::string_view text, std::size_t i) { return static_cast<unsigned char>(text[i]); }

// What may follow a lead byte: how many bytes, and the range of the first of them, which excludes overlong forms,
// surrogates and code points above U+10FFFF (table 3-7 of the Unicode standard).
struct Continuation {
  std::size_t count;
  unsigned char first_low = 0x80;
  unsigned char first_high = 0xbf;
};

// A count of 0 stands for ASCII, or for a byte that cannot lead where it is 0x80 or above.
Continuation After(unsigned char lead) {
  if (lead < 0xc2 || lead > 0xf4) return {0};
  if (lead <= 0xdf) return {1};
  if (lead == 0xe0) return {2, 0xa0, 0xbf};
  if (lead == 0xed) return {2, 0x80, 0x9f};
  if (lead <= 0xef) return {2};
  if (lead == 0xf0) return {3, 0x90, 0xbf};
  if (lead == 0xf4) return {3, 0x80, 0x8f};
  return {3};
}

struct Sequence {
  std::size_t length;  // bytes of a character, or of the longest beginning of one: what one U+FFFD replaces
  bool valid;
};

Sequence FirstSequence(std::string_view text) {
  const unsigned char lead = ByteAt(text, 0);
  if (lead < 0x80) return {1, lead != 0};
  const Continuation rest = After(lead);
  std::size_t length = 1;
  for (; length <= rest.count; ++length) {
    if (length == text.size()) return {length, false};
    const unsigned char low = length == 1 ? rest.first_low : 0x80;
    const unsigned char high = length == 1 ? rest.first_high : 0xbf;
    const unsigned char c = ByteAt(text, length);
    if (c < low || c > high) return {length, false};
  }
  return {length, rest.count > 0};
}

}  // namespace

void AppendCleanUtf8(std::string& out, std::string_view raw, std::size_t max_bytes) {
  const std::size_t end = out.size() + max_bytes;
  while (!raw.empty()) {
    const Sequence sequence = FirstSequence(raw);
    const std::string_view piece = sequence.valid ? raw.substr(0, sequence.length) : kReplacement;
    if (out.size() + piece.size() > end) return;
    out += piece;
    raw.remove_prefix(sequence.length);
  }
}

std::string CleanUtf8(std::string_view raw, std::size_t max_bytes) {
  std::string out;
  AppendCleanUtf8(out, raw, max_bytes);
  return out;
}

void AppendEscapedLabelValue(std::string& out, std::string_view value) {
  for (const char c : value) {
    switch (c) {
      case '\\':
        out += "\\\\";
        break;
      case '"':
        out += "\\\"";
        break;
      case '\n':
        out += "\\n";
        break;
      default:
        out += c;
    }
  }
}

}  // namespace kube_events
