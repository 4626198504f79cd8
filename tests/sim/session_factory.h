// Makes sessions for accepted connections, plain or with TLS. Private to the server; server thread only.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "kube_events/base/clock.h"
#include "sim/api_request.h"
#include "sim/sim_server.h"

namespace boost::asio::ssl {
class context;
}
struct ssl_st;

namespace kube_events::sim {

class SessionBase {
 public:
  virtual ~SessionBase() = default;
  virtual void Start() = 0;
  // Ends the connection at once.
  virtual void Close() = 0;
};

// What all sessions share; outlives them.
struct SessionContext {
  std::function<Reply(const Request&)> handle;
  const Clock& clock;
  std::size_t chunk_bytes = 0;
  std::set<SessionBase*> sessions = {};  // those that are open
};

// Throws std::runtime_error where the PEM texts cannot be used.
std::shared_ptr<boost::asio::ssl::context> MakeTlsContext(const SimTls& tls);

void StartPlainSession(boost::asio::ip::tcp::socket socket, SessionContext& context);
void StartTlsSession(boost::asio::ip::tcp::socket socket, boost::asio::ssl::context& tls, SessionContext& context);

// Common name of the client certificate; empty where there is none.
std::string VerifiedClientName(ssl_st* ssl);

}  // namespace kube_events::sim
