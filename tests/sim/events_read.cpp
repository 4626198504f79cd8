#include <algorithm>
#include <limits>
#include <utility>

#include "sim/continue_token.h"
#include "sim/event_json.h"
#include "sim/events_api.h"
#include "sim/json_text.h"

namespace kube_events::sim {
namespace {

struct ListPlan {
  ListQuery query;
  std::size_t total = 0;  // Events from the start of this page on
  bool first_page = true;
};

// What a list says, or the Status that refuses it.
using PlanOrStatus = std::pair<std::optional<ListPlan>, Status>;

PlanOrStatus Refuse(Status status) { return {std::nullopt, std::move(status)}; }

std::string BadVersion(std::string_view text) {
  return "resourceVersion: Invalid value: \"" + std::string(text) + "\": strconv.ParseUint: parsing \"" +
         std::string(text) + "\": invalid syntax";
}

// A page that goes on where another one ended.
PlanOrStatus PlanContinue(const Request& request, const EventStore& store, ListPlan plan) {
  if (!request.Query("resourceVersion").empty() || !request.Query("resourceVersionMatch").empty()) {
    return Refuse(BadRequest("specifying resource version is not allowed when using continue"));
  }
  const std::optional<ContinueToken> token = DecodeContinue(request.Query("continue"));
  if (!token) return Refuse(BadRequest("invalid continue token: continue key is not valid: illegal base64 data"));
  const std::uint64_t current = store.Revision();
  plan.first_page = false;
  plan.query.start = plan.query.prefix + token->start;
  plan.query.revision = token->revision < 0 ? current : static_cast<std::uint64_t>(token->revision);
  plan.total = token->remaining;
  if (plan.query.revision < store.CompactedRevision()) {
    return Refuse(ExpiredContinue(EncodeContinue({-1, token->start, token->remaining})));
  }
  if (plan.query.revision > current) return Refuse(BadRequest("continue token is of a future revision"));
  return {std::move(plan), {}};
}

// The first page: which revision it is to show.
PlanOrStatus PlanFirst(const Request& request, const EventStore& store, ListPlan plan) {
  const std::string_view match = request.Query("resourceVersionMatch");
  const std::string_view text = request.Query("resourceVersion");
  const std::optional<std::uint64_t> wanted = request.QueryNumber("resourceVersion");
  if (!text.empty() && !wanted) {
    return Refuse(BadRequest("invalid resource version: " + BadVersion(text)));
  }
  if (!match.empty() && text.empty()) {
    return Refuse(InvalidListOptions("resourceVersionMatch",
                                     "resourceVersionMatch is forbidden unless resourceVersion is provided"));
  }
  if (match == "Exact" && wanted == 0U) {
    return Refuse(InvalidListOptions("resourceVersionMatch",
                                     "resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\""));
  }
  const std::uint64_t current = store.Revision();
  // A version with a limit and without a match means exactly that version, as ever.
  const bool exact = wanted.value_or(0) != 0 && (match == "Exact" || (match.empty() && plan.query.limit != 0));
  plan.query.revision = exact ? *wanted : current;
  plan.total = store.Count(plan.query.prefix);
  if (wanted.value_or(0) > current) return Refuse(TooLargeResourceVersion(*wanted, current));
  if (plan.query.revision < store.CompactedRevision()) return Refuse(ExpiredList());
  return {std::move(plan), {}};
}

std::string RenderList(const ListPage& page, const ListPlan& plan, Api api, bool selected) {
  std::string out;
  out.reserve(256 + page.items.size() * 1536);
  out.append(R"({"kind":"EventList","apiVersion":")").append(ApiVersion(api));
  out.append(R"(","metadata":{"resourceVersion":")");
  AppendNumber(out, plan.query.revision);
  out += '"';
  if (page.more) {
    const std::size_t left = plan.total > page.items.size() ? plan.total - page.items.size() : 0;
    // A key and a zero byte: the smallest key behind it.
    const std::string start = page.last_key.substr(plan.query.prefix.size()) + '\0';
    out.append(R"(,"continue":")");
    out.append(EncodeContinue({static_cast<std::int64_t>(plan.query.revision), start, left}));
    out += '"';
    if (!selected) {
      out.append(R"(,"remainingItemCount":)");
      AppendNumber(out, std::uint64_t{left});
    }
  }
  out += R"(},"items":[)";
  for (const StoredEventPtr& item : page.items) {
    if (out.back() == '}') out += ',';
    out.append("{").append(item->Fields(api));
  }
  return out + "]}\n";
}

// What the server answers to a watch that it does not accept.
std::optional<Status> RefuseWatch(const Request& request) {
  const bool initial = !request.Query("sendInitialEvents").empty();
  const std::string_view match = request.Query("resourceVersionMatch");
  const std::string field = "resourceVersionMatch";
  if (!request.Query("continue").empty()) {
    return InvalidListOptions(field, "resourceVersionMatch is forbidden when continue is provided");
  }
  if (!initial && !match.empty()) {
    return InvalidListOptions(field,
                              "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided");
  }
  if (initial && match != "NotOlderThan") {
    return InvalidListOptions(field, "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan");
  }
  return std::nullopt;
}

}  // namespace

Reply EventsApi::List(const Request& request, const ResourceRequest& resource) {
  const Result<Selector> selector =
      Selector::Parse(request.Query("labelSelector"), request.Query("fieldSelector"), resource.api);
  if (!selector) return StatusReply(BadRequest(selector.error().message));
  ListPlan plan;
  plan.query.prefix = resource.namespace_name.empty() ? "" : resource.namespace_name + "/";
  const std::string_view limit = request.Query("limit");
  plan.query.limit = request.QueryNumber("limit").value_or(0);
  // Below 0 is no limit either.
  if (!limit.empty() && !request.QueryNumber("limit") && !limit.starts_with('-')) {
    return StatusReply(BadRequest("strconv.ParseInt: parsing \"" + std::string(limit) + "\": invalid syntax"));
  }
  PlanOrStatus planned = request.Query("continue").empty() ? PlanFirst(request, store_, std::move(plan))
                                                           : PlanContinue(request, store_, std::move(plan));
  if (!planned.first) return StatusReply(planned.second);
  planned.first->query.selector = selector->empty() ? nullptr : &*selector;
  if (planned.first->first_page && first_list_revision_ == 0) first_list_revision_ = planned.first->query.revision;
  const ListPage page = store_.List(planned.first->query);
  return JsonReply(RenderList(page, *planned.first, resource.api, !selector->empty()));
}

Reply EventsApi::Watch(const Request& request, const ResourceRequest& resource, const std::optional<Fault>& fault) {
  if (const std::optional<Status> refusal = RefuseWatch(request)) return StatusReply(*refusal);
  Result<Selector> selector =
      Selector::Parse(request.Query("labelSelector"), request.Query("fieldSelector"), resource.api);
  if (!selector) return StatusReply(BadRequest(selector.error().message));
  const std::string_view text = request.Query("resourceVersion");
  const std::optional<std::uint64_t> version = request.QueryNumber("resourceVersion");
  if (!text.empty() && !version) {
    return StatusReply(PlainError(BadVersion(text)));
  }
  const bool initial_events = request.QueryIsTrue("sendInitialEvents");
  WatchOptions options;
  options.api = resource.api;
  options.namespace_name = resource.namespace_name;
  options.selector = std::move(*selector);
  options.after = version.value_or(0);
  options.initial_state = initial_events || options.after == 0;
  options.initial_bookmark = initial_events && request.QueryIsTrue("allowWatchBookmarks");
  options.fault = fault;
  // Not refusals but streams of one frame: Events are not in the watch cache.
  if (initial_events && options.after > store_.Revision()) {
    constexpr int kRetryAfter = 3;
    options.error =
        TooLargeResourceVersion(options.after, store_.Revision(), TooLargeSpelling::kCauseType, kRetryAfter);
  } else if (!options.initial_state && !store_.CanWatchFrom(options.after)) {
    options.error = ExpiredWatch();
  }
  Reply reply;
  reply.stream = std::make_unique<WatchStream>(std::move(options), store_, hub_);
  if (const auto timeout = request.QueryNumber("timeoutSeconds"); timeout.value_or(0) > 0) {
    reply.deadline = std::chrono::seconds{std::min<std::uint64_t>(*timeout, 86'400)};
  }
  return reply;
}

Reply EventsApi::Get(const ResourceRequest& resource) {
  const StoredEventPtr found = store_.Get(resource.namespace_name + "/" + resource.name);
  if (found == nullptr) return StatusReply(NotFound(resource.resource, resource.name));
  std::string body;
  AppendEvent(body, found->object(), resource.api);
  return JsonReply(body + "\n");
}

}  // namespace kube_events::sim
