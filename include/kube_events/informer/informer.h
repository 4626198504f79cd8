// The one thread that lists and watches: runs a ScopeSession per scope until it is destroyed.
// Owned by the composition root. Consumer and monitor are called on the informer thread.
#pragma once

#include <functional>
#include <memory>
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
  // The thread ended unasked, for this reason; the process must not live on. Called on the informer thread.
  std::function<void(const std::string& reason)> on_failure;
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

  InformerParts parts_;
  Doorbell doorbell_;
  EventDecoder decoder_;
  std::vector<std::unique_ptr<ScopeSession>> sessions_;
  std::jthread thread_;
};

}  // namespace kube_events
