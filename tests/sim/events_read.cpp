#include <algorithm>
#include <utility>

#include "sim/event_json.h"
#include "sim/events_api.h"
#include "sim/list_options.h"

namespace kube_events::sim {
namespace {

std::string RenderList(const ListOptions& options, const ResourceRequest& resource, const ListPage& page,
                       const PageEnd& end) {
  std::string out;
  out.reserve(512 + page.items.size() * 1536);
  out += ListHead(options, resource, end);
  for (const StoredEventPtr& item : page.items) {
    if (out.back() == '}') out += ',';
    out.append("{").append(item->Fields(resource.api));
  }
  return out + "]}\n";
}

std::string NamespacePrefix(const Selector& selector) {
  const std::optional<std::string> name = selector.Namespace();
  return name && !name->empty() ? *name + "/" : "";
}

}  // namespace

Reply EventsApi::List(const Request& request, const ResourceRequest& resource) {
  if (const std::optional<Status> refusal = RefuseListParameters(request)) return StatusReply(*refusal);
  const Result<Selector> selector =
      Selector::Parse(request.Query("labelSelector"), request.Query("fieldSelector"), resource.api);
  if (!selector) return StatusReply(BadRequest(selector.error().message));
  OrStatus<ListOptions> options = ReadListOptions(request, resource, {store_.Revision(), store_.CompactedRevision()});
  if (!options) return StatusReply(options.error());
  // A selected namespace is read as if the path named it, but only on the first page: kube-apiserver 1.36 takes its own
  // token for one of all namespaces then, and loses its place.
  if (options->prefix.empty() && options->start.empty()) options->prefix = NamespacePrefix(*selector);
  if (options->start.empty() && first_list_revision_ == 0) first_list_revision_ = options->revision;
  const ListQuery query{options->prefix, options->start, options->revision, options->limit,
                        selector->empty() ? nullptr : &*selector};
  const ListPage page = store_.List(query);
  PageEnd end{page.more, page.items.size(), page.last_key, 0, !selector->empty()};
  if (page.more) end.total = options->total ? *options->total : store_.Count(query);
  return JsonReply(RenderList(*options, resource, page, end));
}

Reply EventsApi::Watch(const Request& request, const ResourceRequest& resource, const std::optional<Fault>& fault) {
  if (const std::optional<Status> refusal = RefuseWatchParameters(request)) return StatusReply(*refusal);
  Result<Selector> selector =
      Selector::Parse(request.Query("labelSelector"), request.Query("fieldSelector"), resource.api);
  if (!selector) return StatusReply(BadRequest(selector.error().message));
  const OrStatus<std::uint64_t> version = ReadWatchVersion(request);
  if (!version) return StatusReply(version.error());
  const bool initial_events = request.QueryIsTrue("sendInitialEvents");
  WatchOptions options;
  options.api = resource.api;
  options.namespace_name = resource.namespace_name;
  options.selector = std::move(*selector);
  options.after = *version;
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
  const StoredEventPtr found = store_.Get(resource.Key());
  if (found == nullptr) return StatusReply(NotFound(resource.resource, resource.name));
  std::string body;
  AppendEvent(body, found->object(), resource.api);
  return JsonReply(body + "\n");
}

}  // namespace kube_events::sim
