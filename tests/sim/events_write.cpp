#include <nlohmann/json.hpp>
#include <utility>

#include "sim/event_json.h"
#include "sim/events_api.h"
#include "sim/managed_fields.h"

namespace kube_events::sim {
namespace {

using nlohmann::json;

std::string MediaType(const Request& request) {
  return request.content_type.substr(0, request.content_type.find_first_of("; "));
}

// Who manages the fields that a request writes: the program that its User-Agent names.
std::string Manager(const Request& request) {
  const std::string manager = request.user_agent.substr(0, request.user_agent.find('/'));
  return manager.empty() ? "unknown" : manager;
}

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

// The object in the body of a create or an update, or the Status that refuses it.
std::pair<std::optional<EventObject>, Status> ReadBody(const Request& request, const ResourceRequest& resource) {
  const std::string type = MediaType(request);
  if (!type.empty() && type != "application/json") {
    return {std::nullopt, UnsupportedMediaType("the body of the request was in an unknown format - accepted media "
                                               "types include: application/json, application/yaml, "
                                               "application/vnd.kubernetes.protobuf")};
  }
  const json object = json::parse(request.body, nullptr, false);
  if (!object.is_object()) {
    return {std::nullopt,
            BadRequest("the object provided is unrecognized (must be of type Event): couldn't get version/kind; "
                       "json parse error: the body is not a JSON object")};
  }
  const std::string kind = object.contains("kind") && object["kind"].is_string() ? object["kind"] : json("Event");
  if (kind != "Event") {
    return {std::nullopt, BadRequest(kind + " in version \"v1\" cannot be handled as a Event: unknown conversion")};
  }
  Result<EventObject> event = ParseEvent(object, resource.api);
  if (!event) {
    return {std::nullopt, BadRequest("Event in version \"v1\" cannot be handled as a Event: " + event.error().message)};
  }
  if (event->metadata.namespace_name.empty()) event->metadata.namespace_name = resource.namespace_name;
  if (event->metadata.namespace_name != resource.namespace_name) {
    return {std::nullopt,
            BadRequest("the namespace of the provided object does not match the namespace sent on the request")};
  }
  return {std::move(*event), {}};
}

// Applies a patch of one of the kinds that Events take; nothing for another kind.
std::optional<json> ApplyPatch(json target, const json& patch, const std::string& type) {
  // Events have no lists with merge keys, so that a strategic merge is a plain one.
  if (type == "application/merge-patch+json" || type == "application/strategic-merge-patch+json") {
    target.merge_patch(patch);
    return target;
  }
  if (type == "application/json-patch+json") return target.patch(patch);
  return std::nullopt;
}

}  // namespace

Reply EventsApi::Handle(const Request& request, const ResourceRequest& resource, const std::optional<Fault>& fault) {
  if (resource.verb == "list") return List(request, resource);
  if (resource.verb == "watch") return Watch(request, resource, fault);
  if (resource.verb == "get" && !resource.namespace_name.empty()) return Get(resource);
  if (resource.namespace_name.empty() || resource.verb.empty()) return StatusReply(MethodNotAllowed());
  if (resource.verb == "create") return Create(request, resource);
  if (resource.verb == "update") return Update(request, resource);
  if (resource.verb == "patch") return Patch(request, resource);
  if (resource.verb == "delete") return Delete(request, resource);
  return DeleteCollection(request, resource);
}

std::string EventsApi::GenerateName(const std::string& base) {
  constexpr std::string_view kAlphabet = "bcdfghjklmnpqrstvwxz2456789";
  std::string name = base;
  for (int i = 0; i < 5; ++i) name += kAlphabet[random_() % kAlphabet.size()];
  return name;
}

Reply EventsApi::Create(const Request& request, const ResourceRequest& resource) {
  auto [event, refusal] = ReadBody(request, resource);
  if (!event) return StatusReply(refusal);
  if (event->metadata.name.empty() && !event->metadata.generate_name.empty()) {
    event->metadata.name = GenerateName(event->metadata.generate_name);
  }
  std::vector<StatusCause> causes = ValidateCreate(*event, resource.api);
  if (!causes.empty()) return StatusReply(Invalid(resource.resource, event->metadata.name, std::move(causes)));
  if (event->metadata.resource_version != 0) {
    return StatusReply(PlainError("resourceVersion should not be set on objects to be created"));
  }
  event->metadata.uid.clear();
  event->metadata.creation_time.reset();
  event->metadata.managed_fields = WriterManagedFields(*event, Manager(request), resource.api, clock_.Wall());
  const std::string name = event->metadata.name;
  const StoredEventPtr stored = store_.Create(std::move(*event));
  if (stored == nullptr) return StatusReply(AlreadyExists(resource.resource, name));
  return EventReply(*stored, resource.api, 201);
}

Reply EventsApi::Update(const Request& request, const ResourceRequest& resource) {
  auto [event, refusal] = ReadBody(request, resource);
  if (!event) return StatusReply(refusal);
  if (event->metadata.name != resource.name) {
    return StatusReply(BadRequest("the name of the object (" + event->metadata.name +
                                  ") does not match the name on the URL (" + resource.name + ")"));
  }
  const StoredEventPtr current = store_.Get(event->Key());
  if (current != nullptr) return Replace(std::move(*event), *current, request, resource);
  // Events may be created by an update.
  std::vector<StatusCause> causes = ValidateCreate(*event, resource.api);
  if (!causes.empty()) return StatusReply(Invalid(resource.resource, resource.name, std::move(causes)));
  event->metadata.uid.clear();
  event->metadata.creation_time.reset();
  event->metadata.managed_fields = WriterManagedFields(*event, Manager(request), resource.api, clock_.Wall());
  return EventReply(*store_.Create(std::move(*event)), resource.api, 201);
}

Reply EventsApi::Patch(const Request& request, const ResourceRequest& resource) {
  const StoredEventPtr current = store_.Get(resource.namespace_name + "/" + resource.name);
  if (current == nullptr) return StatusReply(NotFound(resource.resource, resource.name));
  const json patch = json::parse(request.body, nullptr, false);
  if (patch.is_discarded()) return StatusReply(BadRequest("error decoding patch: the body is not JSON"));
  std::optional<json> patched;
  try {
    patched = ApplyPatch(ToJson(current->object(), resource.api), patch, MediaType(request));
  } catch (const json::exception&) {  // a JSON patch that does not apply
    return StatusReply(RejectedPatch());
  }
  if (!patched) {
    Status status = UnsupportedMediaType("415: Unsupported Media Type");
    status.details = true;
    return StatusReply(status);
  }
  Result<EventObject> event = ParseEvent(*patched, resource.api);
  if (!event) {
    const std::string cause = "Invalid value: \"" + patched->dump() + "\": " + event.error().message;
    return StatusReply(Invalid({}, "", {{"FieldValueInvalid", cause, "patch"}}));
  }
  return Replace(std::move(*event), *current, request, resource);
}

Reply EventsApi::Replace(EventObject event, const StoredEvent& current, const Request& request,
                         const ResourceRequest& resource) {
  const EventMetadata& stored = current.object().metadata;
  EventMetadata& metadata = event.metadata;
  if (metadata.resource_version != 0 && metadata.resource_version != stored.resource_version) {
    return StatusReply(Conflict(resource.resource, resource.name,
                                "the object has been modified; please apply your changes to the latest version and "
                                "try again"));
  }
  if (!metadata.uid.empty() && metadata.uid != stored.uid) {
    return StatusReply(Conflict(
        resource.resource, resource.name,
        "StorageError: invalid object, Code: 4, Key: /registry/events/" + current.object().Key() +
            ", ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: " + metadata.uid +
            ", UID in object meta: " + stored.uid));
  }
  metadata.uid = stored.uid;
  metadata.creation_time = stored.creation_time;
  metadata.resource_version = stored.resource_version;
  metadata.name = stored.name;
  metadata.namespace_name = stored.namespace_name;
  metadata.managed_fields = stored.managed_fields;
  std::vector<StatusCause> causes = ValidateUpdate(event, current.object(), resource.api);
  if (!causes.empty()) return StatusReply(Invalid(resource.resource, resource.name, std::move(causes)));
  // A write that changes nothing takes no revision.
  if (event == current.object()) return EventReply(current, resource.api, 200);
  metadata.managed_fields = UpdatedManagedFields(event, Manager(request), resource.api, clock_.Wall());
  return EventReply(*store_.Replace(current, std::move(event)), resource.api, 200);
}

Reply EventsApi::Delete(const Request& request, const ResourceRequest& resource) {
  const std::string key = resource.namespace_name + "/" + resource.name;
  const StoredEventPtr current = store_.Get(key);
  if (current == nullptr) return StatusReply(NotFound(resource.resource, resource.name));
  const json options = json::parse(request.body, nullptr, false);
  const json preconditions = options.is_object() ? options.value("preconditions", json::object()) : json::object();
  const std::string uid = preconditions.is_object() ? preconditions.value("uid", "") : "";
  if (!uid.empty() && uid != current->object().metadata.uid) {
    const ResourceName kind{"", "Event", "Event"};
    return StatusReply(Conflict(kind, resource.name,
                                "the UID in the precondition (" + uid + ") does not match the UID in record (" +
                                    current->object().metadata.uid +
                                    "). The object might have been deleted and then recreated"));
  }
  store_.Delete(key);
  return JsonReply(R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","details":{"name":")" +
                   resource.name + R"(","kind":"events","uid":")" + current->object().metadata.uid + "\"}}\n");
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
