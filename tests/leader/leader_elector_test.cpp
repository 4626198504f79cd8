// Every row of the table in docs/architecture.md, section "Leader election".
#include "kube_events/leader/leader_elector.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace kube_events {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

const MonotonicTime kStart{1000s};
const WallTime kWall{std::chrono::microseconds{1'800'000'000'000'000}};

class LeaderElectorTest : public ::testing::Test {
 protected:
  ElectionEffects Feed(const ElectionInput& input) { return machine_.Handle(input, now_, wall_); }

  // The one effect of this kind; fails the test where there is none.
  template <typename T>
  static T Only(const ElectionEffects& effects) {
    const T* found = nullptr;
    for (const auto& effect : effects) {
      if (const T* it = std::get_if<T>(&effect)) found = it;
    }
    EXPECT_NE(found, nullptr);
    return found != nullptr ? *found : T{};
  }
  template <typename T>
  static bool Has(const ElectionEffects& effects) {
    for (const auto& effect : effects) {
      if (std::holds_alternative<T>(effect)) return true;
    }
    return false;
  }

  static LeaseRecord HeldBy(const std::string& holder, const std::string& renew_time = "t1", int transitions = 3) {
    return {holder, 15s, "t0", renew_time, transitions};
  }
  static LeaseFailed Failed(ErrorKind kind, const std::string& message = "broken") {
    return {Error{kind, message, {}, {}}};
  }

  // Brings the machine to a phase by the shortest way.
  void Reading() { Feed(ElectionStarted{}); }
  LeaseRecord Taking() {
    Reading();
    return Only<WriteLease>(Feed(LeaseMissing{})).record;
  }
  LeaseRecord Holding() {
    LeaseRecord record = Taking();
    Feed(LeaseWritten{});
    return record;
  }
  LeaseRecord Renewing() {
    Holding();
    now_ += 2s;
    return Only<WriteLease>(Feed(ElectionTimerFired{})).record;
  }
  LeaseRecord Checking() {
    LeaseRecord record = Renewing();
    Feed(Failed(ErrorKind::kConflict));
    return record;
  }
  // As a candidate behind `record`.
  void Waiting(const LeaseRecord& record) {
    Reading();
    Feed(LeaseSeen{record});
  }

  MonotonicTime now_ = kStart;
  WallTime wall_ = kWall;
  LeaderElector machine_{{.identity = "me", .times = {}, .seed = 1}};
};

// ---- candidates --------------------------------------------------------------------------------------------------

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

// ---- the leader --------------------------------------------------------------------------------------------------

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

// ---- times -------------------------------------------------------------------------------------------------------

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
