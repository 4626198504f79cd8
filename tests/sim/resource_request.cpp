#include "sim/resource_request.h"

#include <algorithm>
#include <array>
#include <vector>

namespace kube_events::sim {
namespace {

struct ResourceType {
  ResourceKind kind;
  std::string_view group;
  std::string_view resource;
  std::string_view name;  // of the kind
  bool namespaced = true;
  bool review = false;  // answered, never stored
};

constexpr std::array<ResourceType, 7> kTypes = {
    {{ResourceKind::kEvent, "", "events", "Event"},
     {ResourceKind::kEvent, "events.k8s.io", "events", "Event"},
     {ResourceKind::kConfigMap, "", "configmaps", "ConfigMap"},
     {ResourceKind::kLease, "coordination.k8s.io", "leases", "Lease"},
     {ResourceKind::kNamespace, "", "namespaces", "Namespace", false},
     {ResourceKind::kTokenReview, "authentication.k8s.io", "tokenreviews", "TokenReview", false, true},
     {ResourceKind::kSubjectAccessReview, "authorization.k8s.io", "subjectaccessreviews", "SubjectAccessReview", false,
      true}}};

const ResourceType* FindType(const ResourceRequest& request) {
  const auto* const found = std::find_if(kTypes.begin(), kTypes.end(), [&](const ResourceType& type) {
    return type.group == request.resource.group && type.resource == request.resource.resource;
  });
  return found == kTypes.end() || request.version != "v1" ? nullptr : found;
}

bool IsKnownGroup(std::string_view group) {
  return std::any_of(kTypes.begin(), kTypes.end(), [&](const ResourceType& type) { return type.group == group; });
}

std::string Verb(const Request& request, bool collection) {
  if (request.method == "GET" || request.method == "HEAD") {
    if (!collection) return "get";
    return request.QueryIsTrue("watch") ? "watch" : "list";
  }
  if (request.method == "POST") return "create";
  if (request.method == "PUT") return "update";
  if (request.method == "PATCH") return "patch";
  if (request.method == "DELETE") return collection ? "deletecollection" : "delete";
  return "";
}

// Reads namespaces/NAMESPACE/RESOURCE/NAME/SUBRESOURCE.
void ReadNames(ResourceRequest& result, std::vector<std::string_view> parts) {
  if (parts.size() > 1 && parts[0] == "namespaces") {
    // A namespace counts as being in itself.
    result.namespace_name = parts[1];
    if (parts.size() > 2) parts.erase(parts.begin(), parts.begin() + 2);
  }
  result.resource.resource = parts[0];
  if (parts.size() > 1) result.name = parts[1];
  for (std::size_t i = 2; i < parts.size(); ++i) result.subresource += (i > 2 ? "/" : "") + std::string(parts[i]);
}

}  // namespace

std::string ResourceRequest::Key() const {
  return kind == ResourceKind::kNamespace ? name : namespace_name + "/" + name;
}

std::optional<ResourceRequest> ParseResource(const Request& request) {
  std::vector<std::string_view> parts = Split(request.path, '/');
  ResourceRequest result;
  const bool core = parts.size() > 2 && parts[0] == "api";
  if (!core && (parts.size() < 4 || parts[0] != "apis")) return std::nullopt;
  if (!core) result.resource.group = parts[1];
  result.version = parts[core ? 1 : 2];
  parts.erase(parts.begin(), parts.begin() + (core ? 2 : 3));
  ReadNames(result, std::move(parts));
  result.verb = Verb(request, result.name.empty());
  result.known_group = IsKnownGroup(result.resource.group);
  if (const ResourceType* type = FindType(result)) {
    result.kind = type->kind;
    result.resource.kind = type->name;
    if (type->group == "events.k8s.io") result.api = Api::kEventsV1;
  }
  return result;
}

std::optional<Status> RefuseRoute(const ResourceRequest& resource) {
  const ResourceType* type = FindType(resource);
  if (type == nullptr || !resource.subresource.empty()) return PathNotFound();
  const bool collection = resource.name.empty();
  const bool in_namespace = !resource.namespace_name.empty();
  if (type->namespaced && !in_namespace && !collection) return PathNotFound();
  if (!type->namespaced && in_namespace && type->kind != ResourceKind::kNamespace) return PathNotFound();
  if (type->review) {
    if (!collection) return PathNotFound();
    return resource.verb == "create" ? std::nullopt : std::optional<Status>(MethodNotAllowed());
  }
  if (resource.verb == "list" || resource.verb == "watch" || resource.verb == "get") return std::nullopt;
  const bool everywhere = type->namespaced && !in_namespace;
  const bool allowed = collection ? !everywhere && (resource.verb == "create" || resource.verb == "deletecollection")
                                  : resource.verb != "create" && !resource.verb.empty();
  return allowed ? std::nullopt : std::optional<Status>(MethodNotAllowed());
}

}  // namespace kube_events::sim
