// The handshake of the forward protocol (Forward Protocol Specification v1, "Handshake"): the server says HELO, the
// client PING, the server PONG, and each proves with a digest that it knows the shared key. Pure functions, any thread.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "kube_events/base/result.h"

namespace kube_events {

struct ForwardSecrets {
  std::string shared_key;
  std::string username;  // empty: none
  std::string password;
};

// What the server begins with.
struct ForwardHelo {
  std::string nonce;
  std::string auth_salt;  // empty: users are not asked for
};

// How this client calls itself in one handshake.
struct ForwardClient {
  std::string host_name;
  std::string salt;  // a new one each time
};

// `server`: for messages. Fails with kRetry and reason "protocol".
Result<ForwardHelo> ParseForwardHelo(const nlohmann::json& message, std::string_view server);

// The answer to it, as MessagePack.
std::string MakeForwardPing(const ForwardHelo& helo, const ForwardClient& client, const ForwardSecrets& secrets);

// Whether the server takes us, and knows the key itself. Fails with kUnauthenticated where it does not, with kForbidden
// where it takes nobody from this address, and with kRetry and reason "protocol" on what is no PONG.
Result<void> CheckForwardPong(const nlohmann::json& message, const ForwardHelo& helo, const ForwardClient& client,
                              const ForwardSecrets& secrets, std::string_view server);

// Whether `message` is a HELO, which a server that wants no handshake never sends.
bool IsForwardHelo(const nlohmann::json& message);

}  // namespace kube_events
