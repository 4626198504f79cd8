#include "kube/api_request.h"

#include <utility>

namespace kube_events {

Result<HttpRequest> MakeApiRequest(std::string target, Credentials& credentials) {
  auto headers = credentials.Headers();
  if (!headers) return Fail(headers.error());
  HttpRequest request;
  request.target = std::move(target);
  request.headers = std::move(*headers);
  // No Accept-Encoding: a compressed watch would be delivered late.
  request.headers.push_back({"Accept", "application/json"});
  request.headers.push_back({"User-Agent", "kube-events-exporter"});
  return request;
}

}  // namespace kube_events
