// Fluent Bit's HTTP API as far as reloading is concerned. Calls live on an EventLoop; the rest are pure functions.
// What is answered when was observed with Fluent Bit 5.1.1: 200 {"reload":"done","status":0} to a POST only says that
// SIGHUP was raised, 400 {"reload":"in progress","status":-2} that one is running, 200 {"reload":"not enabled",
// "status":-1} that hot reload is off; a POST without a body is never answered.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

#include "kube_events/base/result.h"
#include "kube_events/supervisor/event_loop.h"
#include "kube_events/supervisor/fluent_bit_config.h"
#include "kube_events/supervisor/reload_protocol.h"

namespace kube_events {

struct ApiAnswer {
  int status = 0;
  std::string body;
};

// A request under way to /api/v2/reload. Destroying it cancels it.
class ApiCall {
 public:
  virtual ~ApiCall() = default;
};
// Calls `handler` once, never before it has returned: with a complete answer of whatever status, or with kRetry where
// there was none within `timeout`. The handler may destroy the call. `method`: "GET" or "POST".
std::unique_ptr<ApiCall> CallReloadApi(EventLoop& loop, const ServiceSettings& server, std::string_view method,
                                       std::chrono::milliseconds timeout,
                                       std::function<void(Result<ApiAnswer>)> handler);

// N of {"hot_reload_count":N}; nothing where the answer is another one.
std::optional<std::uint64_t> ParseReloadCount(const ApiAnswer& answer);
// What the answer to a POST means.
TriggerAnswer ParseTriggerAnswer(const ApiAnswer& answer);

// The version in the output of `fluent-bit --version`: "Fluent Bit v5.1.1"; nothing where there is none.
struct FluentBitVersion {
  int major = 0;
  int minor = 0;
  friend bool operator==(const FluentBitVersion&, const FluentBitVersion&) = default;
  friend bool operator<(const FluentBitVersion& a, const FluentBitVersion& b) {
    return std::tie(a.major, a.minor) < std::tie(b.major, b.minor);
  }
};
std::optional<FluentBitVersion> ParseVersion(std::string_view output);

}  // namespace kube_events
