// The whole exporter, a simulated API server under load, a relay between them, and the comparison with the truth.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <utility>

#include "chaos/marker.h"
#include "chaos/verdict.h"
#include "faults/fault_proxy.h"
#include "kube_events/app/exporter.h"
#include "kube_events/net/cpprest_client.h"
#include "sim/sim_server.h"
#include "support/eventually.h"
#include "support/exporter_fixture.h"

namespace kube_events {

// What a fault may cost.
enum class Cost {
  kNothing,  // every count is equal to the truth
  kGap,      // a gap is reported; what came and went in it may be missing
};

// The time of the cluster: that of this machine, and some more from a moment on.
class ClusterClock final : public Clock {
 public:
  MonotonicTime Monotonic() const override { return system_.Monotonic(); }
  WallTime Wall() const override { return system_.Wall() + ahead_.load(); }
  void Advance(std::chrono::seconds time) { ahead_ = ahead_.load() + time; }

 private:
  const SystemClock system_{};
  std::atomic<std::chrono::seconds> ahead_{std::chrono::seconds(0)};
};

class FaultsFixture : public testing::Test {
 protected:
  static void SetUpTestSuite() { InitialiseNetworking(); }

  explicit FaultsFixture(std::optional<sim::SimTls> tls = {}) : server_(ServerOptions(std::move(tls))) {}

  virtual ExporterOptions Options() {
    ExporterOptions options = TestOptions(proxy_.Url());
    options.watch_interval = std::chrono::milliseconds(1500);
    return options;
  }

  // Starts, then the load; `page`: items of a list page.
  void Start(int page = 50) {
    ExporterOptions options = Options();
    options.list_page_size = page;
    auto started = Exporter::Start(options, NoEnvironment);
    ASSERT_TRUE(started) << started.error().message;
    exporter_ = std::move(*started);
    ASSERT_TRUE(Eventually([this] { return Health() == 200; }));
    baseline_ = server_.State().first_list_revision;
    // Only now: the first rise of what is there before the exporter is uncertain where it is seen late.
    server_.PrepareLoad(Load());
    Quiet();
    before_ = Look();
    // What begins from here on is clearly later than the first list, so that it is certain also when it is seen late.
    clock_.Advance(std::chrono::seconds(60));
    started_at_ = server_.State().revision;
    server_.StartLoad(Load());
  }

  sim::SimServerOptions ServerOptions(std::optional<sim::SimTls> tls) const {
    sim::SimServerOptions options;
    options.clock = &clock_;
    options.tls = std::move(tls);
    return options;
  }

  // Only what a watcher can know for certain: with a watch that holds, every count is exact.
  static sim::LoadOptions Load() {
    sim::LoadOptions load;
    load.seed = 7;
    load.objects = 200;
    load.rate = 400;
    load.jumps = load.series = load.resets = 0;
    return load;
  }

  // The load ends, and the counts are what the fault allows.
  void ExpectCounts(Cost cost) {
    ASSERT_TRUE(Eventually([this] {
      const sim::SimState state = server_.State();
      return !state.load_running || state.revision > started_at_ + 100;
    }));
    Quiet();
    const chaos::Snapshot after = Look();
    const chaos::Verdict verdict = chaos::Judge(before_, after);
    for (const std::string& fault : verdict.faults) ADD_FAILURE() << fault;
    EXPECT_GT(verdict.occurrences, 0);
    EXPECT_TRUE(cost == Cost::kGap || after.scrape.gaps == before_.scrape.gaps) << "a gap that need not be";
    if (cost == Cost::kNothing) {
      EXPECT_TRUE(verdict.exact) << after.scrape.counted << " counted, " << after.scrape.not_counted
                                 << " not counted ones uncertain, " << after.scrape.gaps << " gaps";
    }
    if (cost == Cost::kGap) {
      EXPECT_GT(after.scrape.gaps, before_.scrape.gaps) << "what cannot be known has to be said";
    }
  }

