// Every row of the table of states in docs/architecture.md.
#include "kube_events/supervisor/reload_controller.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kube_events {
namespace {

using namespace std::chrono_literals;
using namespace reload_effect;
namespace in = reload_input;
using Verdict = in::Checked::Verdict;

// Names of effects, e.g. "scan finished:applied".
std::string Names(const ReloadEffects& effects) {
  std::string names;
  for (const auto& effect : effects) {
    constexpr const char* kNames[] = {"scan", "check", "count", "trigger", "end", "finished", "swallowed", "busy"};
    names += (names.empty() ? "" : " ") + std::string(kNames[effect.index()]);
    if (const auto* finished = std::get_if<Finished>(&effect)) names += ":" + std::string(ToString(finished->result));
  }
  return names;
}

class ReloadControllerTest : public testing::Test {
 protected:
  static constexpr std::uint64_t kOld = 10, kNew = 20, kNewer = 30;

  static ReloadOptions Options() {
    ReloadOptions options;
    options.reload_timeout = 60s;
    options.retrigger.jitter = options.busy.jitter = options.failed.jitter = 0;
    return options;
  }

  std::string Step(const ReloadInput& input) {
    effects_ = controller_.Step(now_, input);
    return Names(effects_);
  }
  // The next Tick, at its time.
  std::string Tick() {
    EXPECT_TRUE(controller_.NextWake());
    now_ = controller_.NextWake().value_or(now_);
    return Step(in::Tick{});
  }
  const Finished& Last() const {
    for (const auto& effect : effects_) {
      if (const auto* finished = std::get_if<Finished>(&effect)) return *finished;
    }
    throw std::logic_error("nothing is finished");
  }
  static in::Seen See(std::uint64_t content, std::uint64_t stamp = 0, std::string refusal = "") {
    return {{content, stamp == 0 ? content : stamp, std::move(refusal)}};
  }
  static in::Counted Count(std::uint64_t count) { return {{.http = count}}; }
  static in::Counted NoHttp(std::uint64_t lines, bool visible = true) {
    return {{.log_lines = lines, .http_before = false, .http_wanted = false, .log_visible = visible}};
  }
  static in::Checked Good() { return {}; }
  static in::Triggered Answer(TriggerAnswer answer) { return {answer, "words"}; }
  ReloadState State() const { return controller_.State(); }

  void GoIdle() {
    Step(in::ChildReady{});
    Step(See(kOld));
    ASSERT_EQ(State(), ReloadState::kIdle);
  }
  void GoTriggering() {
    GoIdle();
    Step(See(kNew));
    Step(Good());
    Step(Count(0));
    Step(See(kNew));
    ASSERT_EQ(State(), ReloadState::kTriggering);
  }
  void GoWaiting() {
    GoTriggering();
    Step(Answer(TriggerAnswer::kAccepted));
    ASSERT_EQ(State(), ReloadState::kWaiting);
  }
  // A repeated trigger was accepted.
  void GoConfirming() {
    GoWaiting();
    while (State() != ReloadState::kArming) {
      Tick();
      Step(Count(0));
    }
    Step(See(kNew));
    Step(Answer(TriggerAnswer::kAccepted));
    ASSERT_EQ(State(), ReloadState::kConfirming);
  }
  void GoProving() {
    GoWaiting();
    Tick();
    Step(Count(1));
    ASSERT_EQ(State(), ReloadState::kProving);
  }

  MonotonicTime now_{1h};
  ReloadController controller_{Options(), SeenConfig{kOld, kOld, ""}};
  ReloadEffects effects_;
};

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
