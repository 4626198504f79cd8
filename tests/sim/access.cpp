#include "sim/access.h"

#include <algorithm>

namespace kube_events::sim {
namespace {

constexpr std::string_view kAnonymous = "system:anonymous";

bool Fits(std::string_view pattern, std::string_view value) { return pattern == "*" || pattern == value; }

// A path ends in * where everything below it is meant, as in RBAC's nonResourceURLs.
bool FitsPath(std::string_view pattern, std::string_view path) {
  if (!pattern.ends_with('*')) return pattern == path;
  pattern.remove_suffix(1);
  return path.starts_with(pattern);
}

bool Matches(const AccessRule& rule, const AccessQuestion& question) {
  if (!Fits(rule.user, question.user) || !Fits(rule.verb, question.verb)) return false;
  if (rule.path.empty() != question.path.empty()) return false;
  if (!rule.path.empty()) return FitsPath(rule.path, question.path);
  return Fits(rule.group, question.group) && Fits(rule.resource, question.resource) &&
         Fits(rule.namespace_name, question.namespace_name);
}

}  // namespace

std::optional<std::string> AccessControl::User(const Request& request) const {
  constexpr std::string_view kBearer = "Bearer ";
  if (!request.client_name.empty()) return request.client_name;
  // Other schemes than Bearer are none at all to the API server.
  if (tokens_.empty() || !request.authorization.starts_with(kBearer)) return std::string(kAnonymous);
  return UserOfToken(std::string_view(request.authorization).substr(kBearer.size()));
}

std::optional<std::string> AccessControl::UserOfToken(std::string_view token) const {
  const auto found = tokens_.find(std::string(token));
  if (found == tokens_.end()) return std::nullopt;
  return found->second;
}

bool AccessControl::Allows(const AccessQuestion& question) const {
  const auto matches = [&](const AccessRule& rule) { return Matches(rule, question); };
  const bool stranger = question.user == kAnonymous && !tokens_.empty();
  if (std::any_of(denied_.begin(), denied_.end(), matches)) return false;
  if (!allowed_) return !stranger;
  return std::any_of(allowed_->begin(), allowed_->end(), [&](const AccessRule& rule) {
    return Matches(rule, question) && (!stranger || rule.user == kAnonymous);
  });
}

std::optional<Status> AccessControl::Refusal(const std::string& user, const ResourceRequest& request) const {
  const ResourceName& resource = request.resource;
  if (Allows({user, request.verb, resource.group, resource.resource, request.namespace_name, {}})) return std::nullopt;
  return Forbidden(resource, request.name, user, request.verb, request.namespace_name);
}

std::optional<Status> AccessControl::RefusePath(const std::string& user, std::string_view verb,
                                                std::string_view path) const {
  if (Allows({.user = user, .verb = std::string(verb), .path = std::string(path)})) return std::nullopt;
  return ForbiddenPath(user, verb, path);
}

}  // namespace kube_events::sim
