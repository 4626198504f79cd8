// The parts of the exporter that list, watch, count and tell their health, joined as src/app/exporter.cpp joins them,
// against the simulated API server over real sockets, but on a clock that moves only when everything has settled: days
// pass in seconds, and no result depends on the machine. Owned by a test; its thread only.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "field/tapped_client.h"
#include "kube_events/app/exporter_monitor.h"
#include "kube_events/app/occurrence_recorder.h"
#include "kube_events/counting/occurrence_counter.h"
#include "kube_events/informer/scope_session.h"
#include "kube_events/kube/kube_client.h"
#include "sim/sim_server.h"
#include "support/exporter_fixture.h"
#include "support/fake_clock.h"
#include "support/metrics_page.h"

namespace kube_events::field {

struct TimelineOptions {
  sim::SimServerOptions server = {};
  Scope scope = {};
  SessionOptions session = {};
  OccurrenceCounterOptions counter = {};  // its scopes are set by the timeline
  std::size_t max_series = 10'000;
};

class Timeline {
 public:
  explicit Timeline(TimelineOptions options = {});

  sim::SimServer& server() { return server_; }
  FakeClock& clock() { return clock_; }
  WallTime Now() const { return clock_.Wall(); }

  // Begins to list.
  void Begin() { session_.Start(); }
  // Begins to list, and waits until it watches.
  void Start();
  // Waits in real time until `condition` holds, taking what comes; the clock jumps to the end of each pause in which
  // nothing is asked of the API server and no watch is open. False after 30 s, or 5 minutes of the clock.
  bool Until(const std::function<bool()>& condition);
  // Lets this much time pass; whatever becomes due happens at its time. Waits for answers unless the server is known to
  // give none.
  void Pass(std::chrono::nanoseconds time, bool server_answers = true);
  // Waits until everything that was written before is counted, by an Event of its own that follows it.
  void AwaitEverythingWritten();

  std::string Page() const;
  EventCounts Counts(bool with_zero = false) const { return ReadEventCounts(Page(), with_zero); }
  std::int64_t Count(const std::string& labels) const;
  // Of the exporter's own metrics, without their prefix: "list_total".
  double Own(const std::string& name) const;
  bool WatchIsOpen() const { return Own("watch_open{scope=\"all\"}") == 1; }
  std::vector<std::string> Unready() const { return health_.NotReadyReasons(); }
  // Targets of all requests to the API server.
  std::vector<std::string> Targets() const { return tap_.targets(); }

  sim::EventObject PodEvent(const std::string& name, const std::string& reason, std::int32_t count = 1) const {
    return MakePodEvent(name, reason, count, "default", Now());
  }

 private:
  bool Poll();
  bool JumpOverPause();
  void Settle(bool server_answers);

  FakeClock clock_;
  sim::SimServer server_;
  std::unique_ptr<HttpClient> http_;
  TappedClient tap_;
  std::unique_ptr<Credentials> credentials_ = MakeAnonymousCredentials();
  KubeClient client_;
  Health health_{clock_};
  SelfMetrics metrics_;
  EventCounters counters_;
  OccurrenceRecorder recorder_;
  OccurrenceCounter counter_;
  ExporterMonitor monitor_;
  EventDecoder decoder_;
  Doorbell doorbell_;
  ScopeSession session_;
  int markers_ = 0;
};

}  // namespace kube_events::field
