// Hands every change on to all sinks, and brings those up that lagged behind.
// Owned by the composition root. The methods of ChangeConsumer are called on the informer thread and never wait for a
// receiver or a disk; the others say it themselves.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "kube_events/base/clock.h"
#include "kube_events/base/health.h"
#include "kube_events/base/logging.h"
#include "kube_events/forward/catch_up.h"
#include "kube_events/forward/sink_feed.h"
#include "kube_events/forward/sink_settings.h"
#include "kube_events/informer/change_consumer.h"
#include "kube_events/kube/access.h"
#include "kube_events/kube/kube_client.h"
#include "kube_events/state/checkpoint.h"

namespace kube_events {

struct ForwarderOptions {
  std::vector<Scope> scopes;
  std::vector<SinkSettings> sinks;
  EventFilter filter;                 // of the exporter
  std::filesystem::path spool;        // empty: none
  std::uint64_t spool_max_bytes = 0;  // of each sink
  SessionOptions session;             // of lists and watches that catch up
  std::string cluster_name;
  std::string user_agent;
  EnvironmentLookup environment = {};  // names the proxies of http sinks; empty: there are none
};

struct ForwarderParts {
  KubeClient& client;
  const Clock& clock;
  Health& health;
  ForwardMonitor& monitor;
  Logger log;
};

class Forwarder final : public ChangeConsumer {
 public:
  // Opens spools, which are replayed at once, and starts the threads. Fails with kConfiguration where a sink or a spool
  // cannot be used as it is set up; waits for disks, for no network. Everything in `parts` must outlive it.
  static Result<std::unique_ptr<Forwarder>> Start(ForwarderOptions options, ForwarderParts parts);
  ~Forwarder() override;

  // Informer thread, before the first list: where counting goes on in each scope (none: it starts cold), and the sinks;
  // one without a position of its own goes on where counting does.
  void Resume(const std::vector<std::optional<ScopePosition>>& counted, const ConsumerPositions& saved);

  void OnListBegin(ScopeIndex scope, ListReason reason, WallTime server_time) override;
  void OnListCommitted(ScopeIndex scope, std::string_view version, WallTime server_time) override;
  void OnChange(const Change& change) override;

  // Up to where each sink is done; any thread.
  ConsumerPositions SafePositions() const;
  struct SinkStats {
    std::string id;
    bool behind = false;  // see SinkFeed::IsBehind
    SinkWorkerStats stats;
  };
  // Any thread.
  std::vector<SinkStats> Stats() const;
  // SIGHUP; any thread.
  void Reopen();
  // After the informer has ended: sends what is queued, and puts the rest into the spools. All sinks at once, for at
  // most about `timeout`; longer only where a disk is slow.
  void Finish(std::chrono::milliseconds timeout);

 private:
  Forwarder(ForwarderOptions options, ForwarderParts parts);
  Result<void> AddSink(const SinkSettings& settings);
  Result<RecordPtr> OpenSpool(const std::string& sink, std::unique_ptr<Spool>& spool);
  void Run(const std::stop_token& stop);

  const ForwarderOptions options_;
  ForwarderParts parts_;
  std::vector<std::unique_ptr<SinkFeed>> feeds_;
  Heartbeat& heartbeat_;
  std::vector<std::unique_ptr<CatchUp>> catch_ups_;  // by feed; used by the thread below
  std::jthread thread_;
};

}  // namespace kube_events
