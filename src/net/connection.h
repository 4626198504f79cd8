// One client object of the HTTP library with its TLS verification: for a single watch, or kept alive for short
// requests. Network thread only.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "kube_events/net/proxy.h"
#include "kube_events/net/server_url.h"

namespace web::http::client {
class http_client;
}

namespace kube_events {

class PeerVerification;
class TlsContext;

struct ClientConnection {
  std::shared_ptr<web::http::client::http_client> client;
  // Shared with the TLS callbacks of the client's connections. Null for http.
  std::shared_ptr<PeerVerification> verification;
  // What to send as Host, which is also what the library sends as SNI and verifies; empty: the host of the URL.
  std::string server_name;
};

// Where requests go, and through what.
struct Destination {
  ServerUrl server;
  std::optional<Proxy> proxy;

  // For messages.
  std::string ToString() const { return server.ToString() + (proxy ? " through the proxy " + proxy->ToString() : ""); }
};

struct ConnectionOptions {
  std::shared_ptr<const TlsContext> tls;  // shared by all connections with these settings; null for http
  std::chrono::milliseconds idle_timeout{0};
};

ClientConnection MakeConnection(const Destination& destination, const ConnectionOptions& options);

}  // namespace kube_events
