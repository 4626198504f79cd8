#include <nlohmann/json.hpp>
#include <utility>

#include "sim/event_json.h"
#include "sim/events_api.h"
#include "sim/managed_fields.h"
#include "sim/random_names.h"
#include "sim/write_request.h"

namespace kube_events::sim {
namespace {

using nlohmann::json;

Reply EventReply(const StoredEvent& event, Api api, int status) {
  std::string body;
  AppendEvent(body, event.object(), api);
  return JsonReply(body + "\n", status);
}

json ToJson(const EventObject& event, Api api) {
  std::string text;
  AppendEvent(text, event, api);
  return json::parse(text);
}

// A body, or the Event in it.
OrStatus<EventObject> ReadEvent(const json& body, const ResourceRequest& resource) {
  Result<EventObject> event = ParseEvent(body, resource.api);
  if (event) return std::move(*event);
  return Refuse(BadRequest("Event in version \"v1\" cannot be handled as a Event: " + event.error().message));
}

// What etcd takes, in bytes (its --max-request-bytes), less what it adds.
bool FitsIntoEtcd(const EventObject& event) {
  constexpr std::size_t kMaxRequest = 1'572'864;
  return event.message.size() < kMaxRequest;
}

StoredIdentity IdentityOf(const StoredEvent& event) { return {event.object().metadata.uid, event.revision()}; }

}  // namespace

Reply EventsApi::Handle(const Request& request, const ResourceRequest& resource, const std::optional<Fault>& fault) {
  if (resource.verb == "list") return List(request, resource);
  if (resource.verb == "watch") return Watch(request, resource, fault);
  if (resource.verb == "get") return Get(resource);
  if (resource.verb == "create") return Create(request, resource);
  if (resource.verb == "update") return Update(request, resource);
  if (resource.verb == "patch") return Patch(request, resource);
  if (resource.verb == "delete") return Delete(request, resource);
  return DeleteCollection(request, resource);
}

Reply EventsApi::Create(const Request& request, const ResourceRequest& resource) {
  const OrStatus<json> body = ReadBody(request, resource);
  if (!body) return StatusReply(body.error());
  OrStatus<EventObject> event = ReadEvent(*body, resource);
  if (!event) return StatusReply(event.error());
  if (event->metadata.name.empty() && !event->metadata.generate_name.empty()) {
    event->metadata.name = RandomName(random_, event->metadata.generate_name);
  }
  return Store(std::move(*event), request, resource);
}

Reply EventsApi::Store(EventObject event, const Request& request, const ResourceRequest& resource) {
  std::vector<StatusCause> causes = ValidateCreate(event, resource.api);
  if (!causes.empty()) return StatusReply(Invalid(resource.resource, event.metadata.name, std::move(causes)));
  if (resource.verb == "create" && event.metadata.resource_version != 0) {
    return StatusReply(PlainError("resourceVersion should not be set on objects to be created"));
  }
  if (!FitsIntoEtcd(event)) return StatusReply(PlainError("etcdserver: request is too large"));
  event.metadata.uid.clear();
  event.metadata.creation_time.reset();
  event.metadata.managed_fields = WriterManagedFields(event, Manager(request), resource.api, clock_.Wall());
  const std::string name = event.metadata.name;
  const StoredEventPtr stored = store_.Create(std::move(event));
  if (stored == nullptr) return StatusReply(AlreadyExists(resource.resource, name));
  return EventReply(*stored, resource.api, 201);
}

Reply EventsApi::Update(const Request& request, const ResourceRequest& resource) {
  const OrStatus<json> body = ReadBody(request, resource);
  if (!body) return StatusReply(body.error());
  OrStatus<EventObject> event = ReadEvent(*body, resource);
  if (!event) return StatusReply(event.error());
  const StoredEventPtr current = store_.Get(resource.Key());
  const StoredIdentity identity = current == nullptr ? StoredIdentity{} : IdentityOf(*current);
  const StoredIdentity* stored = current == nullptr ? nullptr : &identity;
  if (const auto refusal = RefuseReplacement(resource, *body, stored)) return StatusReply(*refusal);
  if (current != nullptr) return Replace(std::move(*event), *current, request, resource);
  // Events may be created by an update.
  return Store(std::move(*event), request, resource);
}

Reply EventsApi::Patch(const Request& request, const ResourceRequest& resource) {
  if (const auto refusal = RefusePatchType(request)) return StatusReply(*refusal);
  const StoredEventPtr current = store_.Get(resource.Key());
  if (current == nullptr) return StatusReply(NotFound(resource.resource, resource.name));
  const OrStatus<json> patched = ReadPatch(request, resource, ToJson(current->object(), resource.api));
  if (!patched) return StatusReply(patched.error());
  Result<EventObject> event = ParseEvent(*patched, resource.api);
  if (!event) return StatusReply(MistypedPatch(*patched, event.error().message));
  const StoredIdentity identity = IdentityOf(*current);
  if (const auto refusal = RefuseReplacement(resource, *patched, &identity)) return StatusReply(*refusal);
  return Replace(std::move(*event), *current, request, resource);
}

Reply EventsApi::Replace(EventObject event, const StoredEvent& current, const Request& request,
                         const ResourceRequest& resource) {
  const EventMetadata& stored = current.object().metadata;
  EventMetadata& metadata = event.metadata;
  metadata.uid = stored.uid;
  metadata.creation_time = stored.creation_time;
  metadata.resource_version = stored.resource_version;
  metadata.managed_fields = stored.managed_fields;
  std::vector<StatusCause> causes = ValidateUpdate(event, current.object(), resource.api);
  if (!causes.empty()) return StatusReply(Invalid(resource.resource, resource.name, std::move(causes)));
  // A write that changes nothing takes no revision.
  if (event == current.object()) return EventReply(current, resource.api, 200);
  if (!FitsIntoEtcd(event)) return StatusReply(PlainError("etcdserver: request is too large"));
  metadata.managed_fields = UpdatedManagedFields(event, Manager(request), resource.api, clock_.Wall());
  return EventReply(*store_.Replace(current, std::move(event)), resource.api, 200);
}

Reply EventsApi::Delete(const Request& request, const ResourceRequest& resource) {
  const StoredEventPtr current = store_.Get(resource.Key());
  if (current == nullptr) return StatusReply(NotFound(resource.resource, resource.name));
  if (const auto refusal = RefuseDeletion(request, resource, IdentityOf(*current))) return StatusReply(*refusal);
  store_.Delete(resource.Key());
  return DeletedReply(resource, current->object().metadata.uid);
}

Reply EventsApi::DeleteCollection(const Request& request, const ResourceRequest& resource) {
  const Result<Selector> selector =
      Selector::Parse(request.Query("labelSelector"), request.Query("fieldSelector"), resource.api);
  if (!selector) return StatusReply(BadRequest(selector.error().message));
  const ListPage page = store_.List({resource.namespace_name + "/", "", store_.Revision(), 0, &*selector});
  Reply reply = List(request, resource);
  for (const StoredEventPtr& event : page.items) store_.Remove(*event);
  return reply;
}

}  // namespace kube_events::sim
