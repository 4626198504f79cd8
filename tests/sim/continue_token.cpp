#include "sim/continue_token.h"

#include <nlohmann/json.hpp>

#include "sim/json_text.h"

namespace kube_events::sim {
namespace {

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

std::string EncodeBase64Url(std::string_view text) {
  std::string out;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    bits = (bits << 8U) | static_cast<unsigned char>(c);
    for (count += 8; count >= 6; count -= 6) out += kAlphabet[(bits >> static_cast<unsigned>(count - 6)) & 63U];
  }
  if (count > 0) out += kAlphabet[(bits << static_cast<unsigned>(6 - count)) & 63U];
  return out;
}

std::optional<std::string> DecodeBase64Url(std::string_view text) {
  std::string out;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    const std::size_t value = kAlphabet.find(c);
    if (value == std::string_view::npos) return std::nullopt;
    bits = (bits << 6U) | static_cast<std::uint32_t>(value);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    out += static_cast<char>((bits >> static_cast<unsigned>(count)) & 255U);
  }
  return out;
}

}  // namespace

std::string EncodeContinue(const ContinueToken& token) {
  std::string json = R"({"v":"meta.k8s.io/v1","rv":)";
  AppendNumber(json, token.revision);
  json += ",\"start\":";
  AppendJsonString(json, token.start);
  json += ",\"left\":";
  AppendNumber(json, std::uint64_t{token.remaining});
  return EncodeBase64Url(json + "}");
}

std::optional<ContinueToken> DecodeContinue(std::string_view text) {
  const std::optional<std::string> decoded = DecodeBase64Url(text);
  if (!decoded) return std::nullopt;
  const auto json = nlohmann::json::parse(*decoded, nullptr, false);
  if (!json.is_object() || !json.contains("rv") || !json["rv"].is_number_integer()) return std::nullopt;
  if (!json.contains("start") || !json["start"].is_string()) return std::nullopt;
  ContinueToken token{json["rv"].get<std::int64_t>(), json["start"].get<std::string>(), 0};
  if (json.contains("left") && json["left"].is_number_unsigned()) token.remaining = json["left"].get<std::size_t>();
  return token;
}

}  // namespace kube_events::sim
