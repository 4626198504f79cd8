// The transitions of the WatchMachine that are about positions: saved ones, probes, servers that were restored.
#include "informer/watch_machine_fixture.h"

namespace kube_events {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;

TEST_F(WatchMachineTest, ASavedPositionIsWatchedFromAfterAListThatIsNoBaseline) {
  Resume("90");
  Handle(Started{});
  EXPECT_THAT(Handle(PageReceived{"100", ""}), ElementsAre("begin resumed", "deliver"));
  EXPECT_THAT(Handle(PageDelivered{}), ElementsAre("commit", "timer", "watch 90"));
  EXPECT_TRUE(machine_.synced());
}

TEST_F(WatchMachineTest, ASavedPositionThatIsTooOldLeadsToAListAndAGapSinceItWasSaved) {
  Resume("90");
  Handle(Started{});
  ListWhole("100");
  Pass(seconds(1));
  EXPECT_THAT(End(ErrorKind::kExpired), ElementsAre("relist expired", "timer"));
  AfterPause();
  EXPECT_THAT(Handle(PageReceived{"101", ""}), ElementsAre("begin relist", "deliver"));
  const WatchEffects effects = machine_.Handle(PageDelivered{}, now_);
  ASSERT_EQ(effects.size(), 4U);
  EXPECT_GE(std::get<ReportGap>(effects[1]).length, std::chrono::minutes(7));
  EXPECT_EQ(std::get<OpenWatch>(effects[3]).resource_version, "101");
}

TEST_F(WatchMachineTest, AServerBehindASavedPositionWasRestored) {
  Resume("90");
  Handle(Started{});
  EXPECT_THAT(Handle(PageReceived{"80", ""}), ElementsAre("begin restored", "deliver"));
  EXPECT_THAT(Handle(PageDelivered{}), ElementsAre("commit", testing::StartsWith("gap "), "timer", "watch 80"));
}

TEST_F(WatchMachineTest, AFailedListAfterARestartIsListedAgainAndStillNoBaseline) {
  Resume("90");
  Handle(Started{});
  Handle(PageReceived{"100", "next"});
  Handle(PageDelivered{});
  End(ErrorKind::kRetry, "reset");
  AfterPause();
  EXPECT_THAT(Handle(PageReceived{"120", ""}), ElementsAre("begin resumed", "deliver"));
}

TEST_F(WatchMachineTest, AListBelowOurPositionIsARestoredServer) {
  GetWatching("5000");
  EndTwiceAtOnce();
  AfterPause();
  EXPECT_THAT(Handle(PageReceived{"40", ""}), ElementsAre("begin restored", "deliver"));
  EXPECT_THAT(Handle(PageDelivered{}), ElementsAre("commit", testing::StartsWith("gap "), "timer", "watch 40"));
}

TEST_F(WatchMachineTest, AProbeBelowOurPositionIsARestoredServerAlsoWhenItHasCaughtUpByTheList) {
  GetWatching("5000");
  Pass(seconds(3));
  End(ErrorKind::kRetry, "reset");
  EXPECT_THAT(UpToProbe(), ElementsAre("timer", "probe"));
  EXPECT_THAT(Handle(PageReceived{"4999", ""}), ElementsAre("relist restored", "timer"));
  EXPECT_EQ(delay_, milliseconds(0));
  EXPECT_THAT(AfterPause(), ElementsAre("timer", "list"));
  EXPECT_THAT(Handle(PageReceived{"5001", ""}), ElementsAre("begin restored", "deliver"));
  EXPECT_THAT(Handle(PageDelivered{}), ElementsAre("commit", testing::StartsWith("gap "), "timer", "watch 5001"));
  Handle(WatchOpened{});
  EndTwiceAtOnce();
  AfterPause();
  EXPECT_THAT(Handle(PageReceived{"5002", ""}), ElementsAre("begin relist", "deliver"));
}

TEST_F(WatchMachineTest, AFailureOfTheProbeNeverLeadsToAList) {
  GetWatching();
  Pass(seconds(3));
  End(ErrorKind::kRetry, "reset");
  for (const ErrorKind kind : {ErrorKind::kRetry, ErrorKind::kInvalid, ErrorKind::kExpired, ErrorKind::kNotFound,
                               ErrorKind::kRetry, ErrorKind::kRetry, ErrorKind::kRetry}) {
    EXPECT_EQ(UpToProbe().back(), "probe");
    EXPECT_THAT(End(kind, "InternalError"), ElementsAre("timer"));
  }
}

TEST_F(WatchMachineTest, AProbeThatFailsIsTriedAgain) {
  GetWatching();
  Pass(seconds(3));
  End(ErrorKind::kRetry, "reset");
  UpToProbe();
  EXPECT_THAT(End(ErrorKind::kRetry, "connect"), ElementsAre("timer"));
  EXPECT_GE(delay_, milliseconds(800));
  EXPECT_THAT(UpToProbe(), ElementsAre("timer", "probe"));
  EXPECT_THAT(UpToProbe(), ElementsAre("cancel timeout", "timer"));
  EXPECT_THAT(AfterPause(), ElementsAre("timer", "watch 100"));
}

TEST_F(WatchMachineTest, VersionsAreComparedAsNumbers) {
  GetWatching("99");
  EndTwiceAtOnce();
  AfterPause();
  EXPECT_THAT(Handle(PageReceived{"100", ""}), ElementsAre("begin relist", "deliver"));
}

}  // namespace
}  // namespace kube_events
