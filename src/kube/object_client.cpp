#include "kube_events/kube/object_client.h"

#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "kube/api_request.h"
#include "kube/text.h"
#include "kube_events/base/text.h"
#include "kube_events/kube/api_error.h"

namespace kube_events {
namespace {

using nlohmann::json;

std::string CollectionTarget(const ObjectPath& path) {
  return CollectionPath(path.group, path.namespace_name, path.resource);
}

std::string ObjectTarget(const ObjectPath& path) { return CollectionTarget(path) + "/" + PercentEncoded(path.name); }

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
  const auto response = CallAndWait(http_, std::move(request), limits);
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
