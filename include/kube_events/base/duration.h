// Durations as administrators write them, after Go's time.ParseDuration. Pure functions, any thread.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "kube_events/base/result.h"

namespace kube_events {

// Parses "300ms", "10s", "5m", "1h30m", "1.5h" or a bare number of seconds. Units: ns, us, µs, ms, s, m, h.
// Result: 0 or more; parts of a nanosecond are cut. Fails with kConfiguration on anything else, on a negative
// value and beyond about 292 years. Does not block.
Result<std::chrono::nanoseconds> ParseDuration(std::string_view text);

// The shortest spelling that ParseDuration reads back to the same value: "0s", "300ms", "1h30m".
std::string FormatDuration(std::chrono::nanoseconds duration);

}  // namespace kube_events
