// Brings what a sink has missed, from its positions on, by a list and watch of its own: an Informer that lives until
// the sink has reached the live stream. Counting never waits for it.
// Owned by the Forwarder and used on its thread; the feed is fed on the Informer's.
#pragma once

#include <chrono>
#include <memory>
#include <stop_token>
#include <utility>
#include <vector>

#include "kube_events/base/health.h"
#include "kube_events/forward/sink_feed.h"
#include "kube_events/informer/informer.h"

namespace kube_events {

struct CatchUpParts {
  KubeClient& client;
  const Clock& clock;
  Logger log;
  SessionOptions session;
};

class CatchUp final : private ChangeConsumer, private InformerMonitor {
 public:
  // `lagging`: of the feed, with where to go on. Starts at once. `scopes`: all of the process.
  CatchUp(SinkFeed& feed, std::vector<std::pair<ScopeIndex, ScopePosition>> lagging, const std::vector<Scope>& scopes,
          CatchUpParts parts);
  // Waits a few milliseconds for the thread.
  ~CatchUp() override;

 private:
  void OnListBegin(ScopeIndex scope, ListReason reason, WallTime server_time) override;
  void OnListCommitted(ScopeIndex scope, std::string_view version, WallTime server_time) override;
  void OnChange(const Change& change) override;
  // The live Informer tells of the same server.
  void OnScopeState(const Scope&, const ScopeState&) override {}
  void OnRequest(std::string_view, RequestOutcome, const Error*) override {}
  void OnRelist(std::string_view) override {}
  void OnGap(const Scope&, std::chrono::milliseconds) override {}
  void OnFrame(const FrameType*, WallTime) override {}

  SinkFeed& feed_;
  const std::vector<std::pair<ScopeIndex, ScopePosition>> lagging_;  // by the scope index of the Informer below
  const Clock& clock_;
  Heartbeat heartbeat_;  // nobody asks for it: a catching up that stands still holds up one sink and nothing else
  std::stop_source stop_;
  std::unique_ptr<Informer> informer_;
};

}  // namespace kube_events
