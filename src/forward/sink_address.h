// Where a sink leads to: the part of its URL before the options. Private to the forward library. Pure functions.
#pragma once

#include <string>
#include <string_view>

#include "forward/sink_options.h"
#include "kube_events/base/result.h"
#include "kube_events/forward/sink_settings.h"
#include "kube_events/net/server_url.h"

namespace kube_events {

// Sets id, kind and what the kind needs. Fails with kConfiguration on anything that is no address of a sink.
Result<SinkScheme> ReadAddress(std::string_view address, SinkSettings& settings);

// The URL or name of a sink as messages show it: without options, and of all but files without the path, which may be a
// secret. Fit for one line.
std::string ShownAddress(std::string_view address);

// What to say of a URL with a user or a password, without showing it; nothing where it has neither.
Result<void> CheckNoUser(std::string_view url);

// An http URL in its two parts. Fails with kConfiguration.
struct HttpAddress {
  ServerUrl server;    // without a path
  std::string target;  // path and query as they are, "/" at least
};
Result<HttpAddress> ParseHttpAddress(std::string_view url);

}  // namespace kube_events
