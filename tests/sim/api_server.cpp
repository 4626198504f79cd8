#include "sim/api_server.h"

#include <algorithm>
#include <chrono>

#include "sim/control.h"
#include "sim/fault_status.h"

namespace kube_events::sim {
namespace {

bool SameLoad(const LoadOptions& a, const LoadOptions& b) {
  return a.seed == b.seed && a.objects == b.objects && a.namespaces == b.namespaces && a.nodes == b.nodes;
}

}  // namespace

ApiServer::ApiServer(const SimServerOptions& options, const Clock& clock)
    : clock_(clock),
      history_(options.history),
      store_({options.history, options.first_revision, options.seed}, clock),
      events_(store_, hub_, clock, options.seed) {
  access_.SetTokens(options.tokens);
  store_.SetObserver([this] { hub_.Notify(); });
}

Reply ApiServer::Handle(const Request& request) {
  if (request.path.starts_with("/sim/v1/")) return HandleControl(*this, request);
  if (const std::optional<ResourceRequest> resource = ParseResource(request)) {
    return HandleResource(request, *resource);
  }
  if (request.path == "/healthz" || request.path == "/livez" || request.path == "/readyz") return TextReply("ok");
  if (request.path == "/version") {
    return JsonReply(R"({"major":"1","minor":"36","gitVersion":"v1.36.1-simulated","platform":"linux/amd64"})");
  }
  if (!access_.User(request)) return StatusReply(Unauthorized());
  const bool known = request.path.starts_with("/api/v1/") || request.path.starts_with("/apis/events.k8s.io/v1/");
  return known ? StatusReply(PathNotFound()) : TextReply("404 page not found\n", 404);
}

Reply ApiServer::HandleResource(const Request& request, const ResourceRequest& resource) {
  ++requests_[resource.verb];
  const std::optional<Fault> fault = faults_.Take(resource.verb, resource.resource.group, resource.namespace_name);
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
    reply = events_.Handle(request, resource, fault);
    reply.fault = fault;
    return reply;
  }
  if (fault->delay_ms > 0) reply.fault = Fault{.action = FaultAction::kDelay, .delay_ms = fault->delay_ms};
  return reply;
}

SimState ApiServer::State() const {
  SimState state;
  state.revision = store_.Revision();
  state.compacted_revision = store_.CompactedRevision();
  state.objects = store_.Size();
  state.watches = hub_.size();
  state.frames_sent = hub_.frames_sent();
  state.requests = requests_;
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
