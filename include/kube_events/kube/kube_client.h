// The few calls of the Kubernetes API that this project needs, on top of an HttpClient: paths, query parameters,
// credentials, and errors with a kind. Owned by the composition root; methods may be called from any thread.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "kube_events/base/result.h"
#include "kube_events/kube/credentials.h"
#include "kube_events/kube/scope.h"
#include "kube_events/net/http_client.h"

namespace kube_events {

struct ListRequest {
  int limit = 500;             // 1 or more
  std::string continue_token;  // of the page before; empty for the first page
};

struct WatchRequest {
  std::string resource_version;     // not empty: changes after it are delivered
  std::chrono::seconds timeout{0};  // timeoutSeconds: when the server is to close the watch
  // Silence after which the peer counts as dead; longer than `timeout`, since Events watches carry no bookmarks.
  std::chrono::milliseconds idle_timeout{0};
};

class KubeClient {
 public:
  // Both must outlive the client.
  KubeClient(HttpClient& http, Credentials& credentials);

  // GET of one list page, JSON; a page's resourceVersion parameter is left out (Events are not in the watch cache:
  // reference "0" buys nothing, and a number with a limit means "exactly at"). Returns at once; fails where the
  // credentials cannot be read.
  Result<std::unique_ptr<HttpExchange>> ListEvents(const Scope& scope, const ListRequest& request,
                                                   HttpObserver& observer);
  // GET with watch=true&allowWatchBookmarks=true: a stream of one JSON object per line, each {"type","object"}.
  Result<std::unique_ptr<HttpExchange>> WatchEvents(const Scope& scope, const WatchRequest& request,
                                                    HttpObserver& observer);
  // Has credentials read again before the next request; call on kUnauthenticated.
  void RefreshCredentials();

 private:
  HttpClient& http_;
  Credentials& credentials_;
};

}  // namespace kube_events
