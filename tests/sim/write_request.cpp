#include "sim/write_request.h"

#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "sim/json_text.h"

namespace kube_events::sim {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxBody = 3U << 20U;  // of the real server, bytes

std::string MediaType(const Request& request) {
  return request.content_type.substr(0, request.content_type.find_first_of("; "));
}

// The text member of an object's metadata; empty where there is none.
std::string Metadata(const json& object, const char* key) {
  if (!object.contains("metadata") || !object["metadata"].is_object()) return "";
  const json value = object["metadata"].value(key, json());
  return value.is_string() ? value.get<std::string>() : "";
}

// How Go's decoder begins to say what is wrong with a text.
std::string JsonError(const std::string& text) {
  if (text.empty()) return "unexpected end of JSON input";
  try {
    [[maybe_unused]] const json parsed = json::parse(text);
    return "";
  } catch (const json::parse_error& error) {
    if (error.byte > text.size()) return "unexpected end of JSON input";
    return std::string("invalid character '") + text[error.byte == 0 ? 0 : error.byte - 1] + "'";
  }
}

Status Unrecognized(const ResourceRequest& resource, const std::string& error) {
  return BadRequest("the object provided is unrecognized (must be of type " + resource.resource.kind +
                    "): couldn't get version/kind; json parse error: " + error);
}

// The type that a body states, if it does, must be the one of the path.
std::optional<Status> RefuseType(const ResourceRequest& resource, const json& object) {
  const std::string kind = object.value("kind", "");
  const std::string version = object.value("apiVersion", "");
  if ((kind.empty() || kind == resource.resource.kind) && (version.empty() || version == resource.ApiVersion())) {
    return std::nullopt;
  }
  if (kind == "Event" && kind == resource.resource.kind && (version == "v1" || version == "events.k8s.io/v1")) {
    return BadRequest("the API version in the data (" + version + ") does not match the expected API version (" +
                      resource.ApiVersion() + ")");
  }
  return BadRequest((kind.empty() ? resource.resource.kind : kind) + " in version \"" + resource.version +
                    "\" cannot be handled as a " + resource.resource.kind + ": unknown conversion");
}

OrStatus<json> ReadPatchDocument(const Request& request, const std::string& type) {
  const bool strategic = type == "application/strategic-merge-patch+json";
  const bool operations = type == "application/json-patch+json";
  const std::string prefix = strategic ? "" : "error decoding patch: ";
  const std::string error = JsonError(request.body);
  if (!error.empty()) return Refuse(BadRequest(prefix + error));
  json patch = json::parse(request.body);
  if (operations ? patch.is_array() : patch.is_object()) return patch;
  const std::string wanted = operations ? "[]handlers.jsonPatchOp" : "map[string]interface {}";
  return Refuse(BadRequest(prefix + "json: cannot unmarshal " + GoTypeOf(patch) + " into Go value of type " + wanted));
}

std::optional<Status> RefuseVersion(const ResourceRequest& resource, const std::string& version,
                                    const StoredIdentity* stored) {
  if (version.empty() || version == "0") return std::nullopt;
  if (version.find_first_not_of("0123456789") != std::string::npos) {
    return PlainError("strconv.ParseUint: parsing \"" + version + "\": invalid syntax");
  }
  if (stored == nullptr || version == std::to_string(stored->resource_version)) return std::nullopt;
  return Conflict(resource.resource, resource.name,
                  "the object has been modified; please apply your changes to the latest version and try again");
}

// An update is refused by the storage, a patch by the validation that it has to pass before.
std::optional<Status> RefuseUid(const ResourceRequest& resource, const std::string& uid, const StoredIdentity* stored) {
  if (uid.empty() || stored == nullptr || uid == stored->uid) return std::nullopt;
  if (resource.verb == "patch") {
    const std::string message = "Invalid value: \"" + uid + "\": field is immutable";
    return Invalid(resource.resource, resource.name, {{"FieldValueInvalid", message, "metadata.uid"}});
  }
  return Conflict(resource.resource, resource.name,
                  "StorageError: invalid object, Code: 4, Key: /registry/" + resource.resource.resource + "/" +
                      resource.Key() + ", ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in " +
                      "precondition: " + uid + ", UID in object meta: " + stored->uid);
}

// Deletions name the kind where other messages name the resource.
std::optional<Status> RefusePrecondition(const ResourceRequest& resource, const char* what, const std::string& wanted,
                                         const std::string& stored, const char* hint) {
  if (wanted.empty() || wanted == stored) return std::nullopt;
  const std::string& kind = resource.resource.kind;
  const std::string field = what;
  return Conflict({resource.resource.group, kind, kind}, resource.name,
                  "the " + field + " in the precondition (" + wanted + ") does not match the " + field +
                      " in record (" + stored + "). The object might have been " + hint);
}

}  // namespace

std::string GoTypeOf(const json& value) { return value.is_boolean() ? "bool" : value.type_name(); }

std::string Manager(const Request& request) {
  const std::string manager = request.user_agent.substr(0, request.user_agent.find('/'));
  return manager.empty() ? "unknown" : manager;
}

