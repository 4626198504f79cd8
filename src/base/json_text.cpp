#include "kube_events/base/json_text.h"

#include <algorithm>
#include <cstddef>

#include "kube_events/base/text.h"
#include "kube_events/base/utf8.h"

namespace kube_events {
namespace {

bool NeedsEscape(char c) { return c == '"' || c == '\\' || IsControlCharacter(c); }

void AppendEscape(std::string& out, char c) {
  static constexpr char kHex[] = "0123456789abcdef";
  const auto byte = static_cast<unsigned char>(c);
  out += '\\';
  if (c == '"' || c == '\\') {
    out += c;
  } else if (c == '\n') {
    out += 'n';
  } else {
    out += "u00";
    out += kHex[byte >> 4];
    out += kHex[byte & 15];
  }
}

}  // namespace

void AppendJsonString(std::string& out, std::string_view text) {
  out += '"';
  while (!text.empty()) {
    // What needs an escape is ASCII, so that no UTF-8 sequence is cut in two.
    const auto plain = static_cast<std::size_t>(std::find_if(text.begin(), text.end(), NeedsEscape) - text.begin());
    AppendValidUtf8(out, text.substr(0, plain));
    if (plain == text.size()) break;
    AppendEscape(out, text[plain]);
    text.remove_prefix(plain + 1);
  }
  out += '"';
}

}  // namespace kube_events
