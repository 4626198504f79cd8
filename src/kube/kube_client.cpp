#include "kube_events/kube/kube_client.h"

#include <string_view>
#include <utility>

#include "kube/api_request.h"
#include "kube/text.h"

namespace kube_events {
namespace {

// The API server ends a list after 60 s (--request-timeout), which may all pass before the first byte.
constexpr std::chrono::seconds kListHeadTimeout{60};
constexpr std::chrono::seconds kListIdleTimeout{60};
// A watch is answered at once, or after the seconds that it may wait in a priority queue.
constexpr std::chrono::seconds kWatchHeadTimeout{30};

std::string EventsPath(const Scope& scope) {
  return CollectionPath(GroupOf(scope.api), scope.namespace_name, "events");
}

// Appends one query parameter; empty values are left out.
void Append(std::string& target, std::string_view name, std::string_view value) {
  if (value.empty()) return;
  target += target.find('?') == std::string::npos ? '?' : '&';
  target += name;
  target += '=';
  target += PercentEncoded(value);
}

void AppendSelectors(std::string& target, const Scope& scope) {
  Append(target, "labelSelector", scope.label_selector);
  Append(target, "fieldSelector", scope.field_selector);
}

}  // namespace

KubeClient::KubeClient(HttpClient& http, Credentials& credentials) : http_(http), credentials_(credentials) {}

Result<std::unique_ptr<HttpExchange>> KubeClient::ListEvents(const Scope& scope, const ListRequest& list,
                                                             HttpObserver& observer) {
  std::string target = EventsPath(scope);
  Append(target, "limit", std::to_string(list.limit));
  Append(target, "continue", list.continue_token);
  AppendSelectors(target, scope);
  auto request = MakeApiRequest(std::move(target), credentials_);
  if (!request) return Fail(request.error());
  request->idle_timeout = kListIdleTimeout;
  request->head_timeout = kListHeadTimeout;
  return http_.Start(std::move(*request), observer);
}

Result<std::unique_ptr<HttpExchange>> KubeClient::WatchEvents(const Scope& scope, const WatchRequest& watch,
                                                              HttpObserver& observer) {
  std::string target = EventsPath(scope) + "?watch=true&allowWatchBookmarks=true";
  Append(target, "resourceVersion", watch.resource_version);
  Append(target, "timeoutSeconds", std::to_string(watch.timeout.count()));
  AppendSelectors(target, scope);
  auto request = MakeApiRequest(std::move(target), credentials_);
  if (!request) return Fail(request.error());
  request->idle_timeout = watch.idle_timeout;
  request->head_timeout = kWatchHeadTimeout;
  request->own_connection = true;
  return http_.Start(std::move(*request), observer);
}

void KubeClient::RefreshCredentials() { credentials_.Refresh(); }

}  // namespace kube_events
