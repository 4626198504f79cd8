// TlsSettings, parsed once and applied to every new connection.
// Shared by the client and the connections that were made from it; immutable after its making, so any thread.
#pragma once

#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <memory>
#include <utility>
#include <vector>

#include "kube_events/base/result.h"
#include "kube_events/net/tls_settings.h"

namespace kube_events {

template <typename T, void (*Free)(T*)>
struct OpenSslDeleter {
  void operator()(T* object) const { Free(object); }
};

using X509Ptr = std::unique_ptr<X509, OpenSslDeleter<X509, X509_free>>;
using X509StorePtr = std::unique_ptr<X509_STORE, OpenSslDeleter<X509_STORE, X509_STORE_free>>;
using KeyPtr = std::unique_ptr<EVP_PKEY, OpenSslDeleter<EVP_PKEY, EVP_PKEY_free>>;

class TlsContext {
 public:
  // Fails as CheckTlsSettings does.
  static Result<std::shared_ptr<const TlsContext>> Create(TlsSettings settings);

  const TlsSettings& settings() const { return settings_; }
  // Gives a new connection the trust store, TLS 1.2 as minimum and the client certificate. False where OpenSSL
  // refuses, which Create has made unlikely.
  bool Apply(SSL_CTX* context) const;

 private:
  explicit TlsContext(TlsSettings settings) : settings_(std::move(settings)) {}
  Result<void> ParseTrust();
  Result<void> ParseClientCertificate();

  TlsSettings settings_;
  X509StorePtr trust_;                 // exclusive: nothing of the system's beside it
  std::vector<X509Ptr> client_chain_;  // leaf first; empty: none
  KeyPtr client_key_;
};

}  // namespace kube_events
