// Errors as values. The kind of an Error says what its receiver does next; its text is for an administrator:
// what happened, where, and what to do. Values, owned by whoever holds them; no thread rules.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace kube_events {

enum class ErrorKind {
  kRetry,            // transient (network, 429, 5xx): the same call again after a pause
  kExpired,          // the resourceVersion or continue token is of no use any more (410, "too large"): list again
  kUnauthenticated,  // 401: read the credentials again, then retry
  kForbidden,        // 403: retry slowly, an administrator has to grant the access
  kNotFound,         // 404
  kConflict,         // 409: read again, then decide
  kInvalid,          // the peer sent what cannot be used: skip it or start over
  kCancelled,        // we ended it ourselves; never logged as a failure
  kConfiguration,    // flags, files or environment are wrong: an administrator has to change them
};

// The kind as a short lower-case word for logs and metric labels, e.g. "expired".
std::string_view ToString(ErrorKind kind);

struct Error {
  ErrorKind kind = ErrorKind::kRetry;
  std::string message;
  // How long the peer asked us to wait (Retry-After header or details.retryAfterSeconds); a floor for the pause.
  std::optional<std::chrono::milliseconds> retry_after = std::nullopt;
  // Word for the label `reason` of api_errors_total where the server or the network named one ("Expired",
  // "TooManyRequests", "connect", "timeout"); empty: the kind is used.
  std::string reason = {};
};

}  // namespace kube_events
