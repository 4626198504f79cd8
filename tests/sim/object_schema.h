// Which fields the simulated kinds other than Event have, and of which types. Pure functions, any thread.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "kube_events/base/result.h"
#include "sim/resource_request.h"
#include "sim/validation.h"

namespace kube_events::sim {

// `object` with nothing but the fields that its kind has, and without those that are null or, where Go's types cannot
// tell the difference, empty. Fails with kInvalid where one has the wrong type, worded as Go's decoder does.
Result<nlohmann::json> ConformObject(const nlohmann::json& object, ResourceKind kind);

// What validation finds wrong with an object that conforms.
Causes ValidateObject(const nlohmann::json& object, ResourceKind kind);

// The managedFields of an object that `manager` has written: `fieldsV1` of its present fields.
nlohmann::json ObjectManagedFields(const nlohmann::json& object, const std::string& manager,
                                   const std::string& api_version, const std::string& time);

}  // namespace kube_events::sim
