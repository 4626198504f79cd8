#include "kube_events/supervisor/reload_api.h"

#include <charconv>
#include <nlohmann/json.hpp>

namespace kube_events {
namespace {

// A member of a JSON object that is a number.
std::optional<std::int64_t> NumberIn(const std::string& text, const char* key) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object()) return std::nullopt;
  const auto found = json.find(key);
  if (found == json.end() || !found->is_number_integer()) return std::nullopt;
  return found->get<std::int64_t>();
}

}  // namespace

std::optional<std::uint64_t> ParseReloadCount(const ApiAnswer& answer) {
  const auto count = answer.status == 200 ? NumberIn(answer.body, "hot_reload_count") : std::nullopt;
  if (!count || *count < 0) return std::nullopt;
  return static_cast<std::uint64_t>(*count);
}

TriggerAnswer ParseTriggerAnswer(const ApiAnswer& answer) {
  constexpr std::int64_t kDone = 0, kNotEnabled = -1, kInProgress = -2;
  const auto status = NumberIn(answer.body, "status");
  if (status == kInProgress) return TriggerAnswer::kBusy;
  if (status == kNotEnabled) return TriggerAnswer::kDisabled;
  return answer.status == 200 && status == kDone ? TriggerAnswer::kAccepted : TriggerAnswer::kUnreachable;
}

std::optional<FluentBitVersion> ParseVersion(std::string_view output) {
  constexpr std::string_view kPrefix = "Fluent Bit v";
  const auto at = output.find(kPrefix);
  if (at == output.npos) return std::nullopt;
  const char* const end = output.data() + output.size();
  FluentBitVersion version;
  const auto [dot, error] = std::from_chars(output.data() + at + kPrefix.size(), end, version.major);
  if (error != std::errc{} || dot == end || *dot != '.') return std::nullopt;
  if (std::from_chars(dot + 1, end, version.minor).ec != std::errc{}) return std::nullopt;
  return version;
}

}  // namespace kube_events
