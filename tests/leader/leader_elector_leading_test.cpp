// Every row of the table in docs/architecture.md, section "Leader election", that is about the leader and about the
// end.
#include <string>

#include "leader/leader_elector_fixture.h"

namespace kube_events {
namespace {

using namespace std::chrono_literals;

TEST_F(LeaderElectorTest, RenewsWithoutReadingFirst) {
  const LeaseRecord first = Holding();
  now_ += 2s;
  wall_ += 2s;
  const auto write = Only<WriteLease>(Feed(ElectionTimerFired{}));
  EXPECT_FALSE(write.create);
  EXPECT_EQ(write.timeout, 5s) << "half of the deadline, for a second attempt";
  LeaseRecord expected = first;
  expected.renew_time = "2027-01-15T08:00:02.000000Z";
  EXPECT_EQ(write.record, expected);
  EXPECT_EQ(Only<Lead>(Feed(LeaseWritten{})).until, kStart + 12s);
}

TEST_F(LeaderElectorTest, RenewsVisiblyAlsoWhenItsClockStandsStill) {
  const std::string first = Holding().renew_time;
  now_ += 2s;
  wall_ -= 1h;
  const std::string second = Only<WriteLease>(Feed(ElectionTimerFired{})).record.renew_time;
  EXPECT_GT(second, first);
}

TEST_F(LeaderElectorTest, TriesAgainUntilItsDeadline) {
  Renewing();
  now_ += 5s;
  auto effects = Feed(Failed(ErrorKind::kRetry, "no answer"));
  EXPECT_TRUE(Has<ReportElectionTrouble>(effects));
  EXPECT_EQ(Only<StartElectionTimer>(effects).delay, 2s);
  EXPECT_TRUE(machine_.Leads(now_));
  now_ += 2s;
  EXPECT_EQ(Only<WriteLease>(Feed(ElectionTimerFired{})).timeout, 1s) << "not beyond the deadline";
  now_ += 500ms;
  EXPECT_EQ(Only<StartElectionTimer>(Feed(Failed(ErrorKind::kRetry, "no answer"))).delay, 500ms);
  now_ += 500ms;
  effects = Feed(ElectionTimerFired{});
  EXPECT_EQ(Only<LoseLease>(effects).reason, "it could not be renewed within 10s; the last attempt: no answer");
  EXPECT_TRUE(Has<EndElection>(effects));
  EXPECT_EQ(machine_.phase(), ElectionPhase::kEnded);
  EXPECT_FALSE(machine_.Leads(now_));
}

class SuspendedLeader : public LeaderElectorTest, public ::testing::WithParamInterface<ElectionInput> {};

TEST_P(SuspendedLeader, GivesUpWhateverItFindsFirst) {
  Renewing();
  now_ += 1h;
  EXPECT_FALSE(machine_.Leads(now_));
  EXPECT_TRUE(Has<LoseLease>(Feed(GetParam())));
}

INSTANTIATE_TEST_SUITE_P(Inputs, SuspendedLeader,
                         ::testing::Values(LeaseWritten{}, ElectionTimerFired{},
                                           LeaseFailed{Error{ErrorKind::kConflict, "", {}, {}}}));

TEST_F(LeaderElectorTest, LooksWhoHasChangedItsLease) {
  Renewing();
  EXPECT_TRUE(Has<ReadLease>(Feed(Failed(ErrorKind::kConflict))));
  EXPECT_EQ(machine_.phase(), ElectionPhase::kChecking);
}

TEST_F(LeaderElectorTest, LooksOnlyOncePerRenewal) {
  const LeaseRecord ours = Checking();
  EXPECT_TRUE(Has<WriteLease>(Feed(LeaseSeen{ours})));
  const auto effects = Feed(Failed(ErrorKind::kConflict));
  EXPECT_FALSE(Has<ReadLease>(effects));
  EXPECT_TRUE(Has<StartElectionTimer>(effects));
  EXPECT_EQ(machine_.phase(), ElectionPhase::kHolding);
}

TEST_F(LeaderElectorTest, EndsAtOnceWhereAnotherHasTakenItsLease) {
  Checking();
  EXPECT_EQ(Only<LoseLease>(Feed(LeaseSeen{HeldBy("other")})).reason, "\"other\" has taken it");
  EXPECT_FALSE(machine_.Leads(now_));
}

TEST_F(LeaderElectorTest, RenewsALeaseThatWasOnlyTouched) {
  const LeaseRecord ours = Checking();
  const auto write = Only<WriteLease>(Feed(LeaseSeen{ours}));
  EXPECT_FALSE(write.create);
  EXPECT_EQ(write.record.acquire_time, ours.acquire_time);
  EXPECT_TRUE(Has<Lead>(Feed(LeaseWritten{})));
}

TEST_F(LeaderElectorTest, TakesBackWhatNobodyHolds) {
  Checking();
  EXPECT_EQ(Only<WriteLease>(Feed(LeaseSeen{HeldBy("")})).record.holder, "me");
}

TEST_F(LeaderElectorTest, CreatesItsLeaseAgainWhereItWasDeleted) {
  Renewing();
  EXPECT_TRUE(Has<ReadLease>(Feed(Failed(ErrorKind::kNotFound))));
  EXPECT_TRUE(Only<WriteLease>(Feed(LeaseMissing{})).create);
  EXPECT_TRUE(Has<Lead>(Feed(LeaseWritten{})));
}

TEST_F(LeaderElectorTest, TriesAgainWhereItCannotLook) {
  Checking();
  const auto effects = Feed(Failed(ErrorKind::kRetry));
  EXPECT_TRUE(Has<ReportElectionTrouble>(effects));
  EXPECT_EQ(machine_.phase(), ElectionPhase::kHolding);
  EXPECT_TRUE(Has<WriteLease>(Feed(ElectionTimerFired{})));
}

// ---- the end -----------------------------------------------------------------------------------------------------

TEST_F(LeaderElectorTest, ReleasesTheLeaseWhenItIsStopped) {
  Holding();
  const auto write = Only<WriteLease>(Feed(ElectionStopped{}));
  EXPECT_FALSE(machine_.Leads(now_));
  EXPECT_FALSE(write.create);
  EXPECT_EQ(write.record.holder, "");
  EXPECT_EQ(write.record.duration, 1s);
  EXPECT_EQ(write.record.transitions, 0);
  EXPECT_TRUE(Has<EndElection>(Feed(LeaseWritten{})));
  EXPECT_EQ(machine_.phase(), ElectionPhase::kEnded);
}

TEST_F(LeaderElectorTest, ReadsBeforeItReleasesWhereAWriteWasUnderWay) {
  for (const bool leader : {false, true}) {
    LeaderElector fresh{{.identity = "me", .times = {}, .seed = 1}};
    fresh.Handle(ElectionStarted{}, now_, wall_);
    const LeaseRecord ours = Only<WriteLease>(fresh.Handle(LeaseMissing{}, now_, wall_)).record;
    if (leader) {
      fresh.Handle(LeaseWritten{}, now_, wall_);
      fresh.Handle(ElectionTimerFired{}, now_, wall_);
    }
    EXPECT_TRUE(Has<ReadLease>(fresh.Handle(ElectionStopped{}, now_, wall_)));
    EXPECT_EQ(Only<WriteLease>(fresh.Handle(LeaseSeen{ours}, now_, wall_)).record.holder, "");
    EXPECT_TRUE(Has<EndElection>(fresh.Handle(Failed(ErrorKind::kConflict), now_, wall_)));
  }
}

TEST_F(LeaderElectorTest, ReleasesNothingThatIsNotItsOwn) {
  Renewing();
  Feed(ElectionStopped{});
  const auto effects = Feed(LeaseSeen{HeldBy("other")});
  EXPECT_FALSE(Has<WriteLease>(effects));
  EXPECT_TRUE(Has<EndElection>(effects));
}

TEST_F(LeaderElectorTest, EndsAtOnceAsACandidate) {
  Waiting(HeldBy("other"));
  const auto effects = Feed(ElectionStopped{});
  EXPECT_TRUE(Has<EndElection>(effects));
  EXPECT_EQ(effects.size(), 1U);
  EXPECT_TRUE(Feed(ElectionTimerFired{}).empty());
}

TEST_F(LeaderElectorTest, IgnoresWhatItDoesNotExpect) {
  EXPECT_TRUE(Feed(ElectionTimerFired{}).empty());
  Holding();
  EXPECT_TRUE(Feed(LeaseMissing{}).empty());
  EXPECT_TRUE(Feed(ElectionStarted{}).empty());
  EXPECT_EQ(machine_.phase(), ElectionPhase::kHolding);
}

}  // namespace
}  // namespace kube_events
