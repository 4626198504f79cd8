#include "kube_events/app/exporter_monitor.h"

namespace kube_events {

void ExporterMonitor::OnScopeState(const Scope& scope, const ScopeState& state) {
  const ScopeMetrics metrics = metrics_.Scope(scope.Name());
  metrics.synced.Set(state.synced ? 1 : 0);
  metrics.watch_open.Set(state.watch_open ? 1 : 0);
  const std::string condition = "scope " + scope.Name();
  if (state.synced && state.watch_open) {
    health_.SetReady(condition);
  } else {
    health_.SetNotReady(condition, state.trouble, state.watches_last ? kReconnectGrace : std::chrono::seconds{0});
  }
}

void ExporterMonitor::OnRequest(std::string_view verb, RequestOutcome outcome, const Error* error) {
  const bool list = verb == "list";
  switch (outcome) {
    case RequestOutcome::kStarted:
      (list ? metrics_.list_total : metrics_.watch_total).Increment();
      break;
    case RequestOutcome::kGranted:
      list ? metrics_.SetLastList(clock_.Wall()) : metrics_.SetLastStreamActivity(clock_.Wall());
      break;
    case RequestOutcome::kFailed:
      if (list) metrics_.list_failed_total.Increment();
      if (verb == "watch") metrics_.watch_failed_total.Increment();
      metrics_.CountApiError(verb == "probe" ? "list" : verb, *error);
      break;
  }
}

void ExporterMonitor::OnRelist(std::string_view reason) { metrics_.CountRelist(reason); }

void ExporterMonitor::OnGap(const Scope& scope, std::chrono::milliseconds length) {
  const ScopeMetrics metrics = metrics_.Scope(scope.Name());
  metrics.gaps.Increment();
  metrics.gap_seconds.Increment(std::chrono::duration<double>(length).count());
}

void ExporterMonitor::OnFrame(const FrameType* type, WallTime now) {
  metrics_.SetLastStreamActivity(now);
  if (type == nullptr) {
    metrics_.decode_errors_total.Increment();
    return;
  }
  metrics_.WatchEvents(*type).Increment();
  if (*type != FrameType::kBookmark && *type != FrameType::kError) metrics_.SetLastEvent(now);
}

}  // namespace kube_events
