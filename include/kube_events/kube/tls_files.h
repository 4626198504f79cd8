// TLS settings from files that are rotated under us, and from data that is not. Functions for the composition, any
// thread.
#pragma once

#include <string>

#include "kube_events/base/logging.h"
#include "kube_events/base/result.h"
#include "kube_events/net/tls_settings.h"

namespace kube_events {

// A PEM text: given, or in a file that is read for every connection. Both empty: none.
struct PemSource {
  std::string file;
  std::string pem;
};

struct TlsSources {
  PemSource ca;
  PemSource client_cert;
  PemSource client_key;
  std::string server_name;
  bool insecure_skip_verify = false;
};

// Reads all once; fails with kConfiguration where that does not give usable settings. The provider reads the files
// again at every call; where they cannot be read or used (a rotation half done), it logs that and gives the last good
// settings. The provider may be called from any thread.
Result<TlsProvider> MakeTlsFileProvider(TlsSources sources, Logger log);

}  // namespace kube_events