  // All that was written is counted, and a watch is open.
  void Quiet() {
    server_.StopLoad();
    server_.Create(chaos::MakeMarker(++markers_, clock_.Wall()));
    ASSERT_TRUE(Eventually([this] { return Health() == 200 && chaos::ShowsMarker(Read(), markers_); },
                           std::chrono::seconds(60)))
        << Get(Url("/healthz")).body;
  }

  chaos::Snapshot Look() {
    chaos::Scrape scrape = Read();
    chaos::RemoveMarkers(scrape);
    return {std::move(scrape), server_.TruthSince(baseline_).value_or(sim::OccurrenceCounts{})};
  }

  chaos::Scrape Read() { return chaos::ReadPage(Get(Url("/metrics")).body).value_or(chaos::Scrape{}); }
  int Health() { return Get(Url("/healthz")).status; }
  std::string Url(const std::string& path) const {
    return "http://127.0.0.1:" + std::to_string(exporter_->Port()) + path;
  }

  // So many requests of a kind have come since the exporter is ready.
  bool AwaitRequests(const std::string& verb, std::uint64_t count) {
    const std::uint64_t now = server_.State().requests[verb];
    return Eventually([&] { return server_.State().requests[verb] >= now + count; }, std::chrono::seconds(60));
  }

  // Whether every fault that was added to the server has really happened.
  bool AwaitFaults() {
    return Eventually(
        [this] {
          const sim::SimState state = server_.State();
          return state.faults_met >= state.faults_added;
        },
        std::chrono::seconds(60));
  }

  ClusterClock clock_;
  sim::SimServer server_;
  FaultProxy proxy_{server_.Port()};
  std::unique_ptr<Exporter> exporter_;
  std::uint64_t baseline_ = 0;
  std::uint64_t started_at_ = 0;  // revision at the begin of the load
  int markers_ = 0;
  chaos::Snapshot before_;
};

// A row of a fault matrix: what goes wrong while Events come, and what that may cost.
struct FaultRow {
  const char* name;
  std::function<void(sim::SimServer& server, FaultProxy& proxy)> disturb;
  Cost cost;
  const char* verb;  // of the requests that show that the fault has been met
  int requests;
};

inline void PrintTo(const FaultRow& row, std::ostream* out) { *out << row.name; }

// Its tests are in the files that make the rows.
class FaultMatrix : public FaultsFixture, public testing::WithParamInterface<FaultRow> {
 protected:
  void Meet() {
    const FaultRow& row = GetParam();
    ASSERT_NO_FATAL_FAILURE(Start());
    const auto requests = static_cast<std::uint64_t>(row.requests);
    const std::uint64_t now = server_.State().requests[row.verb];
    row.disturb(server_, proxy_);
    ASSERT_TRUE(
        Eventually([&] { return server_.State().requests[row.verb] >= now + requests; }, std::chrono::seconds(60)))
        << "the exporter did not try again";
    ASSERT_TRUE(AwaitFaults()) << "the fault was not met";
    const int health = Health();
    EXPECT_TRUE(health == 200 || health == 503) << health;
    server_.ClearFaults();
    server_.SetDenied({});
    proxy_.Heal();
    ExpectCounts(row.cost);
  }
};

inline std::string NameOf(const testing::TestParamInfo<FaultRow>& row) { return row.param.name; }

// Faults of the simulated server in short.
inline sim::Fault WatchFault(sim::FaultAction action, int status = 500, std::int64_t times = 1) {
  sim::Fault fault;
  fault.verb = "watch";
  fault.action = action;
  fault.status = status;
  fault.times = times;
  return fault;
}
inline sim::Fault ListFault(sim::FaultAction action, int status = 500, std::int64_t times = 1) {
  sim::Fault fault = WatchFault(action, status, times);
  fault.verb = "list";
  return fault;
}

}  // namespace kube_events
