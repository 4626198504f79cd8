#include "net/connection.h"

#include <cpprest/http_client.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <stdexcept>

#include "net/peer_verification.h"
#include "net/tls_context.h"

namespace kube_events {
namespace {

using web::http::client::http_client_config;
using TlsStream = boost::asio::ssl::stream<boost::asio::ip::tcp::socket&>;

// A peer that lost its network is noticed after 30 + 3 * 10 s without and 60 s with data in flight.
constexpr int kKeepAliveIdleSeconds = 30;
constexpr int kKeepAliveIntervalSeconds = 10;
constexpr int kKeepAliveProbes = 3;
constexpr int kUserTimeoutMilliseconds = 60'000;

template <typename T>
void SetOption(int socket, int level, int name, T value) {
  // Without them a dead peer is noticed by the idle timeout, only later; so a failure is no error.
  static_cast<void>(::setsockopt(socket, level, name, &value, sizeof value));
}

// Finds the socket of a single request. The library shows it before it is opened, when nothing can be set yet, and
// silently replaces it when the first of several addresses does not answer. A TLS context is made for each socket, so
// as long as no further context was made, the stream shown last is the one that is shaking hands.
class SocketTap {
 public:
  void OnContextMade() { stream_ = nullptr; }
  void OnStreamShown(void* stream) { stream_ = static_cast<TlsStream*>(stream); }
  void OnHandshake() {
    if (stream_ == nullptr) return;
    const int socket = stream_->next_layer().native_handle();
    SetOption(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
    SetOption(socket, IPPROTO_TCP, TCP_KEEPIDLE, kKeepAliveIdleSeconds);
    SetOption(socket, IPPROTO_TCP, TCP_KEEPINTVL, kKeepAliveIntervalSeconds);
    SetOption(socket, IPPROTO_TCP, TCP_KEEPCNT, kKeepAliveProbes);
    SetOption(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, kUserTimeoutMilliseconds);
  }

 private:
  TlsStream* stream_ = nullptr;
};

web::web_proxy ProxyOf(const Proxy& proxy) {
  web::web_proxy result(web::uri(proxy.ToString()));
  if (!proxy.user.empty()) result.set_credentials(web::credentials(proxy.user, proxy.password));
  return result;
}

void ConfigureTls(const Destination& destination, const ConnectionOptions& options, http_client_config& config,
                  ClientConnection& connection) {
  const TlsSettings& settings = options.tls->settings();
  connection.server_name = settings.server_name;
  // What the library takes from the URL has brackets, and no certificate is valid for that.
  const bool is_ipv6 = destination.server.host.find(':') != std::string::npos;
  if (connection.server_name.empty() && is_ipv6) connection.server_name = destination.server.host;
  const std::string name = settings.server_name.empty() ? destination.server.host : settings.server_name;
  const auto tap = std::make_shared<SocketTap>();  // shared by the callbacks of the library
  connection.verification =
      std::make_shared<PeerVerification>(name, settings.insecure_skip_verify, [tap] { tap->OnHandshake(); });
  config.set_validate_certificates(!settings.insecure_skip_verify);
  config.set_tlsext_sni_enabled(!IsIpAddress(name));
  config.set_ssl_context_callback(
      [tap, tls = options.tls, verification = connection.verification](boost::asio::ssl::context& context) {
        tap->OnContextMade();
        if (!tls->Apply(context.native_handle())) throw std::runtime_error("OpenSSL refuses the TLS settings");
        verification->Attach(context.native_handle());
      });
  // With kept-alive connections several may be under way at once, and the tap could take one for another. With a proxy
  // the library shows another kind of object.
  if (options.detect_dead_peer && !destination.proxy)
    config.set_nativehandle_options([tap](void* stream) { tap->OnStreamShown(stream); });
}

}  // namespace

ClientConnection MakeConnection(const Destination& destination, const ConnectionOptions& options) {
  ClientConnection connection;
  http_client_config config;
  config.set_timeout(options.idle_timeout);
  // The library would carry the Authorization header over to any other server.
  config.set_max_redirects(0);
  if (options.tls) ConfigureTls(destination, options, config, connection);
  if (destination.proxy) config.set_proxy(ProxyOf(*destination.proxy));
  connection.client = std::make_shared<web::http::client::http_client>(destination.server.ToString(), config);
  return connection;
}

}  // namespace kube_events
