#include "forward/forward_receiver.h"

#include <openssl/evp.h>

#include <array>
#include <sstream>
#include <stdexcept>
#include <streambuf>
#include <utility>

namespace kube_events {
namespace {

using nlohmann::json;

// The bytes of a connection, read when they are needed.
class ConnectionBytes final : public std::streambuf {
 public:
  explicit ConnectionBytes(ScriptedConnection& connection) : connection_(connection) {}

 protected:
  int_type underflow() override {
    piece_ = connection_.ReadSome();
    if (piece_.empty()) return traits_type::eof();
    setg(piece_.data(), piece_.data(), piece_.data() + piece_.size());
    return traits_type::to_int_type(piece_.front());
  }

 private:
  ScriptedConnection& connection_;
  std::string piece_;
};

// The next value; nothing at the end.
std::optional<json> TakeValue(std::istream& input) {
  try {
    return std::optional<json>(std::in_place, json::from_msgpack(input, false));
  } catch (const json::parse_error& error) {
    if (error.id != 110) throw;
    return std::nullopt;
  }
}

std::string TextOf(const json& value) {
  if (value.is_string()) return value.get<std::string>();
  const auto& bytes = value.get_binary();
  return {bytes.begin(), bytes.end()};
}

std::uint32_t BigEndian(const std::vector<std::uint8_t>& bytes, std::size_t at) {
  return (std::uint32_t{bytes.at(at)} << 24) | (std::uint32_t{bytes.at(at + 1)} << 16) |
         (std::uint32_t{bytes.at(at + 2)} << 8) | bytes.at(at + 3);
}

ReceivedEntry ToEntry(const json& value) {
  if (!value.is_array() || value.size() != 2 || !value[0].is_binary() || !value[1].is_object()) {
    throw std::runtime_error("no entry: " + value.dump());
  }
  const auto& time = value[0].get_binary();
  if (!time.has_subtype() || time.subtype() != 0 || time.size() != 8) throw std::runtime_error("no EventTime");
  return {BigEndian(time, 0), BigEndian(time, 4), value[1]};
}

ReceivedMessage ToMessage(const json& value) {
  if (!value.is_array() || value.size() != 3) throw std::runtime_error("no message with options");
  ReceivedMessage message{value[0].get<std::string>(), {}, value[2]};
  std::istringstream packed(TextOf(value[1]));
  while (packed.peek() != std::istringstream::traits_type::eof()) {
    const auto entry = TakeValue(packed);
    if (!entry) throw std::runtime_error("half an entry");
    message.entries.push_back(ToEntry(*entry));
  }
  return message;
}

std::string HexSha512(const std::string& text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  EVP_Digest(text.data(), text.size(), digest.data(), &size, EVP_sha512(), nullptr);
  std::ostringstream hex;
  for (unsigned int i = 0; i < size; ++i) {
    const char* digits = "0123456789abcdef";
    hex << digits[digest[i] / 16] << digits[digest[i] % 16];
  }
  return hex.str();
}

}  // namespace

ForwardPeer::ForwardPeer(ScriptedConnection& connection, std::function<void(const ReceivedMessage&)> record)
    : connection_(connection),
      record_(std::move(record)),
      bytes_(std::make_unique<ConnectionBytes>(connection)),
      input_(bytes_.get()) {}

std::optional<json> ForwardPeer::Read() { return TakeValue(input_); }

bool ForwardPeer::Send(const json& value) {
  std::string bytes;
  json::to_msgpack(value, bytes);
  return connection_.Send(bytes);
}

std::optional<ReceivedMessage> ForwardPeer::ReadMessage() {
  const auto value = Read();
  if (!value) return std::nullopt;
  ReceivedMessage message = ToMessage(*value);
  record_(message);
  return message;
}

void ForwardPeer::AckEverything() {
  while (const auto message = ReadMessage()) Ack(message->chunk());
}

bool ForwardPeer::Handshake(const ReceiverSecurity& security) {
  const std::string nonce("\x00\xff\x80 nonce", 9);  // any bytes
  const std::string auth = security.username.empty() ? "" : "salt of users";
  // Ruby sends bytes where other languages send text.
  const std::vector<std::uint8_t> nonce_bytes(nonce.begin(), nonce.end());
  Send(json::array({"HELO", {{"nonce", json::binary(nonce_bytes)}, {"auth", auth}, {"keepalive", true}}}));
  const auto ping = Read();
  if (!ping) return false;
  if (!ping->is_array() || ping->size() != 6 || (*ping)[0] != "PING") throw std::runtime_error("no PING");
  const std::string host = (*ping)[1];
  const std::string salt = (*ping)[2];
  std::string refusal;
  if ((*ping)[3] != HexSha512(salt + host + nonce + security.shared_key)) refusal = "shared_key mismatch";
  if (!auth.empty() &&
      ((*ping)[4] != security.username || (*ping)[5] != HexSha512(auth + security.username + security.password))) {
    refusal = "username/password mismatch";
  }
  if (!refusal.empty()) {
    Send(json::array({"PONG", false, refusal, "", ""}));
    return false;
  }
  const std::string key = security.answers_with_key.empty() ? security.shared_key : security.answers_with_key;
  return Send(json::array({"PONG", true, "", "receiver", HexSha512(salt + "receiver" + nonce + key)}));
}

ForwardReceiver::ForwardReceiver(Script script, std::optional<ScriptedTls> tls)
    : server_(
          [this, script = std::move(script)](ScriptedConnection& connection) {
            ForwardPeer peer(connection, [this](const ReceivedMessage& message) {
              const std::lock_guard lock(mutex_);
              messages_.push_back(message);
            });
            script(peer);
          },
          std::move(tls)) {}

std::vector<ReceivedMessage> ForwardReceiver::messages() const {
  const std::lock_guard lock(mutex_);
  return messages_;
}

std::vector<std::string> ForwardReceiver::ids() const {
  std::vector<std::string> ids;
  for (const ReceivedMessage& message : messages()) {
    for (const ReceivedEntry& entry : message.entries) ids.push_back(entry.record.value("id", ""));
  }
  return ids;
}

}  // namespace kube_events
