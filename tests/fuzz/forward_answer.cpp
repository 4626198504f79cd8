// What a receiver of the forward protocol says: values in pieces, and the handshake.
//   byte: how the rest is cut; the rest: MessagePack
#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "forward/forward_answer.h"
#include "forward/forward_handshake.h"
#include "fuzz/check.h"
#include "kube_events/base/text.h"

namespace {

using kube_events::AnswerReader;
using kube_events::fuzz::Check;
using nlohmann::json;

constexpr std::string_view kSecret = "s3cr3t";
constexpr std::size_t kMaxMessage = 600;

struct Answers {
  std::vector<json> values;
  bool refused = false;
};

Answers ReadAll(std::string_view bytes, std::size_t piece) {
  AnswerReader reader;
  Answers answers;
  for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size()))) {
    reader.Append(bytes.substr(0, piece));
    while (true) {
      auto next = reader.Next();
      answers.refused = !next;
      if (!next) return answers;
      if (!*next) break;
      answers.values.push_back(std::move(**next));
    }
  }
  return answers;
}

// Numbers that are none are not equal to themselves; their texts are.
std::string Written(const std::vector<json>& values) {
  std::string text;
  for (const json& value : values) text += value.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
  return text;
}

void CheckMessage(const kube_events::Error& error, std::string_view input) {
  Check(!error.message.empty() && error.message.size() <= kMaxMessage, "a message is short", error.message);
  Check(!kube_events::HasControlCharacter(error.message), "a message is one line", error.message);
  const bool given = input.find(kSecret) != input.npos;
  Check(given || error.message.find(kSecret) == std::string::npos, "a secret is not shown", error.message);
}

void CheckHandshake(const json& value, std::string_view input) {
  const kube_events::ForwardSecrets secrets{std::string(kSecret), "user", "password " + std::string(kSecret)};
  const kube_events::ForwardClient client{"client", "salt"};
  const auto helo = kube_events::ParseForwardHelo(value, "the receiver");
  Check(!helo || kube_events::IsForwardHelo(value), "only a HELO is taken for one");
  if (helo) {
    const std::string ping = kube_events::MakeForwardPing(*helo, client, secrets);
    Check(json::from_msgpack(ping).size() == 6, "PING has six parts");
    Check(ping.find(kSecret) == std::string::npos || input.find(kSecret) != input.npos, "no secret is sent");
  } else {
    CheckMessage(helo.error(), input);
  }
  const auto pong = kube_events::CheckForwardPong(value, {"nonce", ""}, client, secrets, "the receiver");
  Check(!pong, "nobody guesses the digest of the key");
  CheckMessage(pong.error(), input);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  kube_events::fuzz::Bytes bytes(data, size);
  const std::size_t piece = 1 + bytes.Below(16);
  const std::string_view rest = bytes.Rest();
  const Answers whole = ReadAll(rest, std::max<std::size_t>(rest.size(), 1));
  if (rest.size() <= AnswerReader::kMaxBytes) {
    const Answers cut = ReadAll(rest, piece);
    Check(Written(cut.values) == Written(whole.values) && cut.refused == whole.refused,
          "values do not depend on how they are cut");
  }
  for (const json& value : whole.values) CheckHandshake(value, rest);
  return 0;
}
