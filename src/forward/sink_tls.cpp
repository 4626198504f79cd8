#include "forward/sink_tls.h"

#include <utility>

#include "kube_events/kube/tls_files.h"

namespace kube_events {

Result<TlsProvider> MakeSinkTls(const SinkTlsSettings& settings, Logger log) {
  TlsSources sources;
  sources.ca.file = settings.ca_file.string();
  sources.client_cert.file = settings.cert_file.string();
  sources.client_key.file = settings.key_file.string();
  sources.server_name = settings.server_name;
  sources.insecure_skip_verify = settings.insecure_skip_verify;
  return MakeTlsFileProvider(std::move(sources), std::move(log));
}

}  // namespace kube_events
