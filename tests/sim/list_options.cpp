#include "sim/list_options.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "sim/continue_token.h"
#include "sim/json_text.h"

namespace kube_events::sim {
namespace {

const char* const kMatchField = "resourceVersionMatch";

StatusCause Forbid(std::string field, std::string message) {
  return {"FieldValueForbidden", "Forbidden: " + std::move(message), std::move(field)};
}
StatusCause NotSupported(std::string_view value, std::string supported) {
  return {"FieldValueNotSupported",
          "Unsupported value: \"" + std::string(value) + "\": supported values: " + std::move(supported), kMatchField};
}

std::optional<Status> RefuseCauses(std::vector<StatusCause> causes) {
  if (causes.empty()) return std::nullopt;
  return Invalid({"meta.k8s.io", "", "ListOptions"}, "", std::move(causes));
}

bool AllDigits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// What Go's strconv says about a text that is no number of 64 bits.
std::string NumberError(std::string_view function, std::string_view text) {
  const std::string what = AllDigits(text) ? "value out of range" : "invalid syntax";
  return "strconv." + std::string(function) + ": parsing \"" + std::string(text) + "\": " + what;
}

std::string VersionError(std::string_view text) {
  return "resourceVersion: Invalid value: \"" + std::string(text) + "\": " + NumberError("ParseUint", text);
}

// Whole numbers of either sign.
std::optional<Status> RefuseNumbers(const Request& request) {
  for (const char* name : {"limit", "timeoutSeconds"}) {
    if (!request.QueryHas(name)) continue;
    std::string_view text = request.Query(name);
    const std::string_view all = text;
    if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
    constexpr std::size_t kDigits = 18;  // fit into 63 bits
    if (!AllDigits(text) || text.size() > kDigits) return BadRequest(NumberError("ParseInt", all));
  }
  return std::nullopt;
}

// A page that goes on where another one ended.
OrStatus<ListOptions> ReadContinue(const Request& request, RevisionRange range, ListOptions options) {
  const std::string_view version = request.Query("resourceVersion");
  if (!version.empty() && version != "0") {
    return Refuse(BadRequest("specifying resource version is not allowed when using continue"));
  }
  const Result<ContinueToken> token = DecodeContinue(request.Query("continue"));
  if (!token) return Refuse(BadRequest("invalid continue token: " + token.error().message));
  options.start = options.prefix + token->start;
  // A token of an expired list goes on with what is there now.
  const bool consistent = token->revision >= 0;
  options.revision = consistent ? static_cast<std::uint64_t>(token->revision) : range.current;
  if (consistent) options.total = token->remaining;
  if (options.revision > range.current) return Refuse(TooLargeResourceVersion(options.revision, range.current));
  if (options.revision < range.compacted) {
    return Refuse(ExpiredContinue(EncodeContinue({-1, token->start, token->remaining})));
  }
  return options;
}

}  // namespace

std::optional<Status> RefuseListParameters(const Request& request) {
  if (std::optional<Status> refusal = RefuseNumbers(request)) return refusal;
  const std::string_view match = request.Query(kMatchField);
  std::vector<StatusCause> causes;
  if (!match.empty()) {
    const std::string_view version = request.Query("resourceVersion");
    if (version.empty()) {
      causes.push_back(Forbid(kMatchField, "resourceVersionMatch is forbidden unless resourceVersion is provided"));
    }
    if (!request.Query("continue").empty()) {
      causes.push_back(Forbid(kMatchField, "resourceVersionMatch is forbidden when continue is provided"));
    }
    if (match != "Exact" && match != "NotOlderThan") {
      causes.push_back(NotSupported(match, R"("Exact", "NotOlderThan", "")"));
    }
    if (match == "Exact" && version == "0") {
      causes.push_back(Forbid(kMatchField, "resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\""));
    }
  }
  if (request.QueryHas("sendInitialEvents")) {
    causes.push_back(Forbid("sendInitialEvents", "sendInitialEvents is forbidden for list"));
  }
  return RefuseCauses(std::move(causes));
}

std::optional<Status> RefuseWatchParameters(const Request& request) {
  if (std::optional<Status> refusal = RefuseNumbers(request)) return refusal;
  const std::string_view match = request.Query(kMatchField);
  const bool initial = request.QueryHas("sendInitialEvents");
  std::vector<StatusCause> causes;
  if (initial && match != "NotOlderThan") {
    causes.push_back(Forbid(kMatchField, "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"));
  }
  if (!initial && !match.empty()) {
    causes.push_back(
        Forbid(kMatchField, "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided"));
  }
  if (!match.empty() && match != "NotOlderThan") causes.push_back(NotSupported(match, R"("NotOlderThan")"));
  if (!request.Query("continue").empty()) {
    causes.push_back(Forbid(kMatchField, "resourceVersionMatch is forbidden when continue is provided"));
  }
  return RefuseCauses(std::move(causes));
}

OrStatus<ListOptions> ReadListOptions(const Request& request, const ResourceRequest& resource, RevisionRange range) {
  ListOptions options;
  // The one name of a namespace is its own.
  const bool in_namespace = !resource.namespace_name.empty() && resource.kind != ResourceKind::kNamespace;
  if (in_namespace) options.prefix = resource.namespace_name + "/";
  options.limit = request.QueryNumber("limit").value_or(0);  // below 0 is no limit either
  if (!request.Query("continue").empty()) return ReadContinue(request, range, std::move(options));
  const std::string_view text = request.Query("resourceVersion");
  const std::string_view match = request.Query(kMatchField);
  const std::optional<std::uint64_t> wanted = request.QueryNumber("resourceVersion");
  if (!text.empty() && !wanted) return Refuse(BadRequest("invalid resource version: " + VersionError(text)));
  // A version with a limit and without a match means exactly that version, as ever.
  const bool exact = wanted.value_or(0) != 0 && (match == "Exact" || (match.empty() && options.limit != 0));
  options.revision = exact ? *wanted : range.current;
  if (wanted.value_or(0) > range.current) {
    // Where there is a watch cache, it waits for the version first, and then asks for patience.
    const bool cache = resource.kind != ResourceKind::kEvent && options.limit == 0;
    return Refuse(TooLargeResourceVersion(*wanted, range.current, TooLargeSpelling::kCauseType, cache ? 1 : 0));
  }
  if (options.revision < range.compacted) return Refuse(ExpiredList());
  return options;
}

OrStatus<std::uint64_t> ReadWatchVersion(const Request& request) {
  const std::string_view text = request.Query("resourceVersion");
  const std::optional<std::uint64_t> version = request.QueryNumber("resourceVersion");
  if (!text.empty() && !version) return Refuse(PlainError(VersionError(text)));
  return version.value_or(0);
}

std::string ListHead(const ListOptions& options, const ResourceRequest& resource, const PageEnd& end) {
  std::string out = R"({"kind":")" + resource.resource.kind + R"(List","apiVersion":")" + resource.ApiVersion();
  out += R"(","metadata":{"resourceVersion":")";
  AppendNumber(out, options.revision);
  out += '"';
  if (end.more) {
    const std::size_t left = end.total > end.items ? end.total - end.items : 0;
    // A key and a zero byte: the smallest key behind it.
    const std::string start = end.last_key.substr(options.prefix.size()) + '\0';
    out.append(R"(,"continue":")");
    out.append(EncodeContinue({static_cast<std::int64_t>(options.revision), start, left}));
    out += '"';
    if (!end.selected) {
      out.append(R"(,"remainingItemCount":)");
      AppendNumber(out, std::uint64_t{left});
    }
  }
  return out + R"(},"items":[)";
}

}  // namespace kube_events::sim
