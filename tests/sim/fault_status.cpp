#include "sim/fault_status.h"

namespace kube_events::sim {
namespace {

Status UsualStatus(const Fault& fault) {
  const ResourceName events{"", "events", "Event"};
  switch (fault.status) {
    case 400:
      return BadRequest("the request was made to fail");
    case 401:
      return Unauthorized();
    case 403:
      return Forbidden(events, "", "system:anonymous", fault.verb.empty() ? "list" : fault.verb, fault.namespace_name);
    case 404:
      return PathNotFound();
    case 405:
      return MethodNotAllowed();
    case 410:
      return ExpiredWatch();
    case 429:
      return TooManyRequests(fault.retry_after_seconds > 0 ? fault.retry_after_seconds : 1);
    case 500:
      return InternalError("the request was made to fail");
    default: {
      Status status;
      status.code = fault.status;
      status.reason = fault.status == 503 ? "ServiceUnavailable" : fault.status == 504 ? "Timeout" : "Unknown";
      status.message = "the request was made to fail";
      return status;
    }
  }
}

}  // namespace

Status FaultStatus(const Fault& fault) {
  constexpr std::uint64_t kWanted = 1'000'000'000;
  Status status;
  if (fault.reason == "ResourceVersionTooLarge") {
    status = TooLargeResourceVersion(kWanted, 1, TooLargeSpelling::kCauseType);
  } else if (fault.reason == "TooLargeCauseMessage") {
    status = TooLargeResourceVersion(kWanted, 1, TooLargeSpelling::kCauseMessage);
  } else if (fault.reason == "TooLargeMessageOnly") {
    status = TooLargeResourceVersion(kWanted, 1, TooLargeSpelling::kMessageOnly);
  } else {
    status = UsualStatus(fault);
    if (!fault.reason.empty()) status.reason = fault.reason;
  }
  if (!fault.message.empty()) status.message = fault.message;
  if (fault.retry_after_seconds > 0) status.retry_after_seconds = fault.retry_after_seconds;
  return status;
}

}  // namespace kube_events::sim
