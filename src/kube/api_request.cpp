#include "kube/api_request.h"

#include <utility>

#include "kube/text.h"

namespace kube_events {

std::string CollectionPath(std::string_view group, std::string_view namespace_name, std::string_view resource) {
  std::string path = group.empty() ? "/api/v1" : "/apis/" + PercentEncoded(group) + "/v1";
  if (!namespace_name.empty()) path += "/namespaces/" + PercentEncoded(namespace_name);
  return path + "/" + PercentEncoded(resource);
}

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
