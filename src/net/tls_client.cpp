#include "kube_events/net/tls_client.h"

#include <openssl/ssl.h>

#include <utility>

#include "kube_events/net/server_url.h"
#include "net/peer_verification.h"
#include "net/tls_context.h"

namespace kube_events {

struct TlsClient::Parts {
  std::string server_name;
  std::shared_ptr<const TlsContext> context;
  PeerVerification verification;
};

TlsClient::TlsClient(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
TlsClient::~TlsClient() = default;

Result<std::unique_ptr<TlsClient>> TlsClient::Create(TlsSettings settings, const std::string& host) {
  const std::string name = settings.server_name.empty() ? host : settings.server_name;
  const bool skip = settings.insecure_skip_verify;
  auto context = TlsContext::Create(std::move(settings));
  if (!context) return Fail(context.error());
  auto parts = std::unique_ptr<Parts>(new Parts{name, std::move(*context), PeerVerification(name, skip)});
  return std::unique_ptr<TlsClient>(new TlsClient(std::move(parts)));
}

Result<void> TlsClient::Prepare(ssl_ctx_st* context) {
  if (!parts_->context->Apply(context)) {
    return Fail(ErrorKind::kConfiguration, "OpenSSL refuses the TLS settings; check the CA and the client certificate");
  }
  // Without it OpenSSL would note that verifying failed, and go on.
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
  parts_->verification.Attach(context);
  return {};
}

void TlsClient::SendServerName(ssl_st* connection) const {
  if (!IsIpAddress(parts_->server_name)) {
    // What SSL_set_tlsext_host_name does, without its old cast.
    SSL_ctrl(connection, SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name,
             const_cast<char*>(parts_->server_name.c_str()));
  }
}

const std::string& TlsClient::refusal() const { return parts_->verification.failure(); }

}  // namespace kube_events
