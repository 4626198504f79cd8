// metav1.Status: how the API server says no. Pure functions, any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

namespace kube_events::sim {

struct StatusCause {
  std::string reason = {};
  std::string message = {};
  std::string field = {};
};

struct Status {
  int code = 500;
  std::string reason = {};  // "NotFound"; empty: left out
  std::string message = {};
  std::string continue_token = {};  // metadata.continue
  // details
  std::string name = {};
  std::string group = {};
  std::string kind = {};  // for most reasons the resource: "events"
  std::vector<StatusCause> causes = {};
  int retry_after_seconds = 0;  // also sent as Retry-After header
  bool details = false;         // "details" is there even if it is empty

  // The object as the server writes it, one line without the newline.
  std::string ToJson() const;
};

// What was asked for, or how it is refused: `return Refuse(NotFound(…));`
template <typename T>
using OrStatus = tl::expected<T, Status>;
inline tl::unexpected<Status> Refuse(Status status) { return tl::unexpected<Status>(std::move(status)); }

// The names of one resource in messages and details.
struct ResourceName {
  std::string group = {};     // "" or "events.k8s.io"
  std::string resource = {};  // "events"
  std::string kind = {};      // "Event"

  // "events" or "events.events.k8s.io".
  std::string Qualified() const { return group.empty() ? resource : resource + "." + group; }
};

Status BadRequest(std::string message);
Status Unauthorized();
// `verb`: as RBAC calls it; `namespace_name`: empty for the cluster scope.
Status Forbidden(const ResourceName& resource, std::string_view name, std::string_view user, std::string_view verb,
                 std::string_view namespace_name);
// … to a path that is no resource.
Status ForbiddenPath(std::string_view user, std::string_view verb, std::string_view path);
Status NotFound(const ResourceName& resource, std::string_view name);
// A resource that the server does not know, of an API that it does.
Status PathNotFound();
Status AlreadyExists(const ResourceName& resource, std::string_view name);
Status Conflict(const ResourceName& resource, std::string_view name, std::string_view message);
Status Invalid(const ResourceName& resource, std::string_view name, std::vector<StatusCause> causes);
Status MethodNotAllowed();
Status UnsupportedMediaType(std::string message);
// A body above `limit` bytes.
Status RequestTooLarge(std::size_t limit);
Status TooManyRequests(int retry_after_seconds);
Status InternalError(std::string_view message);
// An error that nobody gave a reason: 500 with nothing but a message.
Status PlainError(std::string message);
// Query parameters that contradict each other.
Status InvalidListOptions(std::string field, std::string message);
// A JSON patch that does not apply to the object.
Status RejectedPatch();
// The history that a watch or a list at a revision needs is compacted.
Status ExpiredWatch();
Status ExpiredList();
// `continue_token`: for going on inconsistently, at the current revision.
Status ExpiredContinue(std::string continue_token);
Status ExpiredContinueWithoutToken();

// How servers of different ages say that a resourceVersion is in the future.
enum class TooLargeSpelling {
  kCauseType,     // since 1.18.6: details.causes[].reason ResourceVersionTooLarge
  kCauseMessage,  // 1.17.0 to 1.18.5: a cause with only the message
  kMessageOnly,   // before: only the text of the message
};
Status TooLargeResourceVersion(std::uint64_t wanted, std::uint64_t current,
                               TooLargeSpelling spelling = TooLargeSpelling::kCauseType, int retry_after_seconds = 0);

}  // namespace kube_events::sim
