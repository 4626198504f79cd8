// What creating, updating, patching and deleting have in common for objects of every kind: reading bodies and patches,
// and the preconditions that a client states. Pure functions, any thread. The wording is that of kube-apiserver 1.36.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "sim/api_request.h"
#include "sim/resource_request.h"
#include "sim/status.h"

namespace kube_events::sim {

// What Go calls the type of a value: "string", "number", "bool", "array", "object", "null".
std::string GoTypeOf(const nlohmann::json& value);

// Who manages the fields that a request writes: the program that its User-Agent names.
std::string Manager(const Request& request);

// The object in the body of a create or an update, its namespace filled in from the path; refuses other media types
// than JSON, other kinds and other namespaces.
OrStatus<nlohmann::json> ReadBody(const Request& request, const ResourceRequest& resource);

// What a patch of one of the kinds that Kubernetes knows, but for server-side apply, makes of `current`.
OrStatus<nlohmann::json> ReadPatch(const Request& request, const ResourceRequest& resource,
                                   const nlohmann::json& current);
// The 415 for a body that no patch can be in.
std::optional<Status> RefusePatchType(const Request& request);
// The 422 for a patch that makes an object of wrong types: `error` says of which.
Status MistypedPatch(const nlohmann::json& patched, const std::string& error);

// What is stored under the name that a request is about.
struct StoredIdentity {
  std::string uid;
  std::uint64_t resource_version = 0;
};

// Whether `object` may replace what is stored: it must have the name and namespace of the path, and the uid and
// resourceVersion that are stored, or none. `stored`: null where nothing is.
std::optional<Status> RefuseReplacement(const ResourceRequest& resource, const nlohmann::json& object,
                                        const StoredIdentity* stored);
// The preconditions in the body of a delete.
std::optional<Status> RefuseDeletion(const Request& request, const ResourceRequest& resource,
                                     const StoredIdentity& stored);
Reply DeletedReply(const ResourceRequest& resource, const std::string& uid);

}  // namespace kube_events::sim
