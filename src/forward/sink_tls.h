// TLS of sinks from what an administrator says. Private to the forward library.
#pragma once

#include "kube_events/base/logging.h"
#include "kube_events/base/result.h"
#include "kube_events/forward/sink_settings.h"
#include "kube_events/net/tls_settings.h"

namespace kube_events {

// Reads the files named and fails with kConfiguration where they are of no use. The provider reads them again as
// MakeTlsFileProvider says. Any thread.
Result<TlsProvider> MakeSinkTls(const SinkTlsSettings& settings, Logger log);

}  // namespace kube_events
