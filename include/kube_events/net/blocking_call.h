// A short request whose answer the caller waits for. Any thread but the network thread, which brings the answer.
#pragma once

#include <chrono>
#include <cstddef>
#include <stop_token>

#include "kube_events/base/result.h"
#include "kube_events/net/body_collector.h"
#include "kube_events/net/http_client.h"

namespace kube_events {

struct CallLimits {
  // For the whole call, above 0. When it is over, the call fails with kRetry and reason "timeout"; a write may have
  // been carried out nevertheless.
  std::chrono::milliseconds timeout{10'000};
  // Ends the call with kCancelled; the same holds for a write.
  std::stop_token stop = {};
  // Of the answer. etcd stores 1.5 MiB, which escapes may lengthen on their way.
  std::size_t max_bytes = std::size_t{4} * 1024 * 1024;
  BodyUse body = BodyUse::kWhole;
};

// Sends `request` and waits for the answer, of whatever status. The limits' time replaces that of the request. Blocks
// until then, at most for that time. Fails as HttpObserver::OnEnd and BodyCollector say, and as the limits say.
Result<HttpResponse> CallAndWait(HttpClient& http, HttpRequest request, const CallLimits& limits);

}  // namespace kube_events
