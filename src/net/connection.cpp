#include "net/connection.h"

#include <cpprest/http_client.h>

#include <boost/asio/ssl/context.hpp>
#include <stdexcept>

#include "net/peer_verification.h"
#include "net/tls_context.h"

namespace kube_events {
namespace {

using web::http::client::http_client_config;

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
  connection.verification = std::make_shared<PeerVerification>(name, settings.insecure_skip_verify);
  config.set_validate_certificates(!settings.insecure_skip_verify);
  config.set_tlsext_sni_enabled(!IsIpAddress(name));
  config.set_ssl_context_callback(
      [tls = options.tls, verification = connection.verification](boost::asio::ssl::context& context) {
        if (!tls->Apply(context.native_handle())) throw std::runtime_error("OpenSSL refuses the TLS settings");
        verification->Attach(context.native_handle());
      });
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
