// What the path of an API request names, and which methods that has. Pure functions, any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sim/api_request.h"
#include "sim/event_object.h"
#include "sim/status.h"

namespace kube_events::sim {

// The resources that are simulated.
enum class ResourceKind { kUnknown, kEvent, kNamespace, kConfigMap, kLease, kTokenReview, kSubjectAccessReview };

struct ResourceRequest {
  ResourceKind kind = ResourceKind::kUnknown;
  Api api = Api::kCoreV1;      // of Events
  ResourceName resource = {};  // without a kind where it is unknown
  std::string version = {};
  std::string verb = {};            // as RBAC calls it: "list", "watch", "get", "create", "update", "patch", "delete"
  std::string namespace_name = {};  // empty: all namespaces, or none
  std::string name = {};            // empty: the collection
  std::string subresource = {};
  bool known_group = false;

  // "v1" or "coordination.k8s.io/v1".
  std::string ApiVersion() const { return resource.group.empty() ? version : resource.group + "/" + version; }
  // "namespace/name", or "name" of what has no namespace.
  std::string Key() const;
};

// Nothing where the path is none of a resource, as /version.
std::optional<ResourceRequest> ParseResource(const Request& request);

// The 404 or 405 for a resource, or a method of it, that is not there; nothing where the request can be carried out.
std::optional<Status> RefuseRoute(const ResourceRequest& resource);

}  // namespace kube_events::sim
