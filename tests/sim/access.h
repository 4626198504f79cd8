// Who may do what. Server thread only.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/api_request.h"
#include "sim/resource_request.h"
#include "sim/status.h"

namespace kube_events::sim {

// What requests a line of the permission table is about; "*" matches everything.
struct AccessRule {
  std::string user = "*";
  std::string verb = "*";
  std::string group = "*";  // "" is core
  std::string resource = "*";
  std::string namespace_name = "*";  // "" is the cluster scope: requests for all namespaces
  // Set: not about resources but about other paths: "/metrics", "/debug/*", "*".
  std::string path = {};
};

// A question to the permission table.
struct AccessQuestion {
  std::string user = {};
  std::string verb = {};
  std::string group = {};
  std::string resource = {};
  std::string namespace_name = {};
  std::string path = {};  // set: about this path, not about a resource
};

class AccessControl {
 public:
  // Bearer tokens and their users. With none, everybody is admitted as system:anonymous, who then may do what others
  // may; with some, system:anonymous may only do what a rule allows by that name.
  void SetTokens(std::map<std::string, std::string> tokens) { tokens_ = std::move(tokens); }
  // Nothing: everything is allowed that is not denied. A denial beats a permission.
  void SetAllowed(std::optional<std::vector<AccessRule>> rules) { allowed_ = std::move(rules); }
  void SetDenied(std::vector<AccessRule> rules) { denied_ = std::move(rules); }

  // The user of a request: that of its client certificate, else of its token; nothing where the token is unknown and
  // the answer 401.
  std::optional<std::string> User(const Request& request) const;
  // The user of a token; nothing where it is unknown.
  std::optional<std::string> UserOfToken(std::string_view token) const;

  bool Allows(const AccessQuestion& question) const;
  // The 403 for this user and request; nothing where it is allowed.
  std::optional<Status> Refusal(const std::string& user, const ResourceRequest& request) const;
  // … for a path that is no resource; `verb`: "get".
  std::optional<Status> RefusePath(const std::string& user, std::string_view verb, std::string_view path) const;

 private:
  std::map<std::string, std::string> tokens_;
  std::optional<std::vector<AccessRule>> allowed_;
  std::vector<AccessRule> denied_;
};

}  // namespace kube_events::sim
