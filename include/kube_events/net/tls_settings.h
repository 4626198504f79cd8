// What a TLS client needs to know: whom to trust, how to name itself. Plain values, no thread rules.
#pragma once

#include <functional>
#include <string>

#include "kube_events/base/result.h"

namespace kube_events {

struct TlsSettings {
  std::string ca_pem;           // the only certificates trusted; empty: the system's bundle
  std::string client_cert_pem;  // leaf first, then intermediates; empty: no client certificate
  std::string client_key_pem;
  std::string server_name;  // verified and sent as SNI instead of the host; empty: the host
  bool insecure_skip_verify = false;

  friend bool operator==(const TlsSettings&, const TlsSettings&) = default;
};

// Asked before every request, so that rotated files are used for the next connection. Called on the thread that
// starts the request; may read small files.
using TlsProvider = std::function<Result<TlsSettings>()>;

// Fails with kConfiguration where OpenSSL cannot use the settings: no certificate in the CA, certificate and key that
// do not belong together, a key that needs a pass phrase. The message says which part, never its content. Parses; for
// the system's bundle it also reads the file.
Result<void> CheckTlsSettings(const TlsSettings& settings);

}  // namespace kube_events
