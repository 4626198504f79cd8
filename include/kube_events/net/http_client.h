// The seam to the HTTP library: start a request, be told what comes back, end it at any moment.
// An HttpClient is owned by the composition root and may be used from any thread. Observers are called on the
// library's one network thread: they hand data over and return, and must not block or throw.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kube_events/base/clock.h"
#include "kube_events/base/result.h"

namespace kube_events {

struct HttpHeader {
  std::string name;
  std::string value;
};

struct HttpRequest {
  std::string method = "GET";
  // Path and query below the server's address, percent-encoded: "/api/v1/events?limit=500".
  std::string target;
  // Values with CR, LF or NUL are refused (kConfiguration): they would be header injection.
  std::vector<HttpHeader> headers;
  std::string body;
  // The longest silence between two pieces of the response; also bounds the time to the first. Above 0. Time during
  // which reading is paused counts as silence.
  std::chrono::milliseconds idle_timeout{30'000};
  // The longest time from Start to the response's head: name lookup, connecting, TLS, and the server's thinking. A
  // watch may be silent for minutes, but a server that cannot be reached must be noticed sooner. Above 0.
  std::chrono::milliseconds head_timeout{30'000};
  // A connection of its own (a watch) rather than one kept alive for the next request.
  bool own_connection = false;
};

struct HttpHead {
  int status = 0;
  std::string content_type;
  std::optional<std::chrono::seconds> retry_after;  // a date counts from that of the server
  OptionalTime date;                                // the server's clock, whole seconds
};

// What a request brings, in this order: OnHead at most once, OnBody any number of times, OnEnd exactly once unless
// the HttpExchange was destroyed before. Calls may begin before Start has returned to its caller.
class HttpObserver {
 public:
  virtual ~HttpObserver() = default;
  virtual void OnHead(const HttpHead& head) = 0;
  // The next bytes of the body, valid during the call. Returns false to have reading paused until
  // HttpExchange::Resume: the peer then feels back-pressure.
  virtual bool OnBody(std::string_view bytes) = 0;
  // The response is complete, or why it is not: kRetry with reason "connect", "tls", "timeout", "reset", "eof",
  // or "protocol"; kConfiguration where the TLS files or headers cannot be used.
  virtual void OnEnd(const Result<void>& result) = 0;
};

// A request under way. Destroying it cancels the request: no call to the observer starts after the destructor has
// returned. The destructor may wait for a call in progress, never for the network; so do not hold a lock then that the
// observer takes. An observer may destroy its own exchange, and itself, from within a call.
class HttpExchange {
 public:
  virtual ~HttpExchange() = default;
  // Goes on after OnBody returned false. Any thread.
  virtual void Resume() = 0;
};

// Must outlive its exchanges.
class HttpClient {
 public:
  virtual ~HttpClient() = default;
  // Starts a request and returns at once; everything else, also an early failure, comes through `observer`, which
  // must outlive the exchange.
  virtual std::unique_ptr<HttpExchange> Start(HttpRequest request, HttpObserver& observer) = 0;
};

}  // namespace kube_events
