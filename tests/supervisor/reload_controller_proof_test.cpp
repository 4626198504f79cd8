// Every row of the table of states in docs/architecture.md that follows a trigger: what proves that it worked.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "supervisor/reload_controller_fixture.h"

namespace kube_events {
namespace {

using namespace std::chrono_literals;
namespace in = reload_input;

TEST_F(ReloadControllerTest, AnAcceptedTriggerMakesWhatRunsUncertain) {
  GoWaiting();
  EXPECT_EQ(controller_.Running(), std::nullopt);
  EXPECT_EQ(*controller_.NextWake() - now_, 100ms);
}

TEST_F(ReloadControllerTest, TheCountIsAskedMoreAndMoreSlowly) {
  GoWaiting();
  for (const auto pause : {200ms, 400ms, 800ms}) {
    EXPECT_EQ(Tick(), "count");
    EXPECT_EQ(State(), ReloadState::kAsking);
    EXPECT_EQ(Step(Count(0)), "");
    EXPECT_EQ(State(), ReloadState::kWaiting);
    EXPECT_EQ(*controller_.NextWake() - now_, pause);
  }
}

TEST_F(ReloadControllerTest, ARaisedCountOnAnUntouchedDiskIsTheProof) {
  GoWaiting();
  Tick();
  EXPECT_EQ(Step(Count(1)), "scan");
  EXPECT_EQ(State(), ReloadState::kProving);
  EXPECT_EQ(Step(See(kNew)), "finished:applied");
  EXPECT_TRUE(Last().certain);
  EXPECT_EQ(Last().took, 100ms);
  EXPECT_EQ(controller_.Running(), kNew);
  EXPECT_EQ(State(), ReloadState::kQuiet);
  EXPECT_EQ(*controller_.NextWake() - now_, 250ms) << "triggers are lost right after a reload";
  EXPECT_EQ(Tick(), "scan");
  EXPECT_EQ(Step(See(kNew)), "");
  EXPECT_EQ(State(), ReloadState::kIdle);
}

TEST_F(ReloadControllerTest, ARaisedCountOnATouchedDiskReloadsOnceMore) {
  GoProving();
  EXPECT_EQ(Step(See(kNew, 21)), "finished:applied");
  EXPECT_FALSE(Last().certain);
  EXPECT_EQ(controller_.Running(), std::nullopt);
  Tick();
  EXPECT_EQ(Step(See(kNew, 21)), "check");
}

TEST_F(ReloadControllerTest, AChangeDuringAReloadIsFollowedByAnother) {
  GoWaiting();
  EXPECT_EQ(Step(See(kNewer)), "");
  Tick();
  Step(Count(1));
  EXPECT_EQ(Step(See(kNewer)), "finished:applied");
  EXPECT_EQ(Last().content, kNew);
  Tick();
  EXPECT_EQ(Step(See(kNewer)), "check");
}

TEST_F(ReloadControllerTest, ATriggerWithoutEffectIsRepeatedAfterALookAtTheDisk) {
  GoWaiting();
  const auto triggered = now_;
  std::string effects;
  while (State() != ReloadState::kArming) {
    Tick();
    effects = Step(Count(0));
  }
  EXPECT_EQ(effects, "scan");
  EXPECT_GE(now_ - triggered, 2s);
  EXPECT_LE(now_ - triggered, 3s);
  EXPECT_EQ(Step(See(kNew)), "trigger");
}

TEST_F(ReloadControllerTest, ARepeatedTriggerThatIsAcceptedProvesTheFirstOneSwallowed) {
  GoConfirming();
  EXPECT_EQ(Names(effects_), "count");
  EXPECT_EQ(Step(Count(0)), "swallowed");
  EXPECT_EQ(State(), ReloadState::kWaiting);
}

TEST_F(ReloadControllerTest, ARepeatedTriggerMayFindThatTheFirstOneWorkedAfterAll) {
  GoConfirming();
  EXPECT_EQ(Step(Count(1)), "scan");
  EXPECT_EQ(State(), ReloadState::kProving);
}

TEST_F(ReloadControllerTest, AChildBusyWithOurOwnReloadIsWaitedFor) {
  GoWaiting();
  while (State() != ReloadState::kArming) {
    Tick();
    Step(Count(0));
  }
  Step(See(kNew));
  EXPECT_EQ(Step(Answer(TriggerAnswer::kBusy)), "");
  EXPECT_EQ(State(), ReloadState::kWaiting);
  Tick();
  Step(Count(1));
  EXPECT_EQ(State(), ReloadState::kProving);
}

TEST_F(ReloadControllerTest, AReloadThatDoesNotEndEndsTheChild) {
  GoWaiting();
  std::string effects;
  for (int i = 0; i < 1000 && State() != ReloadState::kEnding; ++i) {
    if (State() == ReloadState::kWaiting) Tick();
    if (State() == ReloadState::kArming) Step(See(kNew));
    effects = State() == ReloadState::kTriggering ? Step(Answer(TriggerAnswer::kBusy)) : Step(Count(0));
  }
  EXPECT_EQ(effects, "finished:timeout end");
  EXPECT_GE(now_ - MonotonicTime{1h}, 60s);
  EXPECT_EQ(Step(See(kNewer)), "") << "it is over";
  EXPECT_EQ(controller_.NextWake(), std::nullopt);
}

TEST_F(ReloadControllerTest, ARefusedDiskKeepsAnUnprovenTriggerAwaitedButNotRepeated) {
  GoWaiting();
  while (State() != ReloadState::kArming) {
    Tick();
    Step(Count(0));
  }
  EXPECT_EQ(Step(See(kNewer, 31, "empty")), "");
  EXPECT_EQ(State(), ReloadState::kQuiet);
  EXPECT_EQ(*controller_.NextWake() - now_, 1'500ms) << "the trigger may have met it and been rejected";
  Tick();
  EXPECT_EQ(Step(See(kNewer, 31, "empty")), "finished:rejected");
  EXPECT_EQ(State(), ReloadState::kWaiting);
  for (int i = 0; i < 100; ++i) {
    if (State() != ReloadState::kWaiting) break;
    EXPECT_THAT(Tick(), testing::AnyOf("count", ""));
    if (State() == ReloadState::kAsking) {
      EXPECT_EQ(Step(Count(0)), "");
    }
  }
  EXPECT_EQ(State(), ReloadState::kIdle) << "a good child is not ended for it";
}

TEST_F(ReloadControllerTest, WithoutHttpServerALogLineIsTheProof) {
  GoIdle();
  Step(See(kNew));
  Step(Good());
  Step(NoHttp(3));
  Step(See(kNew));
  Step(Answer(TriggerAnswer::kAccepted));
  Tick();
  EXPECT_EQ(Step(NoHttp(3)), "");
  Tick();
  EXPECT_EQ(Step(NoHttp(4)), "scan");
  Step(See(kNew));
  EXPECT_EQ(Last().proof, ReloadProof::kLogLine);
}

TEST_F(ReloadControllerTest, WithoutHttpServerAndLogTimeIsTheProof) {
  GoIdle();
  Step(See(kNew));
  Step(Good());
  Step(NoHttp(0, false));
  Step(See(kNew));
  Step(Answer(TriggerAnswer::kAccepted));
  const auto triggered = now_;
  while (State() != ReloadState::kProving) {
    Tick();
    Step(NoHttp(0, false));
    ASSERT_LE(now_ - triggered, 5s);
  }
  EXPECT_GE(now_ - triggered, 2s);
  Step(See(kNew));
  EXPECT_EQ(Last().proof, ReloadProof::kSettled);
}

TEST_F(ReloadControllerTest, AnHttpServerThatShouldBeThereHasToComeBack) {
  GoWaiting();
  Tick();
  EXPECT_EQ(Step(in::Counted{{.log_lines = 1, .log_visible = true}}), "") << "a log line is not enough";
}

}  // namespace
}  // namespace kube_events
