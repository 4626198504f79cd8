// What the validation of all kinds is made of. Pure functions, any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/status.h"

namespace kube_events::sim {

using Causes = std::vector<StatusCause>;

void AddInvalid(Causes& causes, std::string field, std::string_view value, std::string_view message);
void AddRequired(Causes& causes, std::string field, std::string_view hint = "");

// metadata.name of a new object: there is one, and it is a DNS subdomain.
void ValidateName(Causes& causes, std::string_view name);
// "example.com/name" or "name".
void ValidateQualifiedName(Causes& causes, const std::string& field, std::string_view name);

// Whether there is a character and all of them are ASCII letters, digits, '-', '_' or '.'.
bool IsConfigKey(std::string_view key);

}  // namespace kube_events::sim
