// The head of a response as text. Pure functions.
#pragma once

#include <string>
#include <string_view>

#include "kube_events/base/clock.h"
#include "sim/api_request.h"

namespace kube_events::sim {

// Status line and headers up to the empty line: Content-Length of a short body, chunked for a longer one or a stream.
std::string HttpHead(const Reply& reply, WallTime date, bool keep_alive);

// Appends the body of a reply that has no stream. As Go's server does, one of more than 2 KiB comes in chunks of 2 KiB.
void AppendBody(std::string& out, const std::string& body);

}  // namespace kube_events::sim
