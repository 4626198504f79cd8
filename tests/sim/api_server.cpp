#include "sim/api_server.h"

#include <algorithm>
#include <cctype>
#include <chrono>

#include "sim/control.h"
#include "sim/fault_status.h"
#include "sim/gzip_reply.h"

namespace kube_events::sim {
namespace {

bool SameLoad(const LoadOptions& a, const LoadOptions& b) {
  return a.seed == b.seed && a.objects == b.objects && a.namespaces == b.namespaces && a.nodes == b.nodes;
}

}  // namespace

ApiServer::ApiServer(const SimServerOptions& options, const Clock& clock)
    : clock_(clock),
      history_(options.history),
      strict_namespaces_(options.strict_namespaces),
      store_({options.history, options.first_revision, options.seed}, clock),
      events_(store_, hub_, clock, options.seed),
      objects_(store_, clock, options.seed),
      reviews_(access_, clock) {
  access_.SetTokens(options.tokens);
  store_.SetObserver([this] { hub_.Notify(); });
}

Reply ApiServer::Handle(const Request& request) {
  if (request.path.starts_with("/sim/v1/")) return HandleControl(*this, request);
  const std::optional<ResourceRequest> resource = ParseResource(request);
  Reply reply = resource ? HandleResource(request, *resource) : HandlePath(request);
  CompressReply(request, reply);
  return reply;
}

Reply ApiServer::HandlePath(const Request& request) {
  if (request.path == "/healthz" || request.path == "/livez" || request.path == "/readyz") return TextReply("ok");
  if (request.path == "/version") {
    return JsonReply(R"({"major":"1","minor":"36","gitVersion":"v1.36.1-simulated","platform":"linux/amd64"})");
  }
  const std::optional<std::string> user = access_.User(request);
  if (!user) return StatusReply(Unauthorized());
  std::string verb = request.method;
  std::transform(verb.begin(), verb.end(), verb.begin(), [](unsigned char c) { return std::tolower(c); });
  if (const auto refusal = access_.RefusePath(*user, verb, request.path)) return StatusReply(*refusal);
  return TextReply("404 page not found\n", 404);
}

Reply ApiServer::HandleResource(const Request& request, const ResourceRequest& resource) {
  const bool events = resource.kind == ResourceKind::kEvent;
  ++requests_[events ? resource.verb : resource.verb + " " + resource.resource.resource];
  const std::optional<Fault> fault =
      faults_.Take({resource.verb, resource.resource.group, resource.resource.resource, resource.namespace_name});
  Reply reply;
  if (fault && fault->action == FaultAction::kStatus) {
    reply = StatusReply(FaultStatus(*fault));
    if (!fault->text.empty()) reply.body = fault->text;
  } else if (fault && fault->action == FaultAction::kBody) {
    reply = JsonReply(fault->text);
  } else if (const std::optional<std::string> user = access_.User(request); !user) {
    return StatusReply(Unauthorized());
  } else if (const std::optional<Status> refusal = access_.Refusal(*user, resource)) {
    return StatusReply(*refusal);
  } else {
    reply = Dispatch(request, resource, fault);
    reply.fault = fault;
    if (fault && reply.stream == nullptr) ++faults_met_;  // a stream counts it itself
    return reply;
  }
  ++faults_met_;
  if (fault->delay_ms > 0) reply.fault = Fault{.action = FaultAction::kDelay, .delay_ms = fault->delay_ms};
  return reply;
}

Reply ApiServer::Dispatch(const Request& request, const ResourceRequest& resource, const std::optional<Fault>& fault) {
  if (!resource.known_group) return TextReply("404 page not found\n", 404);
  if (const std::optional<Status> refusal = RefuseRoute(resource)) return StatusReply(*refusal);
  const bool into_namespace = resource.verb == "create" && !resource.namespace_name.empty();
  if (strict_namespaces_ && into_namespace && !objects_.HasNamespace(resource.namespace_name)) {
    return StatusReply(NotFound({"", "namespaces", "Namespace"}, resource.namespace_name));
  }
  switch (resource.kind) {
    case ResourceKind::kEvent:
      return events_.Handle(request, resource, fault);
    case ResourceKind::kTokenReview:
    case ResourceKind::kSubjectAccessReview:
      return reviews_.Handle(request, resource);
    default:
      return objects_.Handle(request, resource);
  }
}

SimState ApiServer::State() const {
  SimState state;
  state.revision = store_.Revision();
  state.compacted_revision = store_.CompactedRevision();
  state.objects = store_.Size();
  state.watches = hub_.size();
  state.frames_sent = hub_.frames_sent();
  state.requests = requests_;
  state.faults_added = faults_.hits_added();
  state.faults_met = faults_met_ + hub_.faults_met();
  state.first_list_revision = events_.first_list_revision();
  state.mark = mark_;
  state.hidden = store_.hidden();
  state.load_running = load_running_;
  state.load_changes = load_ == nullptr ? 0 : load_->changes();
  return state;
}

std::uint64_t ApiServer::Mark() {
  events_.ForgetLists();
  return mark_ = store_.Revision();
}

void ApiServer::Rewind(std::uint64_t revision) {
  hub_.Drop(DropMode::kReset);
  if (revision < store_.CompactedRevision()) return;
  objects_.Rewind(revision);
  store_.Rewind(revision);
}

void ApiServer::PrepareLoad(const LoadOptions& options) {
  load_running_ = false;
  load_ = std::make_unique<LoadGenerator>(options, store_, truth_, clock_);
  load_->Preload();
}

void ApiServer::StartLoad(const LoadOptions& options) {
  if (load_ == nullptr || !SameLoad(load_->options(), options)) PrepareLoad(options);
  load_->SetOptions(options);
  load_due_ = 0;
  load_running_ = true;
}

bool ApiServer::RecordTape(std::size_t changes, Api api) {
  if (changes > history_) return false;
  if (load_ == nullptr) PrepareLoad({});
  load_running_ = false;
  tape_rate_ = 0;
  store_.Hide();
  for (const std::uint64_t end = load_->changes() + changes; load_->changes() < end;) load_->Step();
  store_.RenderHidden(api);
  return true;
}

void ApiServer::PlayTape(double rate) {
  tape_rate_ = rate;
  tape_due_ = 0;
  if (rate == 0) store_.Reveal(store_.hidden());
}

void ApiServer::DriveTape(std::chrono::nanoseconds elapsed) {
  if (tape_rate_ == 0 || store_.hidden() == 0) return;
  tape_due_ += tape_rate_ * std::min(1.0, std::chrono::duration<double>(elapsed).count());
  const auto due = static_cast<std::size_t>(tape_due_);
  tape_due_ -= static_cast<double>(due);
  if (due > 0) store_.Reveal(due);
}

void ApiServer::DriveLoad(std::chrono::nanoseconds elapsed, std::chrono::nanoseconds budget) {
  DriveTape(elapsed);
  if (!load_running_) return;
  const LoadOptions& options = load_->options();
  // A server that cannot keep the rate does not try to catch up with more than a second.
  load_due_ += options.rate * std::min(1.0, std::chrono::duration<double>(elapsed).count());
  load_due_ = std::min(load_due_, std::max(options.rate, 1.0));
  const auto end = std::chrono::steady_clock::now() + budget;
  while (load_due_ >= 1) {
    if (options.limit != 0 && load_->changes_since_options() >= options.limit) {
      load_running_ = false;
      return;
    }
    load_due_ -= static_cast<double>(load_->Step());
    if (std::chrono::steady_clock::now() >= end) return;
  }
}

}  // namespace kube_events::sim
