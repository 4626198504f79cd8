// The one thread that lists and watches: runs a ScopeSession per scope until it is destroyed.
// Owned by the composition root. Consumer and monitor are called on the informer thread.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "kube_events/base/health.h"
#include "kube_events/informer/scope_session.h"

namespace kube_events {

struct InformerOptions {
  std::vector<Scope> scopes;
  SessionOptions session;
};

struct InformerParts {
  KubeClient& client;
  const Clock& clock;
  ChangeConsumer& consumer;
  InformerMonitor& monitor;
  Heartbeat& heartbeat;
  Logger log;
  // Where each scope goes on, empty for those that start cold; asked once before the first list, on the informer
  // thread, which it may keep waiting until `stop`. Empty: all start cold.
  std::function<std::vector<std::optional<ScopePosition>>(const std::stop_token& stop)> resume = {};
  PositionObserver* positions = nullptr;  // may be null
  // The thread ended unasked, for this reason; the process must not live on. Called on the informer thread.
  std::function<void(const std::string& reason)> on_failure = {};
};

class Informer {
 public:
  // Starts the thread. Everything in `parts` must outlive the informer.
  Informer(InformerOptions options, InformerParts parts);
  // Cancels what is under way and joins: at most a few milliseconds, never the network's time.
  ~Informer();

 private:
  void Run(const std::stop_token& stop);
  void Loop(const std::stop_token& stop);
  void MakeSessions(const std::vector<std::optional<ScopePosition>>& resume);
  void TellPositions();

  const InformerOptions options_;
  InformerParts parts_;
  Doorbell doorbell_;
  EventDecoder decoder_;
  std::vector<std::unique_ptr<ScopeSession>> sessions_;
  std::jthread thread_;
};

}  // namespace kube_events
