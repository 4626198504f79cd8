// What the machine of a ScopeSession wants done.
#include <chrono>
#include <utility>

#include "kube_events/base/duration.h"
#include "kube_events/informer/scope_session.h"

namespace kube_events {
namespace {

// The server closes a watch this long after we would have replaced it, and we give up another while later.
constexpr std::chrono::seconds kServerTimeoutSlack{60}, kIdleSlack{10};

}  // namespace

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
  if (effect.resumed) {
    resumed_until_ = effect.version;
  } else {
    resumed_until_.clear();
    observed_until_ = server_clock_.Now();
  }
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

}  // namespace kube_events
