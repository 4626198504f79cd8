// Verifies the server of a TLS connection and keeps the reason of a failure, which the HTTP library loses.
// Used on the network thread only.
#pragma once

#include <openssl/ossl_typ.h>

#include <string>

namespace kube_events {

class PeerVerification {
 public:
  // `name`: the host name or IP address that the certificate must be valid for.
  PeerVerification(std::string name, bool skip);

  // Makes connections of `context` be verified by this object, which must outlive them.
  void Attach(SSL_CTX* context);

  // Why the last verification failed, in words; empty where it did not.
  const std::string& failure() const { return failure_; }

 private:
  static int OnVerify(X509_STORE_CTX* chain, void* self);
  bool Verify(X509_STORE_CTX* chain);

  const std::string name_;
  const bool skip_;
  std::string failure_;
};

}  // namespace kube_events
