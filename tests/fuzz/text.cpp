// The small functions that texts from outside pass through: repaired, shortened, encoded.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "event/json_repair.h"
#include "fuzz/check.h"
#include "kube/text.h"
#include "kube_events/base/text.h"
#include "kube_events/base/utf8.h"
#include "kube_events/serve/router.h"

namespace {

using kube_events::IsValidUtf8;
using kube_events::fuzz::Check;
using nlohmann::json;

std::string Valid(std::string_view text) {
  std::string out;
  kube_events::AppendValidUtf8(out, text);
  return out;
}

void CheckUtf8(std::string_view text) {
  const std::string valid = Valid(text);
  Check(IsValidUtf8(valid), "what was repaired is valid");
  Check(Valid(valid) == valid, "repairing again changes nothing");
  Check(IsValidUtf8(text) == (valid == text), "exactly what is not valid changes");
  bool strict = true;
  try {
    (void)json(std::string(text)).dump();
  } catch (const json::type_error&) {
    strict = false;
  }
  Check(strict == IsValidUtf8(text), "another library agrees on what is valid");
}

std::size_t LongestDigits(std::string_view text) {
  std::size_t longest = 0;
  std::size_t length = 0;
  for (const char c : text) {
    length = c >= '0' && c <= '9' ? length + 1 : 0;
    longest = std::max(longest, length);
  }
  return longest;
}

void CheckRepair(std::string_view text) {
  std::string repaired;
  kube_events::RepairJson(text, repaired);
  Check(IsValidUtf8(repaired), "repaired JSON is valid UTF-8");
  std::string again;
  kube_events::RepairJson(repaired, again);
  Check(again == repaired, "repairing again changes nothing", repaired);
  const json before = json::parse(text, nullptr, false);
  if (before.is_discarded()) return;
  const json after = json::parse(repaired, nullptr, false);
  Check(!after.is_discarded(), "JSON stays JSON", repaired);
  // Integers beyond 64 bits become the largest; nothing else changes.
  if (LongestDigits(text) < 20) Check(before == after, "JSON keeps its meaning", repaired);
}

void CheckEncodings(std::string_view text) {
  const auto decoded = kube_events::Base64Decoded(kube_events::Base64Encoded(text));
  Check(decoded && *decoded == text, "base64 reads back");
  if (const auto bytes = kube_events::Base64Decoded(text)) {
    Check(kube_events::Base64Decoded(kube_events::Base64Encoded(*bytes)) == bytes, "base64 is stable");
  }
  const auto target = kube_events::ParseRequestTarget("/" + kube_events::PercentEncoded(text));
  Check(target && target->path == "/" + std::string(text), "percent encoding reads back");
}

void CheckShortened(std::string_view text) {
  const std::size_t limit = text.size() / 2;
  const std::string shortened = kube_events::Shortened(text, limit);
  Check(shortened.size() <= limit + 3, "a shortened text keeps to its bound");
  Check(!kube_events::HasControlCharacter(shortened), "a shortened text is one line");
  Check(IsValidUtf8(shortened), "a shortened text is UTF-8, and no character is cut in two");
  const std::string whole = kube_events::Shortened(text, 3 * text.size());
  Check(!IsValidUtf8(text) || whole.size() == text.size(), "a short text stays whole");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = kube_events::fuzz::Text(data, size);
  CheckUtf8(text);
  CheckRepair(text);
  CheckEncodings(text);
  CheckShortened(text);
  return 0;
}
