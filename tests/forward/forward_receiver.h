// A receiver of the forward protocol that plays a script, written apart from the client: how it acknowledges and how it
// misbehaves is up to the test. Owned by a test; scripts run on a thread for each connection.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <istream>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/scripted_server.h"

namespace kube_events {

struct ReceivedEntry {
  std::uint32_t seconds = 0;
  std::uint32_t nanoseconds = 0;
  nlohmann::json record;
};

struct ReceivedMessage {
  std::string tag;
  std::vector<ReceivedEntry> entries;
  nlohmann::json options;

  std::string chunk() const { return options.value("chunk", ""); }
};

// What a server with a shared key asks for.
struct ReceiverSecurity {
  std::string shared_key;
  std::string username = {};  // empty: users are not asked for
  std::string password = {};
  std::string answers_with_key = {};  // what it proves to know itself; empty: the shared key
};

// The server's side of one connection. Used by a script on its thread.
class ForwardPeer {
 public:
  ForwardPeer(ScriptedConnection& connection, std::function<void(const ReceivedMessage&)> record);

  ScriptedConnection& connection() { return connection_; }
  // The next value; nothing once the client is gone. Throws on what is no MessagePack.
  std::optional<nlohmann::json> Read();
  bool Send(const nlohmann::json& value);
  // The next message of records, which is remembered; nothing once the client is gone. Throws on what is none.
  std::optional<ReceivedMessage> ReadMessage();
  bool Ack(const std::string& chunk) { return Send({{"ack", chunk}}); }
  // Reads and acknowledges until the client is gone.
  void AckEverything();
  // HELO, PING and PONG. False where the client was refused, which it was told.
  bool Handshake(const ReceiverSecurity& security);

 private:
  ScriptedConnection& connection_;
  const std::function<void(const ReceivedMessage&)> record_;
  const std::unique_ptr<std::streambuf> bytes_;
  std::istream input_;
};

class ForwardReceiver {
 public:
  using Script = std::function<void(ForwardPeer& peer)>;

  explicit ForwardReceiver(Script script = &ForwardPeer::AckEverything, std::optional<ScriptedTls> tls = {});

  std::uint16_t port() const { return server_.port(); }
  std::size_t connections() const { return server_.connections(); }
  void SetTls(ScriptedTls tls) { server_.SetTls(std::move(tls)); }
  // All messages that scripts read so far, in order.
  std::vector<ReceivedMessage> messages() const;
  // The ids of all records in them.
  std::vector<std::string> ids() const;

 private:
  mutable std::mutex mutex_;  // guards messages_
  std::vector<ReceivedMessage> messages_;
  ScriptedServer server_;  // last: its threads use the rest
};

}  // namespace kube_events
