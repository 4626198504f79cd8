#include "sim/status.h"

#include <utility>

#include "sim/json_text.h"

namespace kube_events::sim {
namespace {

void AppendMember(std::string& out, std::string_view key, std::string_view value) {
  if (value.empty()) return;
  if (out.back() != '{') out += ',';
  out.append("\"").append(key).append("\":");
  AppendJsonString(out, value);
}

void AppendCauses(std::string& out, const std::vector<StatusCause>& causes) {
  if (causes.empty()) return;
  if (out.back() != '{') out += ',';
  out += "\"causes\":[";
  for (const StatusCause& cause : causes) {
    if (out.back() == '}') out += ',';
    out += '{';
    AppendMember(out, "reason", cause.reason);
    AppendMember(out, "message", cause.message);
    AppendMember(out, "field", cause.field);
    out += '}';
  }
  out += ']';
}

std::string Details(const Status& status) {
  std::string out = "{";
  AppendMember(out, "name", status.name);
  AppendMember(out, "group", status.group);
  AppendMember(out, "kind", status.kind);
  AppendCauses(out, status.causes);
  if (status.retry_after_seconds > 0) {
    if (out.back() != '{') out += ',';
    out.append("\"retryAfterSeconds\":").append(std::to_string(status.retry_after_seconds));
  }
  return out + "}";
}

std::string Quoted(std::string_view name) { return "\"" + std::string(name) + "\""; }

Status Make(int code, std::string reason, std::string message) {
  Status status;
  status.code = code;
  status.reason = std::move(reason);
  status.message = std::move(message);
  return status;
}

Status WithDetails(Status status) {
  status.details = true;
  return status;
}

Status About(const ResourceName& resource, std::string_view name, Status status) {
  status.name = name;
  status.group = resource.group;
  status.kind = resource.resource;
  return status;
}

}  // namespace

std::string Status::ToJson() const {
  std::string out = R"({"kind":"Status","apiVersion":"v1","metadata":{)";
  AppendMember(out, "continue", continue_token);
  out += R"(},"status":"Failure")";
  AppendMember(out, "message", message);
  AppendMember(out, "reason", reason);
  const std::string details_text = Details(*this);
  if (details || details_text != "{}") out.append(",\"details\":").append(details_text);
  out.append(",\"code\":").append(std::to_string(code)).append("}");
  return out;
}

Status BadRequest(std::string message) { return Make(400, "BadRequest", std::move(message)); }
Status Unauthorized() { return Make(401, "Unauthorized", "Unauthorized"); }

Status Forbidden(const ResourceName& resource, std::string_view name, std::string_view user, std::string_view verb,
                 std::string_view namespace_name) {
  std::string message = resource.Qualified();
  if (!name.empty()) message += " " + Quoted(name);
  message.append(" is forbidden: User ").append(Quoted(user)).append(" cannot ").append(verb);
  message.append(" resource ").append(Quoted(resource.resource));
  message.append(" in API group ").append(Quoted(resource.group));
  message += namespace_name.empty() ? " at the cluster scope" : " in the namespace " + Quoted(namespace_name);
  return About(resource, name, Make(403, "Forbidden", std::move(message)));
}

Status ForbiddenPath(std::string_view user, std::string_view verb, std::string_view path) {
  std::string message = "forbidden: User " + Quoted(user) + " cannot ";
  message.append(verb).append(" path ").append(Quoted(path));
  return WithDetails(Make(403, "Forbidden", std::move(message)));
}

Status NotFound(const ResourceName& resource, std::string_view name) {
  return About(resource, name, Make(404, "NotFound", resource.Qualified() + " " + Quoted(name) + " not found"));
}

Status PathNotFound() { return WithDetails(Make(404, "NotFound", "the server could not find the requested resource")); }

Status AlreadyExists(const ResourceName& resource, std::string_view name) {
  return About(resource, name,
               Make(409, "AlreadyExists", resource.Qualified() + " " + Quoted(name) + " already exists"));
}

Status Conflict(const ResourceName& resource, std::string_view name, std::string_view message) {
  std::string text = "Operation cannot be fulfilled on " + resource.Qualified() + " " + Quoted(name) + ": ";
  text += message;
  return About(resource, name, Make(409, "Conflict", std::move(text)));
}

Status Invalid(const ResourceName& resource, std::string_view name, std::vector<StatusCause> causes) {
  const std::string kind = resource.group == "events.k8s.io" || resource.group.empty()
                               ? resource.kind
                               : resource.kind + "." + resource.group;
  std::string message = kind + " " + Quoted(name) + " is invalid: ";
  const bool many = causes.size() > 1;
  if (many) message += "[";
  for (std::size_t i = 0; i < causes.size(); ++i) {
    if (i > 0) message += ", ";
    message += causes[i].field + ": " + causes[i].message;
  }
  if (many) message += "]";
  Status status = About(resource, name, Make(422, "Invalid", std::move(message)));
  status.kind = resource.kind;
  // Events are validated as the internal type, which has no group.
  if (resource.group == "events.k8s.io") status.group.clear();
  status.causes = std::move(causes);
  return status;
}

Status MethodNotAllowed() {
  return WithDetails(Make(405, "MethodNotAllowed", "the server does not allow this method on the requested resource"));
}

Status PlainError(std::string message) { return Make(500, "", std::move(message)); }

Status InvalidListOptions(std::string field, std::string message) {
  const ResourceName options{"meta.k8s.io", "", "ListOptions"};
  return Invalid(options, "", {{"FieldValueForbidden", "Forbidden: " + std::move(message), std::move(field)}});
}

Status RejectedPatch() {
  return WithDetails(Make(422, "Invalid", "the server rejected our request due to an error in our request"));
}

Status UnsupportedMediaType(std::string message) { return Make(415, "UnsupportedMediaType", std::move(message)); }

Status RequestTooLarge(std::size_t limit) {
  return Make(413, "RequestEntityTooLarge", "Request entity too large: limit is " + std::to_string(limit));
}

Status TooManyRequests(int retry_after_seconds) {
  Status status = Make(429, "TooManyRequests", "Too many requests, please try again later.");
  status.retry_after_seconds = retry_after_seconds;
  return status;
}

Status InternalError(std::string_view message) {
  Status status = Make(500, "InternalError", "Internal error occurred: " + std::string(message));
  status.causes.push_back({"", std::string(message), ""});
  return status;
}

Status ExpiredWatch() { return Make(410, "Expired", "The resourceVersion for the provided watch is too old."); }
Status ExpiredList() { return Make(410, "Expired", "The resourceVersion for the provided list is too old."); }

Status ExpiredContinue(std::string continue_token) {
  Status status = Make(410, "Expired",
                       "The provided continue parameter is too old to display a consistent list result. You can start "
                       "a new list without the continue parameter, or use the continue token in this response to "
                       "retrieve the remainder of the results. Continuing with the provided token results in an "
                       "inconsistent list - objects that were created, modified, or deleted between the time the "
                       "first chunk was returned and now may show up in the list.");
  status.continue_token = std::move(continue_token);
  return status;
}

Status ExpiredContinueWithoutToken() {
  return Make(410, "Expired",
              "The provided continue parameter is too old to display a consistent list result. You can start a new "
              "list without the continue parameter.");
}

Status TooLargeResourceVersion(std::uint64_t wanted, std::uint64_t current, TooLargeSpelling spelling,
                               int retry_after_seconds) {
  const std::string text =
      "Too large resource version: " + std::to_string(wanted) + ", current: " + std::to_string(current);
  Status status = Make(504, "Timeout", "Timeout: " + text);
  status.retry_after_seconds = retry_after_seconds;
  if (spelling == TooLargeSpelling::kCauseType) {
    status.causes.push_back({"ResourceVersionTooLarge", "Too large resource version", ""});
  } else if (spelling == TooLargeSpelling::kCauseMessage) {
    status.causes.push_back({"", "Too large resource version", ""});
  }
  return status;
}

}  // namespace kube_events::sim
