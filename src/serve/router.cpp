#include "kube_events/serve/router.h"

#include <algorithm>
#include <iterator>

#include "kube_events/base/text.h"

namespace kube_events {
namespace {

// What a 405 has to tell.
std::string AllowedMethods(const std::vector<const Route*>& routes) {
  std::string allow;
  for (const Route* route : routes) {
    if (!allow.empty()) allow += ", ";
    allow += route->method == "GET" ? "GET, HEAD" : route->method;
  }
  return allow;
}

}  // namespace

std::string HttpQuery::Header(std::string_view name) const {
  std::string joined;
  for (const auto& [key, value] : headers) {
    if (!EqualIgnoringCase(key, name)) continue;
    if (!joined.empty()) joined += ", ";
    joined += value;
  }
  return joined;
}

void Router::Add(std::vector<Route> routes) { std::move(routes.begin(), routes.end(), std::back_inserter(routes_)); }

HttpReply Router::Dispatch(const HttpQuery& query) const {
  std::vector<const Route*> same_path;
  for (const Route& route : routes_) {
    if (route.path != query.path) continue;
    if (route.method == query.method) return route.handler(query);
    same_path.push_back(&route);
  }
  if (same_path.empty()) return {.status = 404, .body = "not found\n"};
  const std::string allow = AllowedMethods(same_path);
  return {.status = 405, .body = "method not allowed, use " + allow + "\n", .headers = {{"Allow", allow}}};
}

std::optional<RequestTarget> ParseRequestTarget(std::string_view target) {
  target = target.substr(0, target.find('#'));
  if (const auto scheme = target.find("://"); !target.starts_with('/') && scheme != target.npos) {
    const auto path = target.find_first_of("/?", scheme + 3);
    target = path == target.npos ? "/" : target.substr(path);
    if (target.starts_with('?')) return RequestTarget{"/", std::string(target.substr(1))};
  }
  if (!target.starts_with('/')) return std::nullopt;
  const auto question = target.find('?');
  auto path = PercentDecoded(target.substr(0, question));
  if (!path) return std::nullopt;
  return RequestTarget{std::move(*path),
                       question == target.npos ? std::string() : std::string(target.substr(question + 1))};
}

}  // namespace kube_events
