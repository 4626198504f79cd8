#include "kube_events/kube/object_client.h"

#include <condition_variable>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

#include "kube/api_request.h"
#include "kube/text.h"
#include "kube_events/base/text.h"
#include "kube_events/kube/api_error.h"
#include "kube_events/net/body_collector.h"

namespace kube_events {
namespace {

using nlohmann::json;

std::string CollectionTarget(const ObjectPath& path) {
  std::string target = path.group.empty() ? "/api/v1" : "/apis/" + PercentEncoded(path.group) + "/v1";
  if (!path.namespace_name.empty()) target += "/namespaces/" + PercentEncoded(path.namespace_name);
  return target + "/" + PercentEncoded(path.resource);
}

std::string ObjectTarget(const ObjectPath& path) { return CollectionTarget(path) + "/" + PercentEncoded(path.name); }

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

Result<HttpResponse> Exchange(HttpClient& http, HttpRequest request, const CallLimits& limits) {
  request.head_timeout = limits.timeout;
  request.idle_timeout = limits.timeout;
  Answer answer;
  BodyCollector collector(limits.max_bytes,
                          [&answer](Result<HttpResponse> response) { answer.Set(std::move(response)); });
  const auto exchange = http.Start(std::move(request), collector);
  return answer.Wait(limits);
}

// The error with the request in front, where it is the network's or ours and does not know what was asked.
Error About(std::string_view verb, const ObjectPath& path, Error error) {
  error.message = std::string(verb) + " of " + ToString(path) + " failed: " + error.message;
  return error;
}

}  // namespace

Result<json> ObjectClient::Get(const ObjectPath& path, const CallLimits& limits) {
  auto request = MakeApiRequest(ObjectTarget(path), credentials_);
  if (!request) return Fail(request.error());
  return Call("get", std::move(*request), path, limits);
}

Result<json> ObjectClient::Create(const ObjectPath& path, const json& object, const CallLimits& limits) {
  auto request = MakeApiRequest(CollectionTarget(path), credentials_);
  if (!request) return Fail(request.error());
  request->method = "POST";
  return Write("create", std::move(*request), path, object, limits);
}

Result<json> ObjectClient::Replace(const ObjectPath& path, const json& object, const CallLimits& limits) {
  auto request = MakeApiRequest(ObjectTarget(path), credentials_);
  if (!request) return Fail(request.error());
  request->method = "PUT";
  return Write("update", std::move(*request), path, object, limits);
}

Result<json> ObjectClient::Write(std::string_view verb, HttpRequest request, const ObjectPath& path, const json& object,
                                 const CallLimits& limits) {
  request.headers.push_back({"Content-Type", "application/json"});
  // What is no UTF-8 is replaced rather than thrown at.
  request.body = object.dump(-1, ' ', false, json::error_handler_t::replace);
  return Call(verb, std::move(request), path, limits);
}

Result<json> ObjectClient::Call(std::string_view verb, HttpRequest request, const ObjectPath& path,
                                const CallLimits& limits) {
  const auto response = Exchange(http_, std::move(request), limits);
  if (!response) return Fail(About(verb, path, response.error()));
  if (response->head.status == 401) credentials_.Refresh();
  if (response->head.status / 100 != 2) {
    return Fail(ErrorFromResponse(response->head, response->body, verb, path));
  }
  json object = json::parse(response->body, nullptr, false);
  if (!object.is_object()) {
    return Fail(
        About(verb, path, {ErrorKind::kInvalid, "the answer is no JSON object: " + Shortened(response->body, 100)}));
  }
  return object;
}

}  // namespace kube_events
