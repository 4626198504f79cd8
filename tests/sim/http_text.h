// The head of a response as text. Pure functions.
#pragma once

#include <string>
#include <string_view>

#include "kube_events/base/clock.h"
#include "sim/api_request.h"

namespace kube_events::sim {

// Status line and headers up to the empty line: Content-Length of the body, or chunked for a stream.
std::string HttpHead(const Reply& reply, WallTime date, bool keep_alive);

}  // namespace kube_events::sim
