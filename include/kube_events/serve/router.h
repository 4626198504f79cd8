// Which handler answers which path, without any network: the HttpServer and tests ask a Router.
// A Router is a value, built once and then only read; handlers are called on the server's one thread.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kube_events {

using HttpHeaders = std::vector<std::pair<std::string, std::string>>;

// A request as handlers see it.
struct HttpQuery {
  std::string method;  // "GET"; a HEAD is told as GET, since the server leaves the body out by itself
  std::string path;    // decoded: "/metrics"
  std::string query;   // what follows '?', as sent
  HttpHeaders headers;

  // All values of a header, joined with ", " as HTTP allows; empty where there is none. Names match in any case.
  std::string Header(std::string_view name) const;
};

struct HttpReply {
  int status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::string body = {};
  HttpHeaders headers = {};
};

struct Route {
  std::string method;  // "GET" (HEAD is included) or another method without a request body
  std::string path;    // matched exactly
  // Called on the server's thread: must not block. What it throws becomes a 500 and a log line.
  std::function<HttpReply(const HttpQuery&)> handler;
};

class Router {
 public:
  Router() = default;
  explicit Router(std::vector<Route> routes) : routes_(std::move(routes)) {}

  void Add(Route route) { routes_.push_back(std::move(route)); }
  void Add(std::vector<Route> routes);

  // The handler's reply; 404 for an unknown path, 405 with Allow for another method. Passes on what a handler throws.
  HttpReply Dispatch(const HttpQuery& query) const;

 private:
  std::vector<Route> routes_;
};

// The path and query of a request target in origin or absolute form ("/metrics?x=1", "http://host/metrics"), the path
// with %XX decoded. Nothing where the target is of another form or badly encoded.
struct RequestTarget {
  std::string path;
  std::string query;
};
std::optional<RequestTarget> ParseRequestTarget(std::string_view target);

}  // namespace kube_events
