#include "kube_events/forward/catch_up.h"

#include <optional>

namespace kube_events {

CatchUp::CatchUp(SinkFeed& feed, std::vector<std::pair<ScopeIndex, ScopePosition>> lagging,
                 const std::vector<Scope>& scopes, CatchUpParts parts)
    : feed_(feed),
      lagging_(std::move(lagging)),
      clock_(parts.clock),
      heartbeat_(parts.clock, "catch-up", std::chrono::hours{1}) {
  InformerOptions options;
  options.session = parts.session;
  std::vector<std::optional<ScopePosition>> positions;
  for (const auto& [scope, position] : lagging_) {
    options.scopes.push_back(scopes.at(scope));
    positions.emplace_back();
    if (!position.version.empty()) positions.back() = ScopePosition{position.version, position.observed_until};
  }
  InformerParts informer{parts.client, parts.clock, *this, *this, heartbeat_, parts.log};
  informer.resume = [positions](const std::stop_token&) { return positions; };
  // Its thread has ended, so another one has to begin anew.
  informer.on_failure = [this](const std::string&) { feed_.EndCatchUp(); };
  informer_ = std::make_unique<Informer>(std::move(options), std::move(informer));
}

CatchUp::~CatchUp() { stop_.request_stop(); }

void CatchUp::OnListBegin(ScopeIndex scope, ListReason reason, WallTime server_time) {
  feed_.OnCatchUpListBegin(lagging_[scope].first, reason, server_time);
}

void CatchUp::OnListCommitted(ScopeIndex scope, std::string_view version, WallTime server_time) {
  feed_.OnCatchUpListCommitted(lagging_[scope].first, version, server_time);
}

void CatchUp::OnChange(const Change& change) {
  feed_.OnCatchUpChange({lagging_[change.scope].first, change.kind, change.event, change.raw, change.server_time},
                        stop_.get_token());
}

}  // namespace kube_events
