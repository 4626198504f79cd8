#include "sim/continue_token.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "sim/json_text.h"

namespace kube_events::sim {
namespace {

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr std::string_view kVersion = "meta.k8s.io/v1";
constexpr std::array<std::string_view, 3> kUnclean = {"//", "/./", "/../"};

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

Result<std::string> DecodeBase64Url(std::string_view text) {
  std::string out;
  std::uint32_t bits = 0;
  int count = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::size_t value = kAlphabet.find(text[i]);
    if (value == std::string_view::npos) {
      return Fail(ErrorKind::kInvalid, "illegal base64 data at input byte " + std::to_string(i));
    }
    bits = (bits << 6U) | static_cast<std::uint32_t>(value);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    out += static_cast<char>((bits >> static_cast<unsigned>(count)) & 255U);
  }
  return out;
}

// Whether a key stays below the prefix of the list: the API server refuses tokens that would climb out of it.
bool IsCleanPath(std::string_view key) {
  const std::string path = "/" + std::string(key) + "/";
  return std::none_of(kUnclean.begin(), kUnclean.end(),
                      [&](std::string_view part) { return path.find(part) != std::string::npos; });
}

Result<ContinueToken> ReadToken(std::string_view text) {
  const Result<std::string> decoded = DecodeBase64Url(text);
  if (!decoded) return Fail(decoded.error());
  const auto json = nlohmann::json::parse(*decoded, nullptr, false);
  if (!json.is_object()) return Fail(ErrorKind::kInvalid, "invalid character looking for beginning of value");
  const std::string version = json.value("v", "");
  if (version != kVersion) {
    return Fail(ErrorKind::kInvalid, "server does not recognize this encoded version " + version);
  }
  ContinueToken token{json.value("rv", std::int64_t{0}), json.value("start", ""), json.value("left", std::size_t{0})};
  if (token.revision == 0) {
    return Fail(ErrorKind::kInvalid, "incorrect encoded start resourceVersion (version meta.k8s.io/v1)");
  }
  if (token.start.empty()) return Fail(ErrorKind::kInvalid, "encoded start key empty (version meta.k8s.io/v1)");
  if (!IsCleanPath(token.start)) return Fail(ErrorKind::kInvalid, token.start);
  return token;
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

Result<ContinueToken> DecodeContinue(std::string_view text) {
  try {
    Result<ContinueToken> token = ReadToken(text);
    if (token) return token;
    return Fail(ErrorKind::kInvalid, "continue key is not valid: " + token.error().message);
  } catch (const nlohmann::json::exception&) {  // a member of the wrong type
    return Fail(ErrorKind::kInvalid, "continue key is not valid: json: cannot unmarshal a member");
  }
}

}  // namespace kube_events::sim
