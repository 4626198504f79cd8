// Who may do what. Server thread only.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/api_request.h"
#include "sim/status.h"

namespace kube_events::sim {

// Refuses what it matches, as a missing RBAC rule does.
struct AccessRule {
  std::string user = "*";
  std::string verb = "*";
  std::string group = "*";  // "" is core
  std::string resource = "*";
  std::string namespace_name = "*";  // "" is the cluster scope: requests for all namespaces
};

class AccessControl {
 public:
  // Bearer tokens and their users; with none, everybody is admitted as system:anonymous.
  void SetTokens(std::map<std::string, std::string> tokens) { tokens_ = std::move(tokens); }
  void SetDenied(std::vector<AccessRule> rules) { denied_ = std::move(rules); }

  // The user of a request: that of its token or its client certificate; nothing where it has to be answered with 401.
  std::optional<std::string> User(const Request& request) const;
  // The 403 for this user and request; nothing where it is allowed.
  std::optional<Status> Refusal(const std::string& user, const ResourceRequest& request) const;

 private:
  std::map<std::string, std::string> tokens_;
  std::vector<AccessRule> denied_;
};

}  // namespace kube_events::sim
