// HttpClient over Microsoft's cpprestsdk, the only place that knows this library.
//
// One network thread serves all clients of the process: requests, cancellations and observers run on it, which is
// what keeps the library free of races (it closes sockets without the lock that its reads would need).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kube_events/base/health.h"
#include "kube_events/base/result.h"
#include "kube_events/net/http_client.h"
#include "kube_events/net/proxy.h"
#include "kube_events/net/tls_settings.h"

namespace kube_events {

// Sets the library up: one network thread, and no reading of the system's certificates at every connection. For the
// latter it points SSL_CERT_FILE and SSL_CERT_DIR at nothing, after remembering where the system's bundle is; children
// get EnvironmentOfChildren instead. Call it in main before any thread starts, since it changes the
// environment; further calls do nothing.
//
// A name lookup under way cannot be ended. Its thread is joined when statics are destroyed, so a main that must end in
// time, with a DNS server that does not answer too, has to leave by std::_Exit after flushing its output.
void InitialiseNetworking();

// The environment of the process as it was before InitialiseNetworking, "NAME=value" each: for programs that we run.
std::vector<std::string> EnvironmentOfChildren();

// Beats every second while the network thread makes progress, until what it returns is destroyed; no beat comes after
// that. `heartbeat` must live as long. Does not block.
std::shared_ptr<void> BeatOnNetworkThread(Heartbeat& heartbeat);

// A client of one server. `server_url`: see ParseServerUrl; requests go below its path. `tls` is asked at every
// request to an https server and may be empty for http. Requests without a connection of their own share kept-alive
// ones, which are given up when the settings change and after a failure. Fails with kConfiguration on a bad URL.
// Redirects are answers like any other and not followed. With `proxy` all connections lead through it. The destructor
// waits up to 0.5 s for cancelled requests.
Result<std::unique_ptr<HttpClient>> MakeCpprestClient(std::string_view server_url, TlsProvider tls,
                                                      std::optional<Proxy> proxy = std::nullopt);

}  // namespace kube_events
