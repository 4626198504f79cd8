// The exporter as a whole, in-process, against the simulated API server over real sockets, and what it shows to those
// who scrape it. A fixture; the test's thread only.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "kube_events/app/exporter.h"
#include "sim/sim_server.h"
#include "support/eventually.h"
#include "support/http_fetch.h"
#include "support/metrics_page.h"

namespace kube_events {

WallTime SystemNow();

// For an exporter in a test: it serves on a free port of loopback and logs nothing.
ExporterOptions TestOptions(const std::string& apiserver);
// None of the process's own.
std::optional<std::string> NoEnvironment(const std::string& name);

// A Warning about a Pod, as kubelet writes it at `now`. Its counter is PodSeries(reason, space).
sim::EventObject MakePodEvent(const std::string& name, const std::string& reason, std::int32_t count = 1,
                              const std::string& space = "default", WallTime now = SystemNow());
std::string PodSeries(const std::string& reason, const std::string& space = "default");
// The truth of a simulated load, without what is 0, as the page of metrics is read.
EventCounts ToEventCounts(const sim::OccurrenceCounts& truth);

class ExporterFixture : public testing::Test {
 protected:
  static void SetUpTestSuite();

  explicit ExporterFixture(sim::SimServerOptions server = {}) : server_(std::move(server)) {}

  static ExporterOptions Options(const std::string& apiserver) { return TestOptions(apiserver); }
  void Start(const ExporterOptions& options, const Environment& environment = NoEnvironment);
  void StartReady(const ExporterOptions& options, const Environment& environment = NoEnvironment);
  void StartReady() { StartReady(Options(server_.Url())); }
  FetchResponse Fetch(const std::string& path, const FetchOptions& options = {});

  // What /metrics shows now.
  EventCounts Counts(bool with_zero = false) { return ReadEventCounts(Fetch("/metrics").body, with_zero); }
  std::int64_t Count(const std::string& labels);
  double Sample(const std::string& name);
  // Waits until the counter has this value.
  bool Reaches(const std::string& labels, std::int64_t value) {
    return Eventually([&] { return Count(labels) == value; });
  }
  // Waits until everything that the server has sent so far was counted, by an Event of its own that follows it.
  void AwaitEverythingSent();

  sim::SimServer server_;
  std::unique_ptr<Exporter> exporter_;

 private:
  int markers_ = 0;
};

}  // namespace kube_events
