// What a client wants: the Accept and Accept-Encoding headers of a scrape, after RFC 9110. Pure functions, any thread.
#pragma once

#include <string_view>

#include "kube_events/metrics/exposition.h"

namespace kube_events {

// OpenMetrics where the client wants it more than text: by the higher q; at a tie if it names OpenMetrics but text only
// by a wildcard. Text in all other cases, also where the client wants neither: a scrape shall not fail over a header.
ExpositionFormat NegotiateFormat(std::string_view accept);

// Whether the answer is to be compressed: gzip is allowed (q above 0) and not less wanted than identity.
bool WantsGzip(std::string_view accept_encoding);

}  // namespace kube_events
