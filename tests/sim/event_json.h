// Events as JSON of either API, both ways. Pure functions, any thread.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "kube_events/base/result.h"
#include "sim/event_object.h"

namespace kube_events::sim {

// "v1" or "events.k8s.io/v1".
const char* ApiVersion(Api api);

// Appends `"metadata":{…},…}` : everything behind the opening brace and the type, so that one rendering serves
// watch frames (which state kind and apiVersion) and list items (which do not).
void AppendEventFields(std::string& out, const EventObject& event, Api api);

// Appends the whole object with kind and apiVersion.
void AppendEvent(std::string& out, const EventObject& event, Api api);

// Reads the object that a client sends. Unknown fields are dropped, null counts as absent; server-owned metadata is
// read too. Fails with kInvalid where a field has the wrong type; the message names it as the real server does.
Result<EventObject> ParseEvent(const nlohmann::json& json, Api api);

}  // namespace kube_events::sim
