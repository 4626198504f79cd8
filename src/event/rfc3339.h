// Times as the API server writes them. A pure function, any thread.
#pragma once

#include <string_view>

#include "kube_events/base/clock.h"

namespace kube_events {

// Reads an RFC 3339 time with any number of fraction digits (cut to microseconds) and a numeric offset or Z. Year 1,
// the Unix epoch and "" give an unset time. Returns false, leaving `out` alone, where the text is none of these.
bool ParseRfc3339(std::string_view text, OptionalTime& out);

}  // namespace kube_events
