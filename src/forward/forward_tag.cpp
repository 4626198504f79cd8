#include "forward/forward_tag.h"

#include <algorithm>
#include <array>
#include <utility>

#include "kube_events/base/text.h"
#include "kube_events/base/utf8.h"

namespace kube_events {
namespace {

constexpr std::size_t kMaxValueBytes = 64;

using Facts = RecordWriter::Facts;
struct Placeholder {
  std::string_view name;
  std::string_view Facts::*value;
};
constexpr std::array<Placeholder, 4> kPlaceholders = {{{"namespace", &Facts::namespace_name},
                                                       {"type", &Facts::type},
                                                       {"reason", &Facts::reason},
                                                       {"kind", &Facts::kind}}};

tl::unexpected<Error> Bad(std::string_view text, std::string_view problem) {
  return Fail(ErrorKind::kConfiguration,
              "the tag \"" + Shortened(text, 100) + "\" " + std::string(problem) +
                  "; write for example kube.events.{namespace}, with {namespace}, {type}, {reason} or {kind}");
}

bool IsLiteral(char c) { return c != ' ' && c != '{' && c != '}' && !IsControlCharacter(c); }

bool IsValueCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

void AppendValue(std::string_view value, std::string& to) {
  if (value.empty()) to += '_';
  for (const char c : value.substr(0, kMaxValueBytes)) to += IsValueCharacter(c) ? c : '_';
}

}  // namespace

Result<TagTemplate> TagTemplate::Parse(std::string_view text) {
  if (text.empty()) return Bad(text, "is empty");
  if (!IsValidUtf8(text)) return Bad(text, "has bytes that are no UTF-8");
  TagTemplate result;
  std::string_view rest = text;
  while (!rest.empty()) {
    Part part{.text = std::string(rest.substr(0, rest.find('{')))};
    if (!std::all_of(part.text.begin(), part.text.end(), IsLiteral))
      return Bad(text, "has a character that no tag has");
    rest.remove_prefix(part.text.size());
    if (!rest.empty()) {
      const std::size_t end = rest.find('}');
      if (end == std::string_view::npos) return Bad(text, "has a { without }");
      const std::string_view name = rest.substr(1, end - 1);
      const auto* const found = std::find_if(kPlaceholders.begin(), kPlaceholders.end(),
                                             [&](const Placeholder& known) { return known.name == name; });
      if (found == kPlaceholders.end()) return Bad(text, "has unknown words in braces");
      part.value = found->value;
      rest.remove_prefix(end + 1);
    }
    result.parts_.push_back(std::move(part));
  }
  return result;
}

bool TagTemplate::IsFixed() const {
  return std::all_of(parts_.begin(), parts_.end(), [](const Part& part) { return part.value == nullptr; });
}

std::string TagTemplate::Fill(const RecordWriter::Facts& facts) const {
  std::string tag;
  for (const Part& part : parts_) {
    tag += part.text;
    if (part.value != nullptr) AppendValue(facts.*part.value, tag);
  }
  return tag;
}

}  // namespace kube_events