OrStatus<json> ReadBody(const Request& request, const ResourceRequest& resource) {
  const std::string type = MediaType(request);
  if (!type.empty() && type != "application/json") {
    return Refuse(
        UnsupportedMediaType("the body of the request was in an unknown format - accepted media types "
                             "include: application/json, application/yaml, "
                             "application/vnd.kubernetes.protobuf"));
  }
  if (request.body.size() > kMaxBody) return Refuse(RequestTooLarge(kMaxBody));
  const std::string error = JsonError(request.body);
  if (!error.empty()) {
    return Refuse(Unrecognized(resource, error + " (" + (request.body.empty() ? "<empty>" : request.body) + ")"));
  }
  json object = json::parse(request.body);
  if (!object.is_object()) {
    return Refuse(
        Unrecognized(resource, "json: cannot unmarshal " + GoTypeOf(object) + " into Go value of type struct"));
  }
  for (const char* key : {"kind", "apiVersion"}) {
    if (!object.value(key, json("")).is_string()) {
      return Refuse(Unrecognized(resource, std::string("json: cannot unmarshal into Go struct field .") + key));
    }
  }
  if (std::optional<Status> refusal = RefuseType(resource, object)) return Refuse(*refusal);
  if (!object.value("metadata", json()).is_object()) object["metadata"] = json::object();
  // A namespace in the body of an object that has none is passed over.
  if (resource.namespace_name.empty()) object["metadata"].erase("namespace");
  const std::string own = Metadata(object, "namespace");
  if (!own.empty() && own != resource.namespace_name) {
    return Refuse(BadRequest("the namespace of the provided object does not match the namespace sent on the request"));
  }
  if (!resource.namespace_name.empty()) object["metadata"]["namespace"] = resource.namespace_name;
  return object;
}

std::optional<Status> RefusePatchType(const Request& request) {
  const std::string type = MediaType(request);
  for (const char* known :
       {"application/merge-patch+json", "application/strategic-merge-patch+json", "application/json-patch+json"}) {
    if (type == known) return std::nullopt;
  }
  Status status = UnsupportedMediaType("415: Unsupported Media Type");
  status.details = true;
  return status;
}

OrStatus<json> ReadPatch(const Request& request, const ResourceRequest& resource, const json& current) {
  const std::string type = MediaType(request);
  OrStatus<json> patch = ReadPatchDocument(request, type);
  if (!patch) return patch;
  json patched = current;
  if (type == "application/json-patch+json") {
    try {
      patched = current.patch(*patch);
    } catch (const json::exception&) {  // an operation that is none, or does not apply
      return Refuse(RejectedPatch());
    }
    if (!patched.is_object()) return Refuse(RejectedPatch());
  } else {
    // No simulated kind has lists with merge keys, so that a strategic merge is a plain one.
    patched.merge_patch(*patch);
  }
  const std::string own = Metadata(patched, "namespace");
  if (own != Metadata(current, "namespace") && resource.kind != ResourceKind::kNamespace) {
    return Refuse(BadRequest("the namespace of the provided object does not match the namespace sent on the request"));
  }
  return patched;
}

Status MistypedPatch(const json& patched, const std::string& error) {
  std::string text;
  AppendJsonString(text, patched.dump());
  return Invalid({}, "", {{"FieldValueInvalid", "Invalid value: " + text + ": " + error, "patch"}});
}

std::optional<Status> RefuseReplacement(const ResourceRequest& resource, const json& object,
                                        const StoredIdentity* stored) {
  const std::string name = Metadata(object, "name");
  if (name.empty()) {
    return BadRequest("the name of the object (" + resource.name +
                      " based on URL) was undeterminable: name must be provided");
  }
  if (name != resource.name) {
    return BadRequest("the name of the object (" + name + ") does not match the name on the URL (" + resource.name +
                      ")");
  }
  if (std::optional<Status> refusal = RefuseVersion(resource, Metadata(object, "resourceVersion"), stored)) {
    return refusal;
  }
  return RefuseUid(resource, Metadata(object, "uid"), stored);
}

std::optional<Status> RefuseDeletion(const Request& request, const ResourceRequest& resource,
                                     const StoredIdentity& stored) {
  const json options = json::parse(request.body, nullptr, false);
  if (!options.is_object() || !options.value("preconditions", json()).is_object()) return std::nullopt;
  const auto wanted = [&](const char* key) {
    const json value = options["preconditions"].value(key, json());
    return value.is_string() ? value.get<std::string>() : std::string();
  };
  if (auto refusal = RefusePrecondition(resource, "UID", wanted("uid"), stored.uid, "deleted and then recreated")) {
    return refusal;
  }
  return RefusePrecondition(resource, "ResourceVersion", wanted("resourceVersion"),
                            std::to_string(stored.resource_version), "modified");
}

Reply DeletedReply(const ResourceRequest& resource, const std::string& uid) {
  json details = {{"name", resource.name}, {"kind", resource.resource.resource}, {"uid", uid}};
  if (!resource.resource.group.empty()) details["group"] = resource.resource.group;
  const json status = {{"kind", "Status"},
                       {"apiVersion", "v1"},
                       {"metadata", json::object()},
                       {"status", "Success"},
                       {"details", details}};
  return JsonReply(status.dump() + "\n");
}

}  // namespace kube_events::sim
