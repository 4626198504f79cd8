// Reads and writes single objects of the Kubernetes API, such as Leases and ConfigMaps: whoever calls waits for the
// answer. KubeClient is for what streams.
// Owned by the composition root; methods may be called from any thread, also at the same time, but not from an
// HttpObserver: they wait for the thread that calls it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "kube_events/base/result.h"
#include "kube_events/kube/credentials.h"
#include "kube_events/kube/object_path.h"
#include "kube_events/net/blocking_call.h"
#include "kube_events/net/http_client.h"

namespace kube_events {

// Each method returns the object as the server has stored it, a JSON object, or fails with the kinds of
// ErrorFromResponse: kNotFound; kForbidden; kConflict, of Create where the name is taken (reason "AlreadyExists"), of
// Replace where the object has changed since it was read (reason "Conflict"); kInvalid where repeating the same is of
// no use (400, 413 with reason "RequestEntityTooLarge", 422 and the like); kUnauthenticated, after which the
// credentials are read again; kRetry. They block until then, at most for the limits' time.
class ObjectClient {
 public:
  // Both must outlive the client.
  ObjectClient(HttpClient& http, Credentials& credentials) : http_(http), credentials_(credentials) {}

  Result<nlohmann::json> Get(const ObjectPath& path, const CallLimits& limits);
  // POST into the path's namespace. `object` names itself and its kind; the server refuses what does not fit the path.
  Result<nlohmann::json> Create(const ObjectPath& path, const nlohmann::json& object, const CallLimits& limits);
  // PUT. With metadata.resourceVersion it only replaces that very version, so read, change, and write it back; without,
  // it overwrites whatever is there.
  Result<nlohmann::json> Replace(const ObjectPath& path, const nlohmann::json& object, const CallLimits& limits);

 private:
  Result<nlohmann::json> Call(std::string_view verb, HttpRequest request, const ObjectPath& path,
                              const CallLimits& limits);
  Result<nlohmann::json> Write(std::string_view verb, HttpRequest request, const ObjectPath& path,
                               const nlohmann::json& object, const CallLimits& limits);

  HttpClient& http_;
  Credentials& credentials_;
};

}  // namespace kube_events
