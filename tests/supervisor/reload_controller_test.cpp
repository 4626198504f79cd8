// Every row of the table of states in docs/architecture.md, up to the trigger; what follows it is in
// reload_controller_proof_test.cpp.
#include "supervisor/reload_controller_fixture.h"

namespace kube_events {
namespace {

using namespace std::chrono_literals;
namespace in = reload_input;
using Verdict = in::Checked::Verdict;

TEST_F(ReloadControllerTest, NothingIsTriggeredBeforeTheChildIsReady) {
  EXPECT_EQ(Step(See(kNew)), "");
  EXPECT_EQ(Step(in::Forced{}), "");
  EXPECT_EQ(State(), ReloadState::kStarting);
  EXPECT_EQ(Step(in::ChildReady{}), "scan");
  EXPECT_EQ(State(), ReloadState::kStarting);
}

TEST_F(ReloadControllerTest, AStartOnAnUntouchedDiskRunsWhatItShows) {
  Step(in::ChildReady{});
  EXPECT_EQ(Step(See(kOld)), "");
  EXPECT_EQ(State(), ReloadState::kIdle);
  EXPECT_EQ(controller_.Running(), kOld);
  EXPECT_FALSE(controller_.Pending());
}

TEST_F(ReloadControllerTest, AStartOnATouchedDiskIsUncertainAndReloads) {
  Step(in::ChildReady{});
  EXPECT_EQ(Step(See(kOld, 11)), "check");
  EXPECT_EQ(controller_.Running(), std::nullopt);
}

TEST_F(ReloadControllerTest, SeeingWhatRunsDoesNothing) {
  GoIdle();
  EXPECT_EQ(Step(See(kOld, 11)), "") << "touched, but the same content";
  EXPECT_EQ(State(), ReloadState::kIdle);
}

TEST_F(ReloadControllerTest, WhatIsRefusedIsToldOnce) {
  GoIdle();
  EXPECT_EQ(Step(See(kNew, 21, "empty")), "finished:rejected");
  EXPECT_EQ(Last().words, "empty");
  EXPECT_EQ(Step(See(kNew, 22, "empty")), "");
  EXPECT_TRUE(controller_.Pending());
  EXPECT_EQ(Step(See(kOld, 23)), "");
  EXPECT_FALSE(controller_.Pending());
  EXPECT_EQ(Step(See(kNew, 24, "empty")), "finished:rejected") << "it came again";
}

TEST_F(ReloadControllerTest, AChangeIsCheckedFirst) {
  GoIdle();
  EXPECT_EQ(Step(See(kNew)), "check");
  EXPECT_EQ(State(), ReloadState::kChecking);
  EXPECT_EQ(Step(Good()), "count");
  EXPECT_EQ(State(), ReloadState::kCounting);
  EXPECT_EQ(Step(Count(7)), "scan");
  EXPECT_EQ(State(), ReloadState::kArming);
  EXPECT_EQ(Step(See(kNew)), "trigger");
  EXPECT_EQ(State(), ReloadState::kTriggering);
}

TEST_F(ReloadControllerTest, AForcedReloadNeedsNoChange) {
  GoIdle();
  EXPECT_EQ(Step(in::Forced{}), "scan");
  EXPECT_EQ(Step(See(kOld)), "check");
  EXPECT_TRUE(controller_.Pending());
}

TEST_F(ReloadControllerTest, ABadConfigurationIsJudgedByAnUntouchedDisk) {
  GoIdle();
  Step(See(kNew));
  EXPECT_EQ(Step(in::Checked{Verdict::kBad, "bad plugin"}), "scan");
  EXPECT_EQ(State(), ReloadState::kJudging);
  EXPECT_EQ(Step(See(kNew)), "finished:rejected");
  EXPECT_EQ(Last().words, "bad plugin");
  EXPECT_EQ(State(), ReloadState::kIdle);
  EXPECT_EQ(Step(See(kNew, 21)), "") << "it is not tried again";
  EXPECT_EQ(Step(in::Forced{}), "scan");
  EXPECT_EQ(Step(See(kNew, 21)), "check") << "but SIGHUP wants it tried";
}

TEST_F(ReloadControllerTest, ABadVerdictOnATouchedDiskIsNone) {
  GoIdle();
  Step(See(kNew));
  Step(in::Checked{Verdict::kBad, "bad plugin"});
  EXPECT_EQ(Step(See(kNew, 21)), "");
  EXPECT_EQ(State(), ReloadState::kQuiet);
  EXPECT_EQ(Tick(), "scan");
  EXPECT_EQ(Step(See(kNew, 21)), "check");
}

TEST_F(ReloadControllerTest, WithoutAVerdictTheCheckIsRepeatedLater) {
  GoIdle();
  Step(See(kNew));
  EXPECT_EQ(Step(in::Checked{Verdict::kUnknown, "no memory"}), "finished:failed");
  EXPECT_EQ(State(), ReloadState::kQuiet);
  EXPECT_EQ(*controller_.NextWake() - now_, 2s);
  Tick();
  EXPECT_EQ(Step(See(kNew)), "check");
}

TEST_F(ReloadControllerTest, WhatWasNotCheckedIsNotTriggered) {
  GoIdle();
  Step(See(kNew));
  Step(Good());
  Step(Count(0));
  EXPECT_EQ(Step(See(kNewer)), "");
  EXPECT_EQ(State(), ReloadState::kQuiet);
  Tick();
  EXPECT_EQ(Step(See(kNewer)), "check");
}

TEST_F(ReloadControllerTest, ABusyChildIsTriggeredAgainLater) {
  GoTriggering();
  EXPECT_EQ(Step(Answer(TriggerAnswer::kBusy)), "busy");
  EXPECT_EQ(State(), ReloadState::kQuiet);
  EXPECT_EQ(controller_.Running(), kOld) << "nothing of ours was accepted";
  Tick();
  EXPECT_EQ(Step(See(kNew)), "check");
}

TEST_F(ReloadControllerTest, AChildThatCannotBeToldIsAFailureAndTriedAgain) {
  GoTriggering();
  EXPECT_EQ(Step(Answer(TriggerAnswer::kDisabled)), "finished:failed");
  EXPECT_EQ(Last().words, "words");
  EXPECT_EQ(State(), ReloadState::kQuiet);
  Tick();
  Step(See(kNew));
  Step(Good());
  Step(Count(0));
  Step(See(kNew));
  EXPECT_EQ(Step(Answer(TriggerAnswer::kUnreachable)), "finished:failed");
  EXPECT_EQ(*controller_.NextWake() - now_, 4s) << "later and later";
}

TEST_F(ReloadControllerTest, AnswersThatNobodyAwaitsChangeNothing) {
  GoIdle();
  for (const ReloadInput& input :
       {ReloadInput{Good()}, ReloadInput{Count(9)}, ReloadInput{Answer(TriggerAnswer::kAccepted)},
        ReloadInput{in::Tick{}}, ReloadInput{in::ChildReady{}}}) {
    EXPECT_EQ(Step(input), "");
    EXPECT_EQ(State(), ReloadState::kIdle);
  }
}

}  // namespace
}  // namespace kube_events
