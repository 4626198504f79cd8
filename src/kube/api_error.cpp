#include "kube_events/kube/api_error.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "kube_events/base/text.h"

namespace kube_events {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxQuoted = 300;
constexpr std::string_view kTooLarge = "Too large resource version";
constexpr int kUnprocessable = 422;

// What a metav1.Status says; everything may be missing.
struct Status {
  int code = 0;
  std::string reason;
  std::string message;
  bool too_large = false;
  std::optional<std::chrono::milliseconds> retry_after;
};

std::string StringAt(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string{};
}

std::optional<int> NumberAt(const json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number_integer()) return {};
  const auto value = found->get<std::int64_t>();
  return value >= 0 && value <= 86'400 ? std::optional<int>(static_cast<int>(value)) : std::nullopt;
}

// Servers since 1.18.6 name the reason of the cause, those before give it as the cause's message.
bool HasTooLargeCause(const json& details) {
  const auto causes = details.find("causes");
  if (causes == details.end() || !causes->is_array()) return false;
  for (const json& cause : *causes) {
    if (!cause.is_object()) continue;
    if (StringAt(cause, "reason") == "ResourceVersionTooLarge" || StringAt(cause, "message") == kTooLarge) return true;
  }
  return false;
}

Status ParseStatus(std::string_view text) {
  Status status;
  const json object = json::parse(text, nullptr, false);
  if (!object.is_object()) {
    status.message = Shortened(Trimmed(text), kMaxQuoted);
    return status;
  }
  status.code = NumberAt(object, "code").value_or(0);
  status.reason = Shortened(StringAt(object, "reason"), 64);
  status.message = Shortened(StringAt(object, "message"), kMaxQuoted);
  // Servers before 1.17 say it in the message alone.
  status.too_large = status.message.find(kTooLarge) != std::string::npos;
  const auto details = object.find("details");
  if (details == object.end() || !details->is_object()) return status;
  status.too_large = status.too_large || HasTooLargeCause(*details);
  const auto seconds = NumberAt(*details, "retryAfterSeconds");
  if (seconds && *seconds > 0) status.retry_after = std::chrono::seconds{*seconds};
  return status;
}

ErrorKind KindOf(const Status& status) {
  if (status.too_large || status.code == 410 || status.reason == "Expired" || status.reason == "Gone") {
    return ErrorKind::kExpired;
  }
  switch (status.code) {
    case 401:
      return ErrorKind::kUnauthenticated;
    case 403:
      return ErrorKind::kForbidden;
    case 404:
      return ErrorKind::kNotFound;
    case 409:
      return ErrorKind::kConflict;
    default:
      return ErrorKind::kRetry;
  }
}

// What a request is about, and what an administrator might do where it fails.
struct Subject {
  std::string text;  // `list of events in API group "" in all namespaces`
  bool one_object = false;
  std::string remedy_forbidden;
};

Subject SubjectOf(std::string_view verb, const Scope& scope) {
  const std::string group(GroupOf(scope.api));
  const std::string where =
      scope.namespace_name.empty() ? "in all namespaces" : "in namespace \"" + scope.namespace_name + "\"";
  return {std::string(verb) + " of events in API group \"" + group + "\" " + where, false,
          "; grant verbs list and watch on events to the exporter's service account"};
}

Subject SubjectOf(std::string_view verb, const ObjectPath& path) {
  return {std::string(verb) + " of " + ToString(path), true,
          "; grant verb " + std::string(verb) + " on " + path.resource + " in API group \"" + path.group +
              "\" to the exporter's service account"};
}

std::string_view Outcome(ErrorKind kind, bool one_object) {
  switch (kind) {
    case ErrorKind::kExpired:
      return "was refused because its resource version is not available any more";
    case ErrorKind::kUnauthenticated:
      return "was refused because the API server does not accept the credentials";
    case ErrorKind::kForbidden:
      return "is forbidden";
    case ErrorKind::kNotFound:
      return one_object ? "failed because it does not exist" : "failed because the API server does not know the path";
    case ErrorKind::kConflict:
      return one_object ? "failed because somebody else has written it" : "failed";
    default:
      return "failed";
  }
}

std::string Remedy(ErrorKind kind, int code, const Subject& subject) {
  switch (kind) {
    case ErrorKind::kUnauthenticated:
      return "; check that the token or client certificate is valid and not expired";
    case ErrorKind::kForbidden:
      return subject.remedy_forbidden;
    case ErrorKind::kNotFound:
      return subject.one_object ? "" : "; check the server's address and path, and --event-api";
    default:
      break;
  }
  if (code >= 300 && code < 400) return "; redirects are not followed: use the address that the server redirects to";
  if (!subject.one_object && (code == 400 || code == kUnprocessable)) {
    return "; check --label-selector, --field-selector and --namespaces";
  }
  return "";
}

// The word for metrics: the server's own if it gave one.
std::string ReasonOf(const Status& status) {
  if (status.too_large) return "ResourceVersionTooLarge";
  if (!status.reason.empty()) return status.reason;
  switch (status.code) {
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "NotFound";
    case 409:
      return "Conflict";
    case 410:
      return "Expired";
    case 413:
      return "RequestEntityTooLarge";
    case 429:
      return "TooManyRequests";
    case 502:
      return "BadGateway";
    case 503:
      return "ServiceUnavailable";
    case 504:
      return "Timeout";
    default:
      return status.code >= 500 ? "ServerError" : "";
  }
}

bool NothingToRepeat(int code) {
  constexpr std::array kCodes{400, 405, 413, 415, kUnprocessable};
  return std::find(kCodes.begin(), kCodes.end(), code) != kCodes.end();
}

Error ToError(const Status& status, const Subject& subject) {
  Error error;
  error.kind = subject.one_object && NothingToRepeat(status.code) ? ErrorKind::kInvalid : KindOf(status);
  error.reason = ReasonOf(status);
  error.retry_after = status.retry_after;
  error.message = subject.text + " " + std::string(Outcome(error.kind, subject.one_object));
  if (status.code != 0) error.message += " (" + std::to_string(status.code) + ")";
  if (!status.message.empty()) error.message += ": " + status.message;
  error.message += Remedy(error.kind, status.code, subject);
  return error;
}

// The status line counts; a proxy may have replaced the body, but never the other way round.
Error FromResponse(const HttpHead& head, std::string_view body, const Subject& subject) {
  Status status = ParseStatus(body);
  status.code = head.status;
  if (head.retry_after) status.retry_after = *head.retry_after;
  return ToError(status, subject);
}

}  // namespace

Error ErrorFromResponse(const HttpHead& head, std::string_view body, std::string_view verb, const Scope& scope) {
  return FromResponse(head, body, SubjectOf(verb, scope));
}

Error ErrorFromResponse(const HttpHead& head, std::string_view body, std::string_view verb, const ObjectPath& path) {
  return FromResponse(head, body, SubjectOf(verb, path));
}

Error ErrorFromStatus(std::string_view status_json, std::string_view verb, const Scope& scope) {
  return ToError(ParseStatus(status_json), SubjectOf(verb, scope));
}

}  // namespace kube_events
