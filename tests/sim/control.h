// The control requests under /sim/v1/, the C++ API of SimServer over HTTP (docs/testing.md lists them).
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "kube_events/base/result.h"
#include "sim/api_request.h"
#include "sim/load_generator.h"
#include "sim/truth.h"

namespace kube_events::sim {

class ApiServer;

// Errors are answered with 400 and a line of text that names what is wrong.
Reply HandleControl(ApiServer& server, const Request& request);

// Members named as in LoadOptions replace those of `options`; fails with kInvalid on others.
Result<LoadOptions> ParseLoadOptions(const nlohmann::json& json, LoadOptions options);
// [{"type", "involved_object_namespace", "involved_object_kind", "reason", "count"}]
nlohmann::json ToJson(const OccurrenceCounts& counts);

}  // namespace kube_events::sim
