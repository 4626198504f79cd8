#include "kube_events/informer/scope_session.h"

#include <algorithm>
#include <utility>

#include "kube_events/base/duration.h"
#include "kube_events/kube/api_error.h"

namespace kube_events {
namespace {

// A page of 500 Events is about 0.6 MB. Parsing takes some times a page's size, and containers have limits.
constexpr std::size_t kMaxListBytes = std::size_t{64} << 20;
constexpr std::size_t kMaxErrorBytes = std::size_t{64} << 10;
// So many frames in a row that cannot be decoded: not a bad object but a bad stream.
constexpr int kMaxUndecodableInARow = 1000;
// The server closes a watch this long after we would have replaced it, and we give up another while later.
constexpr std::chrono::seconds kServerTimeoutSlack{60}, kIdleSlack{10};

WatchMachineOptions MachineOptions(const SessionOptions& options) {
  WatchMachineOptions machine;
  machine.watch_interval = options.watch_interval;
  machine.seed = options.seed;
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
      machine_(MachineOptions(options)),
      server_clock_(parts_.clock),
      trouble_log_(parts_.log, parts_.clock),
      undecodable_log_(parts_.log, parts_.clock),
      reader_(parts_.decoder) {}

void ScopeSession::Start() {
  PublishState("scope " + scope_.Name() + ": the first list of Events is not complete");
  Feed(Started{});
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

// ---- what the machine wants done -------------------------------------------------------------------------------

void ScopeSession::Feed(const WatchInput& input) {
  for (const WatchEffect& effect : machine_.Handle(input, parts_.clock.Monotonic())) {
    std::visit([this](const auto& what) { Do(what); }, effect);
  }
}

void ScopeSession::Do(const BeginList& effect) {
  listed_ = 0;
  parts_.consumer.OnListBegin(index_, effect.reason, server_clock_.Now());
  if (effect.reason == ListReason::kRestored) {
    parts_.log.Error(
        "the API server's resourceVersion is below ours: etcd was restored or replaced; counting goes on "
        "from its present state",
        {{"scope", scope_.Name()}, {"position", machine_.position()}});
  }
}

void ScopeSession::Do(const RequestPage& effect) {
  if (effect.continue_token.empty()) parts_.monitor.OnRequest("list", RequestOutcome::kStarted, nullptr);
  Begin(Request::kList);
  continue_token_ = effect.continue_token;
  Adopt(parts_.client.ListEvents(scope_, {options_.list_page_size, effect.continue_token}, *inbox_));
}

void ScopeSession::Do(const ProbeVersion&) {
  Begin(Request::kProbe);
  Adopt(parts_.client.ListEvents(scope_, {1, ""}, *inbox_));
}

void ScopeSession::Do(const DeliverItems&) {
  const auto deliver = [this, now = server_clock_.Now()](const Event& event, std::string_view raw) {
    parts_.consumer.OnChange({index_, ChangeKind::kListed, event, raw, now});
  };
  const auto page = parts_.decoder.DecodeList(body_, deliver);
  if (!page) {
    Fail(page.error());
    return;
  }
  listed_ += page->items;
  for (std::size_t i = 0; i < page->skipped; ++i) parts_.monitor.OnFrame(nullptr, parts_.clock.Wall());
  if (page->skipped > 0) {
    undecodable_log_.Note("list items cannot be decoded and are skipped, for example: " + page->first_problem,
                          {{"scope", scope_.Name()}});
  }
  Feed(PageDelivered{});
}

void ScopeSession::Do(const CommitList& effect) {
  parts_.log.Info("the list of Events is complete; they are watched from here on",
                  {{"scope", scope_.Name()}, {"events", listed_}});
  parts_.consumer.OnListCommitted(index_, effect.version, server_clock_.Now());
  parts_.monitor.OnRequest("list", RequestOutcome::kGranted, nullptr);
  body_ = std::string();  // pages are large and lists are rare
}

void ScopeSession::Do(const OpenWatch& effect) {
  parts_.monitor.OnRequest("watch", RequestOutcome::kStarted, nullptr);
  Begin(Request::kWatch);
  const auto timeout = std::chrono::ceil<std::chrono::seconds>(options_.watch_interval) + kServerTimeoutSlack;
  Adopt(parts_.client.WatchEvents(scope_, {effect.resource_version, timeout, timeout + kIdleSlack}, *inbox_));
}

void ScopeSession::Do(const CancelRequest& effect) {
  const std::string_view verb = Verb();
  EndRequest(effect.error);
  if (effect.error) {
    NoteTrouble(verb, *effect.error);
  } else {
    PublishState(BeingOpened());  // the grace period for the next one begins now
  }
}

void ScopeSession::Do(const StartTimer& effect) { timer_ = parts_.clock.Monotonic() + effect.delay; }

void ScopeSession::Do(const RefreshCredentials&) { parts_.client.RefreshCredentials(); }

void ScopeSession::Do(const ReportRelist& effect) {
  parts_.monitor.OnRelist(effect.reason);
  parts_.log.Info("the watch cannot be continued; Events are listed again",
                  {{"scope", scope_.Name()}, {"reason", effect.reason}, {"position", machine_.position()}});
}

void ScopeSession::Do(const ReportGap& effect) {
  parts_.monitor.OnGap(scope_, effect.length);
  parts_.log.Warn("Events that were created and deleted meanwhile may be missing",
                  {{"scope", scope_.Name()}, {"gap", FormatDuration(effect.length)}});
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
  const bool open = machine_.phase() == WatchPhase::kWatching && request_ == Request::kWatch;
  if (open) trouble_log_.Over("the watch is open again", {"scope", scope_.Name()});
  parts_.monitor.OnScopeState(scope_, {machine_.synced(), machine_.watches_last(), open, std::move(trouble)});
}

}  // namespace kube_events
