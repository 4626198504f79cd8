#include "kube_events/base/health.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/fake_clock.h"

namespace kube_events {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

class HealthTest : public testing::Test {
 protected:
  FakeClock clock_;
  Health health_{clock_};
};

TEST_F(HealthTest, IsNotReadyBeforeAnythingWasReported) {
  EXPECT_THAT(health_.NotReadyReasons(), ElementsAre("starting"));
}

TEST_F(HealthTest, IsReadyWhenEveryConditionHolds) {
  health_.SetNotReady("a", "a is not there");
  health_.SetReady("b");
  EXPECT_THAT(health_.NotReadyReasons(), ElementsAre("a is not there"));
  health_.SetReady("a");
  EXPECT_THAT(health_.NotReadyReasons(), IsEmpty());
}

TEST_F(HealthTest, AShortTroubleWithinItsGraceDoesNotShow) {
  health_.SetReady("a");
  health_.SetNotReady("a", "reconnecting", 30s);
  clock_.Advance(29s);
  EXPECT_THAT(health_.NotReadyReasons(), IsEmpty());
  clock_.Advance(1s);
  EXPECT_THAT(health_.NotReadyReasons(), ElementsAre("reconnecting"));
}

TEST_F(HealthTest, RepeatedTroubleDoesNotExtendTheGrace) {
  health_.SetReady("a");
  health_.SetNotReady("a", "first", 30s);
  clock_.Advance(20s);
  health_.SetNotReady("a", "second", 30s);
  clock_.Advance(10s);
  EXPECT_THAT(health_.NotReadyReasons(), ElementsAre("second"));
}

TEST_F(HealthTest, AConditionThatNeverHeldHasNoGrace) {
  health_.SetNotReady("a", "first list", 30s);
  EXPECT_THAT(health_.NotReadyReasons(), ElementsAre("first list"));
}

TEST_F(HealthTest, ShuttingDownEndsReadinessWhateverIsReported) {
  health_.SetReady("a");
  health_.SetShuttingDown();
  health_.SetReady("a");
  EXPECT_THAT(health_.NotReadyReasons(), ElementsAre("shutting down"));
}

TEST_F(HealthTest, ALoopThatDoesNotBeatIsStuckUntilItBeatsAgain) {
  Heartbeat& loop = health_.AddLoop("informer", 30s);
  clock_.Advance(30s);
  EXPECT_THAT(health_.StuckLoops(), IsEmpty());
  clock_.Advance(1s);
  EXPECT_THAT(health_.StuckLoops(), ElementsAre("informer: no progress for 31s"));
  loop.Beat();
  EXPECT_THAT(health_.StuckLoops(), IsEmpty());
}

}  // namespace
}  // namespace kube_events
