#include "sim/access.h"

#include <algorithm>

namespace kube_events::sim {
namespace {

bool Allows(std::string_view pattern, std::string_view value) { return pattern == "*" || pattern == value; }

}  // namespace

std::optional<std::string> AccessControl::User(const Request& request) const {
  constexpr std::string_view kBearer = "Bearer ";
  if (!request.client_name.empty()) return request.client_name;
  if (tokens_.empty()) return "system:anonymous";
  if (!request.authorization.starts_with(kBearer)) return std::nullopt;
  const auto found = tokens_.find(request.authorization.substr(kBearer.size()));
  if (found == tokens_.end()) return std::nullopt;
  return found->second;
}

std::optional<Status> AccessControl::Refusal(const std::string& user, const ResourceRequest& request) const {
  const bool denied = std::any_of(denied_.begin(), denied_.end(), [&](const AccessRule& rule) {
    return Allows(rule.user, user) && Allows(rule.verb, request.verb) && Allows(rule.group, request.resource.group) &&
           Allows(rule.resource, request.resource.resource) && Allows(rule.namespace_name, request.namespace_name);
  });
  if (!denied) return std::nullopt;
  return Forbidden(request.resource, request.name, user, request.verb, request.namespace_name);
}

}  // namespace kube_events::sim
