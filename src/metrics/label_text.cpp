#include "kube_events/metrics/label_text.h"

#include "kube_events/base/utf8.h"

namespace kube_events {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";

bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

}  // namespace

void AppendCleanUtf8(std::string& out, std::string_view raw, std::size_t max_bytes) {
  const std::size_t begin = out.size();
  // Repairing never shortens a text, so no more than this can end up within the bound; what the cut itself breaks
  // lies beyond it.
  constexpr std::size_t kLongestSequence = 4;
  AppendValidUtf8(out, raw.substr(0, max_bytes + kLongestSequence));
  for (std::size_t i = begin; (i = out.find('\0', i)) != std::string::npos;) out.replace(i, 1, kReplacement);
  if (out.size() - begin <= max_bytes) return;
  std::size_t end = begin + max_bytes;
  while (end > begin && IsContinuation(out[end])) --end;
  out.resize(end);
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
