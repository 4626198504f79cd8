// Two processes of the real program share one Lease of the simulated API server.
#include <gtest/gtest.h>

#include <csignal>

#include "replicas/replica.h"

namespace kube_events {
namespace {

using namespace std::chrono_literals;

class ReplicasTest : public ReplicaFixture {
 protected:
  void StartBoth() { ReplicaFixture::StartBoth({}, {}); }
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

TEST_F(ReplicasTest, RenewalsDoNotWaitForAListThatTakesLongerThanTheLease) {
  server_.AddFault({.verb = "list", .resource = "events", .action = sim::FaultAction::kDelay, .delay_ms = 6'000});
  first_ = Start("first", Election({}));
  ASSERT_TRUE(Eventually([&] { return first_->Leads(); })) << first_->Log();
  second_ = Start("second", Election({}));
  EXPECT_TRUE(Eventually([&] { return first_->Ready() || !(*first_)->Running(); }, 60s)) << first_->Log();
  EXPECT_TRUE(first_->Leads()) << first_->Log();
  EXPECT_TRUE(second_->Follows()) << second_->Log();
  EXPECT_TRUE(Counts(*first_, "After"));
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
