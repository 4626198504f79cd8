// The transitions of the WatchMachine that are about watches: how they end, and what follows.
#include "informer/watch_machine_fixture.h"

namespace kube_events {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;

TEST_F(WatchMachineTest, AWatchThatIsNotAnsweredIsCancelledAndOpenedAgain) {
  Handle(Started{});
  ListWhole("100");
  EXPECT_EQ(delay_, seconds(35));
  EXPECT_THAT(AfterPause(), ElementsAre("cancel timeout", "timer"));
  EXPECT_THAT(AfterPause(), ElementsAre("timer", "watch 100"));
}

TEST_F(WatchMachineTest, RotatesTheWatchWithinTheIntervalFromTheLastPosition) {
  GetWatching();
  EXPECT_GE(delay_, seconds(270));
  EXPECT_LE(delay_, seconds(300));
  machine_.Advance("150");
  EXPECT_THAT(UpToProbe(), ElementsAre("cancel", "timer", "probe"));
  EXPECT_THAT(Handle(PageReceived{"150", ""}), ElementsAre("timer", "watch 150"));
}

TEST_F(WatchMachineTest, ACleanEndIsOpenedAgainFromTheLastPositionAtMostOncePerSecond) {
  GetWatching();
  machine_.Advance("101");
  Pass(milliseconds(300));
  EXPECT_THAT(EndCleanly(), ElementsAre("timer"));
  EXPECT_EQ(delay_, milliseconds(700));
  EXPECT_THAT(AfterPause(), ElementsAre("timer", "watch 101"));
  Handle(WatchOpened{});
  Pass(seconds(60));
  EXPECT_THAT(EndCleanly(), ElementsAre("timer"));
  EXPECT_EQ(delay_, milliseconds(0));
}

TEST_F(WatchMachineTest, AnEmptyWatchThatEndsAtOnceTwiceLeadsToAListAfterABackoff) {
  GetWatching();
  Pass(milliseconds(20));
  EXPECT_THAT(EndCleanly(), ElementsAre("timer"));
  EXPECT_TRUE(machine_.watches_last());
  EXPECT_THAT(AfterPause(), ElementsAre("timer", "watch 100"));
  Handle(WatchOpened{});
  EXPECT_THAT(EndCleanly(), ElementsAre("relist short_watch", "timer"));
  EXPECT_FALSE(machine_.watches_last());
  EXPECT_GE(delay_, milliseconds(800));
  EXPECT_THAT(AfterPause(), ElementsAre("timer", "list"));
  EXPECT_THAT(Handle(PageReceived{"200", ""}), ElementsAre("begin relist", "deliver"));
  Handle(PageDelivered{});
  EXPECT_EQ(machine_.position(), "200");
}

TEST_F(WatchMachineTest, AnEmptyWatchThatWasAnsweredLateAndEndsAtOnceLeadsToAListToo) {
  Handle(Started{});
  ListWhole("100");
  Pass(milliseconds(1500));
  Handle(WatchOpened{});
  Pass(milliseconds(10));
  EXPECT_THAT(EndCleanly(), ElementsAre("timer"));
  AfterPause();
  Pass(milliseconds(1500));
  Handle(WatchOpened{});
  EXPECT_THAT(EndCleanly(), ElementsAre("relist short_watch", "timer"));
}

TEST_F(WatchMachineTest, EmptyWatchesThatEndAtOnceAreSlowedDownMoreAndMore) {
  GetWatching();
  EndCleanly();
  const auto first = delay_;
  for (int i = 0; i < 6; ++i) {
    AfterPause();
    ListWhole("100");
    Handle(WatchOpened{});
    EndCleanly();
  }
  EXPECT_GT(delay_, first * 4);
  EXPECT_LE(delay_, seconds(60));
}

TEST_F(WatchMachineTest, A410InTheStreamOfAWatchThatWasWellLeadsToAListAtOnceAndReportsTheGap) {
  GetWatching();
  Pass(seconds(10));
  EXPECT_THAT(End(ErrorKind::kExpired), ElementsAre("relist expired", "timer"));
  EXPECT_EQ(delay_, milliseconds(0));
  AfterPause();
  Handle(PageReceived{"300", ""});
  Pass(milliseconds(250));
  EXPECT_THAT(Handle(PageDelivered{}), ElementsAre("commit", "gap 250", "timer", "watch 300"));
}

TEST_F(WatchMachineTest, A410AsTheAnswerToAWatchLeadsToAListAfterABackoff) {
  GetWatching();
  Pass(seconds(5));
  End(ErrorKind::kRetry, "reset");
  AfterPause();
  ASSERT_EQ(machine_.phase(), WatchPhase::kOpening);
  EXPECT_THAT(End(ErrorKind::kExpired), ElementsAre("relist expired", "timer"));
  EXPECT_GE(delay_, milliseconds(800));
  EXPECT_THAT(AfterPause(), ElementsAre("timer", "list"));
}

TEST_F(WatchMachineTest, TheGapReachesBackToWhenTheWatchWasLastOpen) {
  GetWatching();
  Pass(seconds(5));
  End(ErrorKind::kRetry, "reset");
  const MonotonicTime lost = now_;
  AfterPause();
  Pass(seconds(20));
  End(ErrorKind::kExpired);
  AfterPause();
  Handle(PageReceived{"300", ""});
  const auto gap = std::chrono::duration_cast<milliseconds>(now_ - lost).count();
  EXPECT_THAT(Handle(PageDelivered{}), testing::Contains("gap " + std::to_string(gap)));
}

TEST_F(WatchMachineTest, AStreamThatBreaksIsOpenedAgainFromTheSamePosition) {
  GetWatching();
  machine_.Advance("105");
  Pass(seconds(3));
  EXPECT_THAT(End(ErrorKind::kRetry, "reset"), ElementsAre("timer"));
  EXPECT_EQ(delay_, milliseconds(0));
  EXPECT_THAT(AfterPause(), ElementsAre("timer", "watch 105"));
}

TEST_F(WatchMachineTest, AnUnreachableServerIsAskedForTheSameWatchForEver) {
  GetWatching();
  Pass(seconds(3));
  End(ErrorKind::kRetry, "reset");
  for (int i = 0; i < 20; ++i) {
    EXPECT_THAT(AfterPause(), ElementsAre("timer", "watch 100")) << "attempt " << i;
    EXPECT_THAT(End(ErrorKind::kRetry, "connect"), ElementsAre("timer"));
    EXPECT_LE(delay_, seconds(60));
  }
  EXPECT_GE(delay_, seconds(30));
}

TEST_F(WatchMachineTest, AnOverloadedServerIsGivenTheTimeItAsksForAndKeepsThePosition) {
  GetWatching();
  for (int i = 0; i < 10; ++i) {
    EXPECT_THAT(End(ErrorKind::kRetry, "TooManyRequests", seconds(45)), ElementsAre("timer"));
    EXPECT_GE(delay_, seconds(45));
    EXPECT_THAT(AfterPause(), ElementsAre("timer", "watch 100"));
  }
}

TEST_F(WatchMachineTest, ARetryAfterOfAnHourIsCappedAtAMinute) {
  GetWatching();
  End(ErrorKind::kRetry, "ServiceUnavailable", seconds(3600));
  EXPECT_EQ(delay_, seconds(60));
}

TEST_F(WatchMachineTest, AThirdInternalErrorInARowLeadsToAList) {
  GetWatching();
  EXPECT_THAT(End(ErrorKind::kRetry, "InternalError"), ElementsAre("timer"));
  EXPECT_THAT(AfterPause(), ElementsAre("timer", "watch 100"));
  EXPECT_THAT(End(ErrorKind::kRetry, "InternalError"), ElementsAre("timer"));
  EXPECT_THAT(AfterPause(), ElementsAre("timer", "watch 100"));
  EXPECT_THAT(End(ErrorKind::kRetry, "InternalError"), ElementsAre("relist errors", "timer"));
  EXPECT_THAT(AfterPause(), ElementsAre("timer", "list"));
}

TEST_F(WatchMachineTest, AFrameBetweenErrorsProvesThePosition) {
  GetWatching();
  for (int i = 0; i < 10; ++i) {
    machine_.Advance(std::to_string(101 + i));
    EXPECT_THAT(End(ErrorKind::kRetry, "InternalError"), ElementsAre("timer"));
    AfterPause();
    Handle(WatchOpened{});
  }
}

TEST_F(WatchMachineTest, AnUnauthenticatedRequestIsRepeatedOnceAtOnceWithFreshCredentials) {
  GetWatching();
  EXPECT_THAT(End(ErrorKind::kUnauthenticated), ElementsAre("refresh", "timer"));
  EXPECT_EQ(delay_, milliseconds(0));
  EXPECT_THAT(AfterPause(), ElementsAre("timer", "watch 100"));
  EXPECT_THAT(End(ErrorKind::kUnauthenticated), ElementsAre("refresh", "timer"));
  EXPECT_GE(delay_, milliseconds(800));
}

TEST_F(WatchMachineTest, AStreamThatMakesNoSenseLeadsToAList) {
  GetWatching();
  EXPECT_THAT(End(ErrorKind::kInvalid), ElementsAre("relist invalid", "timer"));
}

TEST_F(WatchMachineTest, ALongOpenWatchResetsTheBackoff) {
  GetWatching();
  for (int i = 0; i < 8; ++i) {
    End(ErrorKind::kRetry, "connect");
    AfterPause();
  }
  Handle(WatchOpened{});
  Pass(seconds(61));
  End(ErrorKind::kRetry, "reset");
  AfterPause();
  End(ErrorKind::kRetry, "connect");
  EXPECT_LT(delay_, milliseconds(1600));
}

}  // namespace
}  // namespace kube_events
