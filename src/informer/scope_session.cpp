#include "kube_events/informer/scope_session.h"

#include <algorithm>
#include <utility>

#include "kube_events/base/duration.h"
#include "kube_events/base/resource_version.h"
#include "kube_events/kube/api_error.h"

namespace kube_events {
namespace {

// A page of 500 Events is about 0.6 MB. Parsing takes some times a page's size, and containers have limits.
constexpr std::size_t kMaxListBytes = std::size_t{64} << 20;
constexpr std::size_t kMaxErrorBytes = std::size_t{64} << 10;
// So many frames in a row that cannot be decoded: not a bad object but a bad stream.
constexpr int kMaxUndecodableInARow = 1000;

WatchMachineOptions MachineOptions(const SessionOptions& options, const Clock& clock) {
  WatchMachineOptions machine;
  machine.watch_interval = options.watch_interval;
  machine.seed = options.seed;
  if (options.resume) {
    machine.resume_from = options.resume->version;
    const auto downtime =
        std::chrono::duration_cast<std::chrono::milliseconds>(clock.Wall() - options.resume->observed_until);
    machine.downtime = std::max(downtime, std::chrono::milliseconds{0});
  }
  return machine;
}

ChangeKind ToChangeKind(FrameType type) {
  if (type == FrameType::kDeleted) return ChangeKind::kDeleted;
  return type == FrameType::kAdded ? ChangeKind::kAdded : ChangeKind::kModified;
}

}  // namespace

ScopeSession::ScopeSession(ScopeIndex index, Scope scope, SessionOptions options, SessionParts parts)
    : index_(index),
      scope_(std::move(scope)),
      options_(options),
      parts_(std::move(parts)),
      machine_(MachineOptions(options, parts_.clock)),
      server_clock_(parts_.clock),
      trouble_log_(parts_.log, parts_.clock),
      undecodable_log_(parts_.log, parts_.clock),
      reader_(parts_.decoder) {
  if (options.resume) observed_until_ = options.resume->observed_until;
}

void ScopeSession::Start() {
  PublishState("scope " + scope_.Name() + ": the first list of Events is not complete");
  Feed(Started{});
}

ScopePosition ScopeSession::Position() {
  // While it brings what was written long before, nothing tells that it has missed nothing until now.
  const bool up_to_date = !ComesBefore(machine_.position(), resumed_until_);
  if (IsWatching() && up_to_date) observed_until_ = server_clock_.Now();
  return {machine_.position(), observed_until_};
}

bool ScopeSession::Poll() {
  bool progress = false;
  if (timer_ && *timer_ <= parts_.clock.Monotonic()) {
    timer_.reset();
    Feed(TimerFired{});
    progress = true;
  }
  if (inbox_ && inbox_->Take(batch_)) {
    TakeBatch();
    progress = true;
  }
  return progress;
}

void ScopeSession::Feed(const WatchInput& input) {
  for (const WatchEffect& effect : machine_.Handle(input, parts_.clock.Monotonic())) {
    std::visit([this](const auto& what) { Do(what); }, effect);
  }
}

// ---- requests and what they bring --------------------------------------------------------------------------------

void ScopeSession::Begin(Request request) {
  exchange_.reset();
  request_ = request;
  head_ = {};
  body_.clear();
  reader_.Reset();
  undecodable_in_a_row_ = 0;
  inbox_ = std::make_unique<StreamInbox>(parts_.doorbell);
}

void ScopeSession::Adopt(Result<std::unique_ptr<HttpExchange>> exchange) {
  if (exchange) {
    exchange_ = std::move(*exchange);
  } else {
    Fail(exchange.error());
  }
}

void ScopeSession::TakeBatch() {
  // Each step may end the request; what it brought after that is of no interest.
  const auto request = ended_requests_;
  if (batch_.head) TakeHead(*batch_.head);
  if (request == ended_requests_ && !batch_.bytes.empty()) TakeBytes(batch_.bytes);
  if (request == ended_requests_ && batch_.paused) exchange_->Resume();
  if (request == ended_requests_ && batch_.end) TakeEnd(*batch_.end);
}

void ScopeSession::TakeHead(const HttpHead& head) {
  head_ = head;
  if (head.date) server_clock_.Observe(*head.date);
  if (request_ != Request::kWatch || head.status != 200) return;
  parts_.monitor.OnRequest("watch", RequestOutcome::kGranted, nullptr);
  Feed(WatchOpened{});
  PublishState({});
}

void ScopeSession::TakeBytes(std::string_view bytes) {
  if (head_.status != 200) {
    body_.append(bytes.substr(0, kMaxErrorBytes - std::min(kMaxErrorBytes, body_.size())));
  } else if (request_ == Request::kWatch) {
    TakeFrames(bytes);
  } else if (body_.size() + bytes.size() > kMaxListBytes) {
    Fail({ErrorKind::kInvalid, "a list page is larger than 64 MiB; lower --list-page-size", {}, "too_large"});
  } else {
    body_.append(bytes);
  }
}

void ScopeSession::TakeEnd(const Result<void>& result) {
  if (!result) {
    Fail(result.error());
  } else if (head_.status != 200) {
    Fail(ErrorFromResponse(head_, body_, request_ == Request::kWatch ? "watch" : "list", scope_));
  } else if (request_ == Request::kWatch) {
    EndRequest(std::nullopt);
    Feed(RequestEnded{});
    PublishState(BeingOpened());
  } else {
    TakePage();
  }
}

void ScopeSession::TakePage() {
  body_.reserve(body_.size() + kJsonPadding);
  auto meta = parts_.decoder.DecodeListMeta(body_);
  if (!meta) {
    Fail(meta.error());
    return;
  }
  if (!meta->continue_token.empty() && meta->continue_token == continue_token_) {
    Fail({ErrorKind::kInvalid, "the API server gives the same continue token again and again", {}, "continue"});
    return;
  }
  // The request is still the one under way: its items may turn out to be broken.
  Feed(PageReceived{std::move(meta->resource_version), std::move(meta->continue_token)});
}

void ScopeSession::TakeFrames(std::string_view bytes) {
  const auto request = ended_requests_;
  const Arrival arrival{parts_.clock.Wall(), server_clock_.Now()};
  reader_.Append(bytes);
  while (request == ended_requests_) {
    const auto frame = reader_.Next();
    if (!frame) break;
    if (*frame) {
      TakeFrame(**frame, arrival);
    } else {
      SkipUndecodable(frame->error().message, arrival);
    }
  }
}

void ScopeSession::TakeFrame(const WatchFrame& frame, const Arrival& arrival) {
  undecodable_in_a_row_ = 0;
  parts_.monitor.OnFrame(&frame.type, arrival.time);
  if (frame.type == FrameType::kError) {
    Fail(ErrorFromStatus(frame.raw_object.substr(0, kMaxErrorBytes), "watch", scope_));
    return;
  }
  if (frame.type != FrameType::kBookmark) {
    parts_.consumer.OnChange({index_, ToChangeKind(frame.type), frame.event, frame.raw_object, arrival.server_time});
  }
  // Only now: a change that was not handed over must come again.
  machine_.Advance(frame.resource_version);
}

void ScopeSession::SkipUndecodable(const std::string& why, const Arrival& arrival) {
  parts_.monitor.OnFrame(nullptr, arrival.time);
  undecodable_log_.Note("a watch frame cannot be decoded and is skipped: " + why, {{"scope", scope_.Name()}});
  if (++undecodable_in_a_row_ >= kMaxUndecodableInARow) {
    Fail({ErrorKind::kInvalid, "nothing in the watch stream can be decoded: " + why, {}, "undecodable"});
  }
}

// ---- ends --------------------------------------------------------------------------------------------------------

void ScopeSession::Fail(Error error) {
  const std::string_view verb = Verb();
  EndRequest(error);
  Feed(RequestEnded{error});
  NoteTrouble(verb, error);
}

void ScopeSession::NoteTrouble(std::string_view verb, const Error& error) {
  std::string trouble = "scope " + scope_.Name() + ": " + error.message;
  trouble_log_.Note(trouble, {{"verb", verb}, {"kind", ToString(error.kind)}});
  PublishState(std::move(trouble));
}

// Ends the request under way; with an error, it counts as failed.
void ScopeSession::EndRequest(std::optional<Error> error) {
  if (error) parts_.monitor.OnRequest(Verb(), RequestOutcome::kFailed, &*error);
  exchange_.reset();
  inbox_.reset();
  request_ = Request::kNone;
  ++ended_requests_;
}

void ScopeSession::PublishState(std::string trouble) {
  const bool open = IsWatching();
  if (open) trouble_log_.Over("the watch is open again", {"scope", scope_.Name()});
  parts_.monitor.OnScopeState(scope_, {machine_.synced(), machine_.watches_last(), open, std::move(trouble)});
}

}  // namespace kube_events
