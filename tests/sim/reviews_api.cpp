#include "sim/reviews_api.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "sim/json_text.h"
#include "sim/object_schema.h"
#include "sim/write_request.h"

namespace kube_events::sim {
namespace {

using nlohmann::json;

constexpr std::string_view kAudience = "https://kubernetes.default.svc";

std::string Text(const json& object, const char* key) {
  const json value = object.value(key, json());
  return value.is_string() ? value.get<std::string>() : "";
}

// The groups that every user of a kind is in.
json GroupsOf(const std::string& user) {
  constexpr std::string_view kServiceAccount = "system:serviceaccount:";
  json groups = json::array();
  if (user.starts_with(kServiceAccount)) {
    const std::string rest = user.substr(kServiceAccount.size());
    groups.push_back("system:serviceaccounts");
    groups.push_back("system:serviceaccounts:" + rest.substr(0, rest.find(':')));
  }
  groups.push_back("system:authenticated");
  return groups;
}

json ReviewToken(const json& spec, const AccessControl& access) {
  const json audiences = spec.value("audiences", json::array({kAudience}));
  const bool meant = std::find(audiences.begin(), audiences.end(), kAudience) != audiences.end();
  const std::optional<std::string> user = access.UserOfToken(Text(spec, "token"));
  if (!user || !meant) return {{"user", json::object()}, {"error", "invalid bearer token"}};
  return {{"authenticated", true},
          {"user", {{"username", *user}, {"groups", GroupsOf(*user)}}},
          {"audiences", {kAudience}}};
}

std::optional<Status> RefuseToken(const json& spec) {
  if (!Text(spec, "token").empty()) return std::nullopt;
  return BadRequest("token is required for TokenReview in authentication");
}

json ReviewAccess(const json& spec, const AccessControl& access) {
  AccessQuestion question;
  question.user = Text(spec, "user");
  const bool about_path = spec.contains("nonResourceAttributes");
  const json& attributes = spec[about_path ? "nonResourceAttributes" : "resourceAttributes"];
  question.verb = Text(attributes, "verb");
  if (about_path) {
    question.path = Text(attributes, "path");
  } else {
    question.group = Text(attributes, "group");
    question.resource = Text(attributes, "resource");
    question.namespace_name = Text(attributes, "namespace");
  }
  return {{"allowed", access.Allows(question)}};
}

std::optional<Status> RefuseAccess(const ResourceRequest& resource, const json& spec) {
  const bool resources = spec.value("resourceAttributes", json()).is_object();
  const bool paths = spec.value("nonResourceAttributes", json()).is_object();
  Causes causes;
  if (resources && paths) {
    const json& attributes = spec["nonResourceAttributes"];
    const json shown = {{"Path", Text(attributes, "path")}, {"Verb", Text(attributes, "verb")}};
    causes.push_back({"FieldValueInvalid",
                      "Invalid value: " + shown.dump() + ": cannot be specified in combination with resourceAttributes",
                      "spec.nonResourceAttributes"});
  }
  if (!resources && !paths) {
    causes.push_back({"FieldValueInvalid",
                      "Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be "
                      "specified",
                      "spec.resourceAttributes"});
  }
  if (Text(spec, "user").empty() && !spec.contains("groups")) {
    AddInvalid(causes, "spec.user", "", "at least one of user or group must be specified");
  }
  if (causes.empty()) return std::nullopt;
  return Invalid({resource.resource.group, "", ""}, "", std::move(causes));
}

}  // namespace

Reply ReviewsApi::Handle(const Request& request, const ResourceRequest& resource) {
  const OrStatus<json> body = ReadBody(request, resource);
  if (!body) return StatusReply(body.error());
  Result<json> review = ConformObject(*body, resource.kind);
  const std::string& kind = resource.resource.kind;
  if (!review) {
    return StatusReply(
        BadRequest(kind + " in version \"v1\" cannot be handled as a " + kind + ": " + review.error().message));
  }
  const bool token = resource.kind == ResourceKind::kTokenReview;
  const json& spec = (*review)["spec"];
  if (const auto refusal = token ? RefuseToken(spec) : RefuseAccess(resource, spec)) return StatusReply(*refusal);
  const json fields =
      ObjectManagedFields({{"spec", spec}}, Manager(request), resource.ApiVersion(), TimeText(clock_.Wall()));
  const json answer = {{"kind", kind},
                       {"apiVersion", resource.ApiVersion()},
                       {"metadata", {{"managedFields", fields}}},
                       {"spec", spec},
                       {"status", token ? ReviewToken(spec, access_) : ReviewAccess(spec, access_)}};
  return JsonReply(answer.dump() + "\n", 201);
}

}  // namespace kube_events::sim
