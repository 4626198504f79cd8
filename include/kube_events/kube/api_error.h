// Turns what the API server says when it refuses into an Error whose kind tells the informer what to do.
// Pure functions, any thread.
#pragma once

#include <string_view>

#include "kube_events/base/error.h"
#include "kube_events/kube/object_path.h"
#include "kube_events/kube/scope.h"
#include "kube_events/net/http_client.h"

namespace kube_events {

// For a response with a status other than 2xx. `body`: the metav1.Status, or anything (it is quoted shortened).
// `verb`: "list" or "watch". The message names verb, resource, group and scope, so that an administrator sees which
// RBAC rule is missing. Kinds: 401 kUnauthenticated; 403 kForbidden; 404 kNotFound; 410 and "too large resource
// version" in its three spellings kExpired; 409 kConflict; 429, 5xx and the rest kRetry, with the wait that the
// Retry-After header or details.retryAfterSeconds asks for.
Error ErrorFromResponse(const HttpHead& head, std::string_view body, std::string_view verb, const Scope& scope);

// The same for a request about one object. `verb`: "get", "create" or "update", as RBAC spells them. What no repetition
// can mend is kInvalid here: 400, 405, 413, 415 and 422.
Error ErrorFromResponse(const HttpHead& head, std::string_view body, std::string_view verb, const ObjectPath& path);

// For the object of an in-stream ERROR frame, a metav1.Status in which everything may be missing.
Error ErrorFromStatus(std::string_view status_json, std::string_view verb, const Scope& scope);

}  // namespace kube_events
