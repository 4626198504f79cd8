#include "kube_events/net/blocking_call.h"

#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace kube_events {
namespace {

// Where the network thread leaves the answer for the thread that waits.
class Answer {
 public:
  void Set(Result<HttpResponse> response) {
    const std::lock_guard lock(mutex_);
    response_ = std::move(response);
    set_.notify_all();
  }

  Result<HttpResponse> Wait(const CallLimits& limits) {
    const auto deadline = std::chrono::steady_clock::now() + limits.timeout;
    std::unique_lock lock(mutex_);
    if (set_.wait_until(lock, limits.stop, deadline, [this] { return response_.has_value(); })) {
      return std::move(*response_);
    }
    if (limits.stop.stop_requested()) return Fail(ErrorKind::kCancelled, "the request was cancelled");
    return Fail(
        {ErrorKind::kRetry, "no answer within " + std::to_string(limits.timeout.count()) + " ms", {}, "timeout"});
  }

 private:
  std::mutex mutex_;  // guards response_
  std::condition_variable_any set_;
  std::optional<Result<HttpResponse>> response_;
};

}  // namespace

Result<HttpResponse> CallAndWait(HttpClient& http, HttpRequest request, const CallLimits& limits) {
  request.head_timeout = limits.timeout;
  request.idle_timeout = limits.timeout;
  Answer answer;
  BodyCollector collector(
      limits.max_bytes, [&answer](Result<HttpResponse> response) { answer.Set(std::move(response)); }, limits.body);
  const auto exchange = http.Start(std::move(request), collector);
  return answer.Wait(limits);
}

}  // namespace kube_events
