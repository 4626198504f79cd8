#include "sim/objects_api.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "sim/json_text.h"
#include "sim/list_options.h"
#include "sim/object_schema.h"
#include "sim/random_names.h"
#include "sim/selector.h"
#include "sim/write_request.h"

namespace kube_events::sim {
namespace {

using nlohmann::json;

Reply ObjectReply(const json& object, int status = 200) { return JsonReply(object.dump() + "\n", status); }

StoredIdentity IdentityOf(const json& object) {
  return {object["metadata"]["uid"].get<std::string>(),
          std::stoull(object["metadata"]["resourceVersion"].get<std::string>())};
}

// What selectors look at.
EventObject Selectable(const json& object) {
  EventObject event;
  const json& metadata = object["metadata"];
  event.metadata.name = metadata.value("name", "");
  event.metadata.namespace_name = metadata.value("namespace", "");
  event.metadata.labels = metadata.value("labels", StringMap());
  return event;
}

// The members that the server sets, whatever the client has sent.
void SetNamespaceDefaults(json& object) {
  object["metadata"]["labels"]["kubernetes.io/metadata.name"] = object["metadata"]["name"];
  object["spec"] = {{"finalizers", {"kubernetes"}}};
  object["status"] = {{"phase", "Active"}};
}

void SetManagedFields(json& object, json fields) {
  object["metadata"].erase("managedFields");
  if (!fields.empty()) object["metadata"]["managedFields"] = std::move(fields);
}

// The conforming object of a body, or the 400 for fields of wrong types.
OrStatus<json> ReadObject(const Request& request, const ResourceRequest& resource) {
  const OrStatus<json> body = ReadBody(request, resource);
  if (!body) return body;
  Result<json> object = ConformObject(*body, resource.kind);
  if (object) return std::move(*object);
  const std::string& kind = resource.resource.kind;
  return Refuse(BadRequest(kind + " in version \"" + resource.version + "\" cannot be handled as a " + kind + ": " +
                           object.error().message));
}

// Leases may only be replaced by who names the version to replace.
std::optional<Status> RefuseUnconditional(const ResourceRequest& resource, const json& object) {
  if (resource.kind != ResourceKind::kLease) return std::nullopt;
  if (!object["metadata"].value("resourceVersion", "").empty()) return std::nullopt;
  ResourceName name = resource.resource;
  name.kind = name.resource;
  return Invalid(
      name, resource.name,
      {{"FieldValueInvalid", "Invalid value: 0: must be specified for an update", "metadata.resourceVersion"}});
}

}  // namespace

ObjectsApi::ObjectsApi(EventStore& revisions, const Clock& clock, std::uint64_t seed)
    : revisions_(revisions), clock_(clock), store_(revisions), random_(seed) {
  for (const char* name : {"default", "kube-node-lease", "kube-public", "kube-system"}) {
    json object = {{"kind", "Namespace"},
                   {"apiVersion", "v1"},
                   {"metadata", {{"name", name}, {"uid", RandomUid(random_)}, {"creationTimestamp", Now()}}}};
    SetNamespaceDefaults(object);
    SetManagedFields(object, ObjectManagedFields({{"metadata", object["metadata"]}}, "kube-apiserver", "v1", Now()));
    store_.Preset(ResourceKind::kNamespace, name, std::move(object));
  }
}

std::string ObjectsApi::Now() const { return TimeText(clock_.Wall()); }

bool ObjectsApi::HasNamespace(const std::string& name) const {
  return store_.Get(ResourceKind::kNamespace, name) != nullptr;
}

Reply ObjectsApi::Handle(const Request& request, const ResourceRequest& resource) {
  if (resource.verb == "list") return List(request, resource);
  if (resource.verb == "get") return Get(resource);
  if (resource.verb == "create") return Create(request, resource);
  const bool changes_one = resource.verb == "update" || resource.verb == "patch" || resource.verb == "delete";
  const bool deletes_all = resource.verb == "deletecollection";
  // A Namespace takes controllers to go, and watches a cache.
  if (resource.kind == ResourceKind::kNamespace || (!changes_one && !deletes_all)) {
    return StatusReply(MethodNotAllowed());
  }
  if (resource.verb == "update") return Update(request, resource);
  if (resource.verb == "patch") return Patch(request, resource);
  return deletes_all ? DeleteCollection(request, resource) : Delete(request, resource);
}

Reply ObjectsApi::List(const Request& request, const ResourceRequest& resource) {
  if (const std::optional<Status> refusal = RefuseListParameters(request)) return StatusReply(*refusal);
  const Result<Selector> selector =
      Selector::Parse(request.Query("labelSelector"), request.Query("fieldSelector"), std::nullopt);
  if (!selector) return StatusReply(BadRequest(selector.error().message));
  const OrStatus<ListOptions> options =
      ReadListOptions(request, resource, {revisions_.Revision(), revisions_.CompactedRevision()});
  if (!options) return StatusReply(options.error());
  const std::map<std::string, ObjectPtr> state = store_.At(resource.kind, options->revision);
  // The watch cache, which answers version 0, knows no pages.
  const std::size_t limit = request.Query("resourceVersion") == "0" ? 0 : options->limit;
  PageEnd end;
  end.selected = !selector->empty();
  std::string items;
  for (auto entry = state.lower_bound(std::max(options->start, options->prefix)); entry != state.end(); ++entry) {
    if (!entry->first.starts_with(options->prefix)) break;
    ++end.total;
    end.more = end.more || (limit != 0 && end.items == limit);
    if (end.more || !selector->Matches(Selectable(*entry->second))) continue;
    json item = *entry->second;
    item.erase("kind");
    item.erase("apiVersion");
    items += (items.empty() ? "" : ",") + item.dump();
    ++end.items;
    end.last_key = entry->first;
  }
  return JsonReply(ListHead(*options, resource, end) + items + "]}\n");
}

Reply ObjectsApi::Get(const ResourceRequest& resource) {
  const ObjectPtr found = store_.Get(resource.kind, resource.Key());
  return found == nullptr ? StatusReply(NotFound(resource.resource, resource.name)) : ObjectReply(*found);
}

Reply ObjectsApi::Create(const Request& request, const ResourceRequest& resource) {
  OrStatus<json> object = ReadObject(request, resource);
  if (!object) return StatusReply(object.error());
  json& metadata = (*object)["metadata"];
  if (!metadata.contains("name") && metadata.contains("generateName")) {
    metadata["name"] = RandomName(random_, metadata["generateName"]);
  }
  if (metadata.contains("resourceVersion")) {
    return StatusReply(PlainError("resourceVersion should not be set on objects to be created"));
  }
  return Store(std::move(*object), request, resource);
}

Reply ObjectsApi::Store(json object, const Request& request, const ResourceRequest& resource) {
  const std::string name = object["metadata"].value("name", "");
  Causes causes = ValidateObject(object, resource.kind);
  if (!causes.empty()) return StatusReply(Invalid(resource.resource, name, std::move(causes)));
  ResourceRequest target = resource;
  target.name = name;
  if (store_.Get(resource.kind, target.Key()) != nullptr) return StatusReply(AlreadyExists(resource.resource, name));
  object["kind"] = resource.resource.kind;
  object["apiVersion"] = resource.ApiVersion();
  if (resource.kind == ResourceKind::kNamespace) SetNamespaceDefaults(object);
  object["metadata"]["uid"] = RandomUid(random_);
  object["metadata"]["creationTimestamp"] = Now();
  // The spec of a Namespace is the server's.
  const json owned = resource.kind == ResourceKind::kNamespace ? json{{"metadata", object["metadata"]}} : object;
  SetManagedFields(object, ObjectManagedFields(owned, Manager(request), resource.ApiVersion(), Now()));
  return ObjectReply(*store_.Put(resource.kind, target.Key(), std::move(object)), 201);
}

Reply ObjectsApi::Update(const Request& request, const ResourceRequest& resource) {
  OrStatus<json> object = ReadObject(request, resource);
  if (!object) return StatusReply(object.error());
  const ObjectPtr current = store_.Get(resource.kind, resource.Key());
  const StoredIdentity identity = current == nullptr ? StoredIdentity{} : IdentityOf(*current);
  const StoredIdentity* stored = current == nullptr ? nullptr : &identity;
  if (const auto refusal = RefuseReplacement(resource, *object, stored)) return StatusReply(*refusal);
  if (current != nullptr) {
    if (const auto refusal = RefuseUnconditional(resource, *object)) return StatusReply(*refusal);
    return Replace(std::move(*object), *current, request, resource);
  }
  // Leases may be created by an update.
  if (resource.kind == ResourceKind::kLease) return Store(std::move(*object), request, resource);
  return StatusReply(NotFound(resource.resource, resource.name));
}

Reply ObjectsApi::Patch(const Request& request, const ResourceRequest& resource) {
  if (const auto refusal = RefusePatchType(request)) return StatusReply(*refusal);
  const ObjectPtr current = store_.Get(resource.kind, resource.Key());
  if (current == nullptr) return StatusReply(NotFound(resource.resource, resource.name));
  const OrStatus<json> patched = ReadPatch(request, resource, *current);
  if (!patched) return StatusReply(patched.error());
  Result<json> object = ConformObject(*patched, resource.kind);
  if (!object) return StatusReply(MistypedPatch(*patched, object.error().message));
  const StoredIdentity identity = IdentityOf(*current);
  if (const auto refusal = RefuseReplacement(resource, *object, &identity)) return StatusReply(*refusal);
  return Replace(std::move(*object), *current, request, resource);
}

Reply ObjectsApi::Replace(json object, const json& current, const Request& request, const ResourceRequest& resource) {
  Causes causes = ValidateObject(object, resource.kind);
  if (!causes.empty()) return StatusReply(Invalid(resource.resource, resource.name, std::move(causes)));
  object["kind"] = current["kind"];
  object["apiVersion"] = current["apiVersion"];
  for (const char* own : {"uid", "resourceVersion", "creationTimestamp", "managedFields"}) {
    object["metadata"].erase(own);
    if (current["metadata"].contains(own)) object["metadata"][own] = current["metadata"][own];
  }
  // A write that changes nothing takes no revision.
  if (object == current) return ObjectReply(current);
  SetManagedFields(object, ObjectManagedFields(object, Manager(request), resource.ApiVersion(), Now()));
  return ObjectReply(*store_.Put(resource.kind, resource.Key(), std::move(object)));
}

Reply ObjectsApi::Delete(const Request& request, const ResourceRequest& resource) {
  const ObjectPtr current = store_.Get(resource.kind, resource.Key());
  if (current == nullptr) return StatusReply(NotFound(resource.resource, resource.name));
  const StoredIdentity identity = IdentityOf(*current);
  if (const auto refusal = RefuseDeletion(request, resource, identity)) return StatusReply(*refusal);
  store_.Remove(resource.kind, resource.Key());
  return DeletedReply(resource, identity.uid);
}

Reply ObjectsApi::DeleteCollection(const Request& request, const ResourceRequest& resource) {
  Reply reply = List(request, resource);
  const json list = json::parse(reply.body);
  if (reply.status != 200) return reply;
  for (const json& item : list["items"]) {
    store_.Remove(resource.kind, resource.namespace_name + "/" + item["metadata"]["name"].get<std::string>());
  }
  return reply;
}

}  // namespace kube_events::sim
