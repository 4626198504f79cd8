// Every transition of the WatchMachine, by name; those of watches and of positions have files of their own.
#include "informer/watch_machine_fixture.h"

namespace kube_events {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;

TEST_F(WatchMachineTest, StartsWithAList) {
  EXPECT_THAT(Handle(Started{}), ElementsAre("timer", "list"));
  EXPECT_EQ(machine_.phase(), WatchPhase::kListing);
  EXPECT_FALSE(machine_.synced());
}

TEST_F(WatchMachineTest, ListsPageByPageAndThenWatchesFromTheFirstPagesVersion) {
  Handle(Started{});
  EXPECT_THAT(Handle(PageReceived{"100", "next"}), ElementsAre("begin first", "deliver"));
  EXPECT_THAT(Handle(PageDelivered{}), ElementsAre("timer", "list next"));
  EXPECT_THAT(Handle(PageReceived{"101", ""}), ElementsAre("deliver"));
  EXPECT_THAT(Handle(PageDelivered{}), ElementsAre("commit", "timer", "watch 100"));
  EXPECT_TRUE(machine_.synced());
  EXPECT_EQ(machine_.phase(), WatchPhase::kOpening);
}

TEST_F(WatchMachineTest, AFailedListIsListedAgainAfterABackoffAndIsStillTheFirst) {
  Handle(Started{});
  Handle(PageReceived{"100", "next"});
  Handle(PageDelivered{});
  EXPECT_THAT(End(ErrorKind::kRetry, "reset"), ElementsAre("timer"));
  EXPECT_GE(delay_, milliseconds(800));
  EXPECT_THAT(AfterPause(), ElementsAre("timer", "list"));
  EXPECT_THAT(Handle(PageReceived{"120", ""}), ElementsAre("begin first", "deliver"));
}

TEST_F(WatchMachineTest, AnExpiredContinueTokenIsListedAgainAtOnceButNotInALoop) {
  Handle(Started{});
  Handle(PageReceived{"100", "next"});
  Handle(PageDelivered{});
  Pass(seconds(2));
  EXPECT_THAT(End(ErrorKind::kExpired), ElementsAre("timer"));
  EXPECT_EQ(delay_, milliseconds(0));
  AfterPause();
  EXPECT_THAT(End(ErrorKind::kExpired), ElementsAre("timer"));
  EXPECT_GE(delay_, milliseconds(800)) << "410 on the first page";
}

TEST_F(WatchMachineTest, AContinueTokenThatKeepsExpiringIsSlowedDown) {
  Handle(Started{});
  for (int i = 0; i < 4; ++i) {
    Handle(PageReceived{"100", "next"});
    Handle(PageDelivered{});
    Pass(seconds(2));
    End(ErrorKind::kExpired);
    EXPECT_GE(delay_, milliseconds(i > 0 ? 800 : 0)) << i;
    AfterPause();
  }
}

TEST_F(WatchMachineTest, APageThatDoesNotComeIsCancelledAndRetried) {
  Handle(Started{});
  EXPECT_THAT(AfterPause(), ElementsAre("cancel timeout", "timer"));
  EXPECT_EQ(machine_.phase(), WatchPhase::kPausing);
  EXPECT_THAT(AfterPause(), ElementsAre("timer", "list"));
}

TEST_F(WatchMachineTest, AnUnauthenticatedListIsRepeatedOnceAtOnceWithFreshCredentials) {
  Handle(Started{});
  EXPECT_THAT(End(ErrorKind::kUnauthenticated), ElementsAre("refresh", "timer"));
  EXPECT_EQ(delay_, milliseconds(0));
  EXPECT_THAT(AfterPause(), ElementsAre("timer", "list"));
  EXPECT_THAT(End(ErrorKind::kUnauthenticated), ElementsAre("refresh", "timer"));
  EXPECT_GE(delay_, milliseconds(800));
}

TEST_F(WatchMachineTest, AForbiddenListIsRetriedForEver) {
  Handle(Started{});
  for (int i = 0; i < 50; ++i) {
    EXPECT_THAT(End(ErrorKind::kForbidden, "Forbidden"), ElementsAre("timer"));
    EXPECT_THAT(AfterPause(), ElementsAre("timer", "list"));
  }
}

TEST_F(WatchMachineTest, InputsThatAStateDoesNotExpectChangeNothing) {
  EXPECT_THAT(Handle(TimerFired{}), IsEmpty());
  EXPECT_THAT(Handle(WatchOpened{}), IsEmpty());
  EXPECT_THAT(EndCleanly(), IsEmpty());
  GetWatching();
  EXPECT_THAT(Handle(Started{}), IsEmpty());
  EXPECT_THAT(Handle(PageReceived{"7", ""}), IsEmpty());
  EXPECT_THAT(Handle(PageDelivered{}), IsEmpty());
  EXPECT_EQ(machine_.position(), "100");
  EXPECT_EQ(machine_.phase(), WatchPhase::kWatching);
}

}  // namespace
}  // namespace kube_events
