// What a receiver of the forward protocol says: small MessagePack values, one after the other, in whatever pieces they
// come. Owned by a connection; its thread only.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "kube_events/base/result.h"

namespace kube_events {

class AnswerReader {
 public:
  // Of one value. A handshake has some 300 bytes, an acknowledgement 40.
  static constexpr std::size_t kMaxBytes = std::size_t{16} * 1024;
  static constexpr int kMaxDepth = 8;

  void Append(std::string_view bytes) { unread_.append(bytes); }
  // The next value; nothing where more bytes are needed. Fails with kInvalid on what is no MessagePack, is too long or
  // nested too deeply; then the rest is of no use either. Call it before every Append: this is what bounds the memory.
  Result<std::optional<nlohmann::json>> Next();

 private:
  std::string unread_;
};

// Text, or bytes: implementations in languages that do not tell them apart send either. Nothing for other values.
std::optional<std::string> BytesOf(const nlohmann::json& value);

}  // namespace kube_events
