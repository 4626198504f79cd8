// TLS towards a server for connections that are not HTTP: trusted, verified and described as those of the HTTP client.
// Owned with the connection; its thread only.
#pragma once

#include <memory>
#include <string>

#include "kube_events/base/result.h"
#include "kube_events/net/tls_settings.h"

struct ssl_ctx_st;  // OpenSSL's SSL_CTX
struct ssl_st;      // OpenSSL's SSL

namespace kube_events {

class TlsClient {
 public:
  // `host`: a name or an address without brackets; the server's certificate has to be valid for it, unless the settings
  // name another. Fails as CheckTlsSettings. Parses the settings; does not wait for the network.
  static Result<std::unique_ptr<TlsClient>> Create(TlsSettings settings, const std::string& host);
  ~TlsClient();

  // Has connections of `context` trust, verify and name themselves as the settings say. This object must outlive them.
  // Fails with kConfiguration where OpenSSL refuses.
  Result<void> Prepare(ssl_ctx_st* context);
  // Before the handshake: has the connection send the server's name (RFC 6066, 3), unless it is an address.
  void SendServerName(ssl_st* connection) const;
  // Why the server's certificate was refused, in words; empty where it was not.
  const std::string& refusal() const;

 private:
  struct Parts;
  explicit TlsClient(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace kube_events
