// Processes of the real program at one simulated API server. A fixture; the test's thread only.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "chaos/exporter_process.h"
#include "kube/temp_dir.h"
#include "sim/sim_server.h"
#include "support/eventually.h"
#include "support/exporter_fixture.h"
#include "support/metrics_page.h"

namespace kube_events {

using Arguments = std::vector<std::string>;

// Of replicas that share a Lease, with times that a test can wait for.
inline Arguments Election(const Arguments& more) {
  Arguments all{"--leader-elect", "--leader-elect-lease=mon/exporter", "--leader-elect-lease-duration=3s",
                "--leader-elect-renew-deadline=2s", "--leader-elect-retry-period=100ms"};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

class Replica {
 public:
  Replica(const std::string& apiserver, std::string log, Arguments arguments) : log_(std::move(log)) {
    for (const std::string& more :
         {"--apiserver=" + apiserver, std::string("--host=127.0.0.1"), std::string("--port=0")})
      arguments.push_back(more);
    process_.emplace(KUBE_EVENTS_EXPORTER, std::move(arguments), log_);
  }

  chaos::ExporterProcess* operator->() { return &*process_; }
  bool Leads() const { return Sample("leader") == 1; }
  bool Follows() const { return Sample("leader") == 0; }
  bool Ready() const { return process_->Health() == 200; }
  bool ShowsCounts() const { return process_->Page().find("# TYPE kube_events_total ") != std::string::npos; }
  // Of the metric "kube_events_exporter_" + `name`; -1 where there is none.
  double Sample(const std::string& name) const {
    return ReadSample(process_->Page(), "kube_events_exporter_" + name).value_or(-1);
  }
  std::int64_t Count(const std::string& series) const {
    const EventCounts counts = ReadEventCounts(process_->Page());
    const auto found = counts.find(series);
    return found == counts.end() ? 0 : found->second;
  }
  std::string Log() const {
    std::ifstream file(log_);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  bool Says(const std::string& text) const { return Log().find(text) != std::string::npos; }

 private:
  const std::string log_;
  std::optional<chaos::ExporterProcess> process_;
};

class ReplicaFixture : public ::testing::Test {
 protected:
  static constexpr std::chrono::seconds kEnding{20};  // more than any of them needs

  std::unique_ptr<Replica> Start(const std::string& name, const Arguments& arguments) {
    return std::make_unique<Replica>(server_.Url(), (dir_.path() / (name + ".log")).string(), arguments);
  }
  // A leader that counts, and one that waits.
  void StartBoth(const Arguments& first, const Arguments& second) {
    first_ = Start("first", Election(first));
    ASSERT_TRUE(Eventually([&] { return first_->Leads() && first_->Ready(); })) << first_->Log();
    second_ = Start("second", Election(second));
    ASSERT_TRUE(Eventually([&] { return second_->Follows() && second_->Ready(); })) << second_->Log();
  }
  // An Event that is written now is counted by this one.
  ::testing::AssertionResult Counts(const Replica& replica, const std::string& reason) {
    server_.Create(MakePodEvent(reason, reason));
    return HasCounted(replica, reason);
  }
  static ::testing::AssertionResult HasCounted(const Replica& replica, const std::string& reason) {
    if (Eventually([&] { return replica.Count(PodSeries(reason)) == 1; })) return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure() << reason << " is not counted: " << replica.Log();
  }
  // The second one leads, and at no time both of them did.
  void AwaitSecond() {
    bool both = false;
    EXPECT_TRUE(Eventually(
        [&] {
          both = both || (first_->ShowsCounts() && second_->ShowsCounts());
          return second_->Leads() && second_->Ready();
        },
        std::chrono::seconds{30}))
        << second_->Log();
    EXPECT_FALSE(both);
  }

  TempDir dir_;
  sim::SimServer server_;
  std::unique_ptr<Replica> first_;
  std::unique_ptr<Replica> second_;
};

}  // namespace kube_events
