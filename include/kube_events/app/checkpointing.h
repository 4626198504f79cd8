// --checkpoint: the keeper of the checkpoint, its store, and what its metrics say.
// Owned by the composition root and used on its thread, except where it says otherwise.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include "kube_events/app/exporter_options.h"
#include "kube_events/metrics/self_metrics.h"
#include "kube_events/net/tls_settings.h"
#include "kube_events/state/checkpoint_keeper.h"

namespace kube_events {

struct CheckpointingParts {
  HttpClient& http;
  Credentials& credentials;
  const TlsProvider& tls;         // used during construction only
  std::string server;             // URL
  std::string default_namespace;  // of the ConfigMap, where --checkpoint names none
  const Clock& clock;
  OccurrenceCounter& counter;
  SelfMetrics& metrics;
  Logger log;
  std::function<bool()> may_save;  // this and `sinks`: see CheckpointKeeperOptions
  MayWrite may_write;
  std::function<ConsumerPositions()> sinks = {};
};

class Checkpointing final : private CheckpointMonitor {
 public:
  // Everything in `parts` must outlive it. Waits for nobody.
  Checkpointing(const ExporterOptions& options, const std::vector<Scope>& scopes, CheckpointingParts parts);

  CheckpointKeeper& keeper() { return *keeper_; }
  // Since the last successful write, or since the start. Any thread.
  double AgeSeconds() const;

 private:
  void OnWrite(std::string_view result, const SavedCheckpoint* saved) override;
  void OnLoaded(WallTime) override {}

  const Clock& clock_;
  SelfMetrics& metrics_;
  ObjectClient objects_;
  std::atomic<MonotonicTime::rep> written_;
  std::unique_ptr<CheckpointStore> store_;
  std::unique_ptr<CheckpointKeeper> keeper_;  // last: its thread uses the others
};

}  // namespace kube_events
