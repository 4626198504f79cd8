// A real little server on loopback that plays a script on every connection: what it sends, in which pieces, and how
// it misbehaves is up to the test. http, or https with given certificates. Link kube_events::scripted_server.
//
// Owned by a test. Each connection has a thread of its own, on which the script runs; the destructor breaks the
// connections and waits for the scripts, which must return when their calls fail.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "support/test_certificates.h"

namespace kube_events {

struct ScriptedTls {
  TestCertificate certificate;
  std::string client_ca_pem;  // not empty: a client certificate issued by it is required
};

// One accepted connection, after the TLS handshake. Used by the script on its thread.
class ScriptedConnection {
 public:
  virtual ~ScriptedConnection() = default;
  // Waits for a request and returns it with its body (of Content-Length); "" once the client is gone.
  virtual std::string ReadRequest() = 0;
  // Whatever comes next, of a protocol that is not HTTP; "" once the client is gone.
  virtual std::string ReadSome() = 0;
  // False once the client is gone.
  virtual bool Send(std::string_view bytes) = 0;
  // Waits until the client has closed the connection, or the server ends.
  virtual void WaitUntilClosed() = 0;
  // Has the connection end with RST, once the script returns; what was sent just before may get lost.
  virtual void ResetAtEnd() = 0;

  bool SendChunk(std::string_view data);
  // A complete response with Content-Length, after which the connection can take the next request. `headers`: lines
  // that each end in CR LF.
  bool Respond(int status, std::string_view body, std::string_view headers = "");
};

// The head of a chunked 200 response.
inline constexpr std::string_view kChunkedHead =
    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n";
inline constexpr std::string_view kLastChunk = "0\r\n\r\n";

class ScriptedServer {
 public:
  using Script = std::function<void(ScriptedConnection& connection)>;

  // Listens on a free port of 127.0.0.1, or of ::1. With `tls`: https. A connection is closed when the script returns.
  explicit ScriptedServer(Script script, std::optional<ScriptedTls> tls = {}, bool ipv6 = false);
  ~ScriptedServer();
  ScriptedServer(const ScriptedServer&) = delete;
  ScriptedServer& operator=(const ScriptedServer&) = delete;

  std::uint16_t port() const { return port_; }
  // "https://127.0.0.1:PORT"; `host`: another name of it.
  std::string url(std::string_view host = "127.0.0.1") const;
  // All requests read so far, in order.
  std::vector<std::string> requests() const;
  // How many connections were accepted so far.
  std::size_t connections() const;
  // For connections accepted from now on.
  void SetTls(ScriptedTls tls);

 private:
  class Connection;
  void Accept(const std::stop_token& stop);
  void Serve(int socket);

  const Script script_;
  std::uint16_t port_ = 0;
  const int listener_;
  mutable std::mutex mutex_;  // guards what follows, up to the threads
  std::optional<ScriptedTls> tls_;
  std::vector<std::string> requests_;
  std::vector<int> open_;  // sockets of connections being served
  std::size_t accepted_ = 0;
  bool ending_ = false;
  std::vector<std::jthread> serving_;  // only the accepting thread adds
  std::jthread accepting_;
};

// Scripts that many tests play. Answers "hello" to every request.
void AnswerAll(ScriptedConnection& connection);
// Answers one request with the head of a chunked response and these chunks, and goes on without an end.
ScriptedServer::Script StreamAndStay(std::vector<std::string> chunks = {});

// An address where connecting neither succeeds nor fails: its queue of connections is full.
class HangingAddress {
 public:
  HangingAddress();
  ~HangingAddress();
  HangingAddress(const HangingAddress&) = delete;
  HangingAddress& operator=(const HangingAddress&) = delete;
  std::uint16_t port() const { return port_; }

 private:
  std::uint16_t port_ = 0;
  const int listener_;
  std::vector<int> fillers_;
};

// A port of 127.0.0.1 on which nobody listens.
std::uint16_t ClosedPort();

}  // namespace kube_events
