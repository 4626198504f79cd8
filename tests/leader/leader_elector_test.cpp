// Every row of the table in docs/architecture.md, section "Leader election", that is about candidates, and the times
// that an election may have. Those of a leader are in leader_elector_leading_test.cpp.
#include <limits>
#include <string>

#include "leader/leader_elector_fixture.h"

namespace kube_events {
namespace {

using namespace std::chrono_literals;

TEST_F(LeaderElectorTest, BeginsWithALookAtTheLease) {
  EXPECT_TRUE(Has<ReadLease>(Feed(ElectionStarted{})));
  EXPECT_EQ(machine_.phase(), ElectionPhase::kReading);
}

TEST_F(LeaderElectorTest, CreatesALeaseThatIsMissing) {
  Reading();
  const auto write = Only<WriteLease>(Feed(LeaseMissing{}));
  EXPECT_TRUE(write.create);
  EXPECT_EQ(write.record, (LeaseRecord{"me", 15s, "2027-01-15T08:00:00.000000Z", "2027-01-15T08:00:00.000000Z", 0}));
  EXPECT_EQ(machine_.phase(), ElectionPhase::kTaking);
  EXPECT_FALSE(machine_.Leads(now_)) << "not before the server has said so";
}

TEST_F(LeaderElectorTest, FollowsWhoHoldsTheLease) {
  Reading();
  const auto effects = Feed(LeaseSeen{HeldBy("other")});
  EXPECT_EQ(Only<Follow>(effects).holder, "other");
  const auto delay = Only<StartElectionTimer>(effects).delay;
  EXPECT_GE(delay, 2s);
  EXPECT_LE(delay, 4400ms) << "up to 120 % longer";
  EXPECT_EQ(machine_.phase(), ElectionPhase::kWaiting);
  EXPECT_TRUE(Has<ReadLease>(Feed(ElectionTimerFired{})));
  EXPECT_EQ(machine_.phase(), ElectionPhase::kReading);
}

TEST_F(LeaderElectorTest, TakesALeaseThatNobodyHolds) {
  Reading();
  const auto write = Only<WriteLease>(Feed(LeaseSeen{HeldBy("")}));
  EXPECT_FALSE(write.create);
  EXPECT_EQ(write.record.holder, "me");
  EXPECT_EQ(write.record.transitions, 4);
}

TEST_F(LeaderElectorTest, TakesALeaseThatWasNotRenewedForItsWholeDuration) {
  Waiting(HeldBy("other"));
  now_ += 15s - 1ns;
  Feed(ElectionTimerFired{});
  EXPECT_TRUE(Has<Follow>(Feed(LeaseSeen{HeldBy("other")})));
  now_ += 1ns;
  Feed(ElectionTimerFired{});
  EXPECT_EQ(Only<WriteLease>(Feed(LeaseSeen{HeldBy("other")})).record.transitions, 4);
}

TEST_F(LeaderElectorTest, CountsAgainFromEveryRenewal) {
  Waiting(HeldBy("other", "t1"));
  now_ += 14s;
  Feed(ElectionTimerFired{});
  Feed(LeaseSeen{HeldBy("other", "t2")});
  now_ += 14s;
  Feed(ElectionTimerFired{});
  EXPECT_TRUE(Has<Follow>(Feed(LeaseSeen{HeldBy("other", "t2")})));
}

TEST_F(LeaderElectorTest, BelievesNoOtherClock) {
  Reading();
  EXPECT_TRUE(Has<Follow>(Feed(LeaseSeen{HeldBy("other", "1970-01-01T00:00:00.000000Z")})));
}

TEST_F(LeaderElectorTest, WaitsForTheHoldersDurationNotItsOwn) {
  LeaseRecord record = HeldBy("other");
  record.duration = 60s;
  Waiting(record);
  now_ += 59s;
  Feed(ElectionTimerFired{});
  EXPECT_TRUE(Has<Follow>(Feed(LeaseSeen{record})));
  record.duration = 0s;  // it does not say: ours
  Feed(ElectionTimerFired{});
  EXPECT_TRUE(Has<Follow>(Feed(LeaseSeen{record})));
  now_ += 15s;
  Feed(ElectionTimerFired{});
  EXPECT_TRUE(Has<WriteLease>(Feed(LeaseSeen{record})));
}

TEST_F(LeaderElectorTest, WaitsAgainWhereAnotherWasFaster) {
  Taking();
  const auto effects = Feed(Failed(ErrorKind::kConflict));
  EXPECT_TRUE(Has<StartElectionTimer>(effects));
  EXPECT_FALSE(Has<ReportElectionTrouble>(effects));
  EXPECT_EQ(machine_.phase(), ElectionPhase::kWaiting);
}

TEST_F(LeaderElectorTest, ReportsWhatKeepsItFromReadingOrTaking) {
  Reading();
  EXPECT_EQ(Only<ReportElectionTrouble>(Feed(Failed(ErrorKind::kForbidden, "no right"))).error.message, "no right");
  EXPECT_EQ(machine_.phase(), ElectionPhase::kWaiting);
  Feed(ElectionTimerFired{});
  Feed(LeaseMissing{});
  EXPECT_TRUE(Has<ReportElectionTrouble>(Feed(Failed(ErrorKind::kForbidden))));
  EXPECT_EQ(machine_.phase(), ElectionPhase::kWaiting);
}

TEST_F(LeaderElectorTest, WaitsAsLongAsTheServerAsksFor) {
  Reading();
  LeaseFailed busy = Failed(ErrorKind::kRetry);
  busy.error.retry_after = 9s;
  EXPECT_EQ(Only<StartElectionTimer>(Feed(busy)).delay, 9s);
  Feed(ElectionTimerFired{});
  busy.error.retry_after = 1h;
  EXPECT_EQ(Only<StartElectionTimer>(Feed(busy)).delay, 15s) << "but not longer than a Lease lasts";
}

TEST_F(LeaderElectorTest, LeadsFromTheMomentTheRequestWasSent) {
  Taking();
  now_ += 3s;
  EXPECT_EQ(Only<Lead>(Feed(LeaseWritten{})).until, kStart + 10s);
  EXPECT_TRUE(machine_.Leads(kStart + 10s - 1ns));
  EXPECT_FALSE(machine_.Leads(kStart + 10s));
  EXPECT_EQ(machine_.phase(), ElectionPhase::kHolding);
}

TEST_F(LeaderElectorTest, DoesNotLeadWhereTheAnswerCameTooLate) {
  Taking();
  now_ += 10s;
  EXPECT_FALSE(Has<Lead>(Feed(LeaseWritten{})));
  EXPECT_FALSE(machine_.Leads(now_));
  EXPECT_EQ(machine_.phase(), ElectionPhase::kWaiting);
}

TEST_F(LeaderElectorTest, GoesOnWithALeaseThatItHasTakenWithoutBeingTold) {
  const LeaseRecord ours = Taking();
  Feed(Failed(ErrorKind::kRetry));
  wall_ += 3s;
  Feed(ElectionTimerFired{});
  const LeaseRecord again = Only<WriteLease>(Feed(LeaseSeen{ours})).record;
  EXPECT_EQ(again.transitions, ours.transitions);
  EXPECT_EQ(again.acquire_time, ours.acquire_time);
  EXPECT_GT(again.renew_time, ours.renew_time);
}

TEST_F(LeaderElectorTest, CountsNoFurtherThanTheApiCan) {
  Reading();
  constexpr int kMost = std::numeric_limits<std::int32_t>::max();
  EXPECT_EQ(Only<WriteLease>(Feed(LeaseSeen{HeldBy("", "t1", kMost)})).record.transitions, kMost);
}

TEST(ElectionTimesTest, DefaultsAreAccepted) { EXPECT_TRUE(CheckElectionTimes({})); }

TEST(ElectionTimesTest, RefusesWhatCannotKeepTwoLeadersApart) {
  const auto complaint = [](ElectionTimes times) {
    const auto result = CheckElectionTimes(times);
    return result ? "" : result.error().message;
  };
  EXPECT_EQ(complaint({10s, 10s, 2s}),
            "--leader-elect-lease-duration: has to be longer than --leader-elect-renew-deadline, which is 10s");
  EXPECT_EQ(complaint({15s, 2400ms, 2s}),
            "--leader-elect-renew-deadline: has to be more than 1.2 times --leader-elect-retry-period, which is 2s");
  EXPECT_EQ(complaint({15s, 2401ms, 2s}), "");
  EXPECT_EQ(complaint({15s, 10s, 9ms}), "--leader-elect-retry-period: has to be at least 10ms");
}

}  // namespace
}  // namespace kube_events
