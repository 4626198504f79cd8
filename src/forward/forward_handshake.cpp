#include "forward/forward_handshake.h"

#include <openssl/evp.h>

#include <array>
#include <boost/algorithm/hex.hpp>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>

#include "forward/forward_answer.h"
#include "kube_events/base/text.h"

namespace kube_events {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxReasonShown = 200;

// Lower-case hexadecimal.
std::string Sha512(const std::string& text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  EVP_Digest(text.data(), text.size(), digest.data(), &size, EVP_sha512(), nullptr);
  std::string hex;
  boost::algorithm::hex_lower(digest.begin(), digest.begin() + size, std::back_inserter(hex));
  return hex;
}

std::string KeyDigest(const std::string& salt, const std::string& host, const std::string& nonce,
                      const std::string& shared_key) {
  return Sha512(salt + host + nonce + shared_key);
}

tl::unexpected<Error> NoProtocol(std::string_view server, std::string_view what) {
  return Fail(Error{.kind = ErrorKind::kRetry,
                    .message = std::string(server) + " " + std::string(what) +
                               "; check that a receiver of the forward protocol listens at this address and port",
                    .reason = "protocol"});
}

bool IsNamed(const json& message, std::string_view name, std::size_t size) {
  return message.is_array() && message.size() == size && BytesOf(message[0]) == name;
}

tl::unexpected<Error> Refused(std::string_view server, const std::string& reason) {
  // Fluentd's words for a client that none of its <client> sections names.
  const bool by_address = reason.find("denied") != std::string::npos;
  const std::string advice = by_address ? "allow the address of this exporter there"
                                        : "shared key, username and password have to be the same on both sides";
  return Fail(by_address ? ErrorKind::kForbidden : ErrorKind::kUnauthenticated,
              std::string(server) + " refuses this client: " + Shortened(reason, kMaxReasonShown) + "; " + advice);
}

}  // namespace

bool IsForwardHelo(const json& message) { return IsNamed(message, "HELO", 2); }

Result<ForwardHelo> ParseForwardHelo(const json& message, std::string_view server) {
  if (!IsForwardHelo(message) || !message[1].is_object()) {
    return NoProtocol(server, "did not begin with HELO, as a receiver with a shared key does");
  }
  const json& options = message[1];
  const auto text = [&](const char* name) {
    const auto found = options.find(name);
    return found == options.end() ? std::optional<std::string>(std::string()) : BytesOf(*found);
  };
  return ForwardHelo{text("nonce").value_or(""), text("auth").value_or("")};
}

std::string MakeForwardPing(const ForwardHelo& helo, const ForwardClient& client, const ForwardSecrets& secrets) {
  const std::string digest = KeyDigest(client.salt, client.host_name, helo.nonce, secrets.shared_key);
  const bool as_user = !helo.auth_salt.empty() && !secrets.username.empty();
  const std::string user_digest = as_user ? Sha512(helo.auth_salt + secrets.username + secrets.password) : "";
  const json ping =
      json::array({"PING", client.host_name, client.salt, digest, as_user ? secrets.username : "", user_digest});
  std::string bytes;
  json::to_msgpack(ping, bytes);
  return bytes;
}

Result<void> CheckForwardPong(const json& message, const ForwardHelo& helo, const ForwardClient& client,
                              const ForwardSecrets& secrets, std::string_view server) {
  if (!IsNamed(message, "PONG", 5) || !message[1].is_boolean()) {
    return NoProtocol(server, "did not answer the handshake with PONG");
  }
  if (!message[1].get<bool>()) return Refused(server, BytesOf(message[2]).value_or("no reason given"));
  const std::string wanted = KeyDigest(client.salt, BytesOf(message[3]).value_or(""), helo.nonce, secrets.shared_key);
  if (BytesOf(message[4]) != wanted) {
    return Fail(ErrorKind::kUnauthenticated,
                std::string(server) +
                    " does not know the shared key itself, so nothing is sent to it; check that it is "
                    "the receiver that is meant, and that the key is the same on both sides");
  }
  return {};
}

}  // namespace kube_events
