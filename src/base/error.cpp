#include "kube_events/base/error.h"

namespace kube_events {

std::string_view ToString(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kRetry:
      return "retry";
    case ErrorKind::kExpired:
      return "expired";
    case ErrorKind::kUnauthenticated:
      return "unauthenticated";
    case ErrorKind::kForbidden:
      return "forbidden";
    case ErrorKind::kNotFound:
      return "not_found";
    case ErrorKind::kConflict:
      return "conflict";
    case ErrorKind::kInvalid:
      return "invalid";
    case ErrorKind::kCancelled:
      return "cancelled";
    case ErrorKind::kConfiguration:
      return "configuration";
  }
  return "unknown";
}

}  // namespace kube_events
