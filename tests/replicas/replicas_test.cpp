// Two processes of the real program share one Lease of the simulated API server.
#include <gtest/gtest.h>

#include <csignal>
#include <fstream>
#include <memory>
#include <string>
#include <utility>

#include "chaos/exporter_process.h"
#include "kube/temp_dir.h"
#include "sim/sim_server.h"
#include "support/eventually.h"
#include "support/exporter_fixture.h"
#include "support/http_fetch.h"
#include "support/metrics_page.h"

namespace kube_events {
namespace {

using namespace std::chrono_literals;
using chaos::ExporterProcess;

constexpr auto kEnding = 20s;  // more than any of them needs

class Replica {
 public:
  Replica(const std::string& apiserver, std::string log)
      : log_(std::move(log)),
        process_(KUBE_EVENTS_EXPORTER,
                 {"--apiserver", apiserver, "--host", "127.0.0.1", "--port", "0", "--leader-elect",
                  "--leader-elect-lease", "mon/exporter", "--leader-elect-lease-duration", "3s",
                  "--leader-elect-renew-deadline", "2s", "--leader-elect-retry-period", "100ms"},
                 log_) {}

  ExporterProcess* operator->() { return &process_; }
  bool Leads() const { return ReadSample(process_.Page(), "kube_events_exporter_leader") == 1; }
  bool Follows() const { return ReadSample(process_.Page(), "kube_events_exporter_leader") == 0; }
  bool Ready() const { return process_.Health() == 200; }
  bool ShowsCounts() const { return process_.Page().find("# TYPE kube_events_total ") != std::string::npos; }
  std::int64_t Count(const std::string& series) const {
    const EventCounts counts = ReadEventCounts(process_.Page());
    const auto found = counts.find(series);
    return found == counts.end() ? 0 : found->second;
  }
  std::string Log() const {
    std::ifstream file(log_);
    return {std::istreambuf_iterator<char>(file), {}};
  }

 private:
  const std::string log_;
  ExporterProcess process_;
};

class ReplicasTest : public ::testing::Test {
 protected:
  std::unique_ptr<Replica> Start(const std::string& name) {
    return std::make_unique<Replica>(server_.Url(), (dir_.path() / (name + ".log")).string());
  }
  // A leader that counts, and one that waits.
  void StartBoth() {
    first_ = Start("first");
    ASSERT_TRUE(Eventually([&] { return first_->Leads() && first_->Ready(); })) << first_->Log();
    second_ = Start("second");
    ASSERT_TRUE(Eventually([&] { return second_->Follows() && second_->Ready(); })) << second_->Log();
  }
  // An Event that is written now is counted by this one.
  ::testing::AssertionResult Counts(const Replica& replica, const std::string& reason) {
    server_.Create(MakePodEvent(reason, reason));
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
        30s))
        << second_->Log();
    EXPECT_FALSE(both);
  }

  TempDir dir_;
  sim::SimServer server_;
  std::unique_ptr<Replica> first_;
  std::unique_ptr<Replica> second_;
};

TEST_F(ReplicasTest, B039AFurtherReplicaAddsNothing) {
  StartBoth();
  EXPECT_TRUE(Counts(*first_, "One"));
  EXPECT_FALSE(second_->ShowsCounts()) << (*second_)->Page();
  EXPECT_EQ(server_.State().watches, 1U) << "a replica that waits does not watch";
  EXPECT_NE(second_->Log().find("another replica leads"), std::string::npos) << second_->Log();
}

TEST_F(ReplicasTest, B037ARolloutHandsOverWithoutOverlap) {
  StartBoth();
  EXPECT_TRUE(Counts(*first_, "Before"));
  (*first_)->Signal(SIGTERM);
  AwaitSecond();
  EXPECT_EQ((*first_)->AwaitEnd(kEnding), 0) << first_->Log();
  EXPECT_TRUE(Counts(*second_, "After"));
  EXPECT_EQ(second_->Count(PodSeries("Before")), 0) << "it was counted once";
}

TEST_F(ReplicasTest, KilledLeaderIsReplacedWhenItsLeaseExpires) {
  StartBoth();
  (*first_)->Signal(SIGKILL);
  AwaitSecond();
  EXPECT_TRUE(Counts(*second_, "After"));
}

TEST_F(ReplicasTest, B043AProcessThatWasSuspendedForTooLongCountsNoMore) {
  StartBoth();
  EXPECT_TRUE(Counts(*first_, "Before"));
  (*first_)->Signal(SIGSTOP);
  EXPECT_TRUE(Eventually([&] { return second_->Leads() && second_->Ready(); }, 30s)) << second_->Log();
  EXPECT_TRUE(Counts(*second_, "Meanwhile"));
  (*first_)->Signal(SIGCONT);
  // Whatever it answers until it has ended.
  while ((*first_)->Running()) EXPECT_FALSE(first_->ShowsCounts());
  EXPECT_EQ((*first_)->AwaitEnd(kEnding), 1);
  EXPECT_NE(first_->Log().find("the Lease"), std::string::npos) << first_->Log();
  EXPECT_TRUE(Counts(*second_, "After"));
}

TEST_F(ReplicasTest, B042FailingRenewalsEndALeader) {
  StartBoth();
  server_.AddFault({.resource = "leases", .times = -1, .action = sim::FaultAction::kStatus, .status = 503});
  EXPECT_EQ((*first_)->AwaitEnd(kEnding), 1);
  EXPECT_NE(first_->Log().find("could not be renewed within 2s; the last attempt: update of leases"), std::string::npos)
      << first_->Log();
  EXPECT_TRUE((*second_)->Running()) << "a replica that waits has nothing to lose";
  server_.ClearFaults();
  AwaitSecond();
  EXPECT_TRUE(Counts(*second_, "After"));
}

TEST_F(ReplicasTest, ApiServerThatIsSilentForLongerThanTheDeadlineEndsTheLeaderOnly) {
  StartBoth();
  server_.AddFault({.times = -1, .action = sim::FaultAction::kSilence});
  server_.DropWatches(sim::DropMode::kSilence);
  EXPECT_EQ((*first_)->AwaitEnd(kEnding), 1) << first_->Log();
  EXPECT_TRUE((*second_)->Running());
  server_.ClearFaults();
  server_.CloseConnections();
  AwaitSecond();
}

TEST_F(ReplicasTest, ShortOutageMovesNothing) {
  StartBoth();
  server_.AddFault({.resource = "leases", .times = 3, .action = sim::FaultAction::kReset});
  EXPECT_TRUE(Eventually([&] {
    return first_->Log().find("renewed again") != std::string::npos ||
           second_->Log().find("read again") != std::string::npos;
  })) << first_->Log()
      << second_->Log();
  EXPECT_TRUE(first_->Leads());
  EXPECT_TRUE(second_->Follows());
  EXPECT_TRUE(Counts(*first_, "After"));
}

}  // namespace
}  // namespace kube_events
