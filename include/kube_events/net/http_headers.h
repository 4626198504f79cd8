// The few HTTP header values that mean something to us. Pure functions, any thread.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>
#include <vector>

#include "kube_events/base/clock.h"
#include "kube_events/base/result.h"
#include "kube_events/net/http_client.h"

namespace kube_events {

// The three spellings of an HTTP date, e.g. "Sun, 06 Nov 1994 08:49:37 GMT" (the names of weekdays are not compared
// with the date). Nothing on anything else.
OptionalTime ParseHttpDate(std::string_view value);

// Retry-After: 0 or more seconds, at most one day. "120", or an HTTP date, which counts from `now`, the time of the
// server that sent it; nothing where that is not known. Nothing on anything else.
std::optional<std::chrono::seconds> ParseRetryAfter(std::string_view value, OptionalTime now = {});

// Fails with kConfiguration on a header that would change the request: a name that is no token, or a value with a
// control character. The message names the header, never the value, which may be a secret.
Result<void> CheckHeaders(const std::vector<HttpHeader>& headers);

}  // namespace kube_events
