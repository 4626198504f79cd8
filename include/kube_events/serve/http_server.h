// A small HTTP/1.1 server for probes and scrapes that stays up under slow and hostile clients: everything a client can
// make it wait for has a timeout, everything a client can make it keep has a bound.
// Owned by the composition root. All connections live on one thread of the server; its methods may be called from any.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kube_events/base/health.h"
#include "kube_events/base/logging.h"
#include "kube_events/base/result.h"
#include "kube_events/serve/router.h"

namespace kube_events {

// Told about every request whose header could be read. Both calls come from the server's thread, as a pair.
class RequestObserver {
 public:
  virtual ~RequestObserver() = default;
  virtual void OnRequestBegin(std::string_view path) = 0;
  // The answer was written, or its writing was given up; `took` since the end of the request's header.
  virtual void OnRequestEnd(std::string_view path, int status, std::chrono::nanoseconds took) = 0;
};

struct HttpListener {
  std::string host = {};   // address or name; empty: all interfaces, IPv6 and IPv4 (only IPv4 where IPv6 is off)
  std::uint16_t port = 0;  // 0: any free one
  Router router = {};
  std::string host_flag = "--host";  // what an administrator changes when it does not work
  std::string port_flag = "--port";
};

struct HttpServerOptions {
  std::chrono::milliseconds header_timeout{10'000};  // for a new connection or begun request to be complete
  std::chrono::milliseconds idle_timeout{60'000};    // for the next request on a connection that has had one
  std::chrono::milliseconds write_timeout{30'000};   // for the client to take the whole answer
  std::chrono::milliseconds stop_grace{500};         // for answers being written when the server is stopped
  std::chrono::milliseconds accept_pause{100};       // where the process has no file descriptor left
  std::uint32_t max_header_bytes = 16 * 1024;
  std::uint64_t max_body_bytes = std::uint64_t{64} * 1024;  // request bodies are read and dropped
  // Beyond it the connection that has been waiting for its client longest is closed in favour of the new one.
  std::size_t max_connections = 512;
  // Answers that clients have not taken yet; beyond it the one that has been written longest is given up.
  std::size_t max_pending_bytes = std::size_t{64} * 1024 * 1024;
  // Bytes that the kernel may take for a client that does not read; it would otherwise grow to megabytes for each, and
  // a client that sends many requests ahead would have as many pages made for it.
  int socket_send_buffer = 64 * 1024;

  // All may be left out; they must outlive the server.
  Heartbeat* heartbeat = nullptr;  // beaten every second by the server's thread
  RequestObserver* observer = nullptr;
  Logger logger = {};
};

class HttpServer {
 public:
  // Opens all listeners and starts to serve. Fails with kRetry where a port is in use or not permitted, and with
  // kConfiguration where a host is none of ours: the message says what to change. Blocks only to resolve host names.
  static Result<std::unique_ptr<HttpServer>> Start(std::vector<HttpListener> listeners, HttpServerOptions options);

  // Stops accepting, lets answers under way end within `stop_grace`, closes the rest and joins the thread.
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  // The port of a listener, by its index.
  std::uint16_t Port(std::size_t listener = 0) const;
  // Open connections.
  std::size_t Connections() const;

 private:
  struct Impl;
  explicit HttpServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace kube_events
