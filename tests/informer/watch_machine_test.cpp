// Every transition of the WatchMachine, by name.
#include "kube_events/informer/watch_machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kube_events {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;

struct Words {
  std::string operator()(const BeginList& e) const {
    return e.reason == ListReason::kFirst     ? "begin first"
           : e.reason == ListReason::kRelist  ? "begin relist"
           : e.reason == ListReason::kResumed ? "begin resumed"
                                              : "begin restored";
  }
  std::string operator()(const RequestPage& e) const {
    return e.continue_token.empty() ? "list" : "list " + e.continue_token;
  }
  std::string operator()(const ProbeVersion&) const { return "probe"; }
  std::string operator()(const DeliverItems&) const { return "deliver"; }
  std::string operator()(const CommitList&) const { return "commit"; }
  std::string operator()(const OpenWatch& e) const { return "watch " + e.resource_version; }
  std::string operator()(const CancelRequest& e) const { return e.error ? "cancel " + e.error->reason : "cancel"; }
  std::string operator()(const StartTimer&) const { return "timer"; }
  std::string operator()(const RefreshCredentials&) const { return "refresh"; }
  std::string operator()(const ReportRelist& e) const { return "relist " + std::string(e.reason); }
  std::string operator()(const ReportGap& e) const { return "gap " + std::to_string(e.length.count()); }
};

class WatchMachineTest : public testing::Test {
 protected:
  std::vector<std::string> Handle(const WatchInput& input) {
    std::vector<std::string> words;
    for (const WatchEffect& effect : machine_.Handle(input, now_)) {
      words.push_back(std::visit(Words{}, effect));
      if (const auto* timer = std::get_if<StartTimer>(&effect)) delay_ = timer->delay;
    }
    return words;
  }
  std::vector<std::string> End(ErrorKind kind, std::string reason = "", std::optional<milliseconds> retry_after = {}) {
    return Handle(RequestEnded{Error{kind, "text", retry_after, std::move(reason)}});
  }
  std::vector<std::string> EndCleanly() { return Handle(RequestEnded{}); }
  void Pass(milliseconds time) { now_ += time; }
  // Lets the pause that was asked for go by, and answers the probe that precedes a watch.
  std::vector<std::string> AfterPause() {
    Pass(delay_);
    auto words = Handle(TimerFired{});
    if (machine_.phase() != WatchPhase::kProbing) return words;
    EXPECT_EQ(words.back(), "probe");
    return Handle(PageReceived{"9000000", ""});
  }
  std::vector<std::string> UpToProbe() {
    Pass(delay_);
    return Handle(TimerFired{});
  }

  void ListWhole(const std::string& version) {
    Handle(PageReceived{version, ""});
    Handle(PageDelivered{});
  }
  // Two watches in a row that are granted and end at once.
  void EndTwiceAtOnce() {
    EndCleanly();
    AfterPause();
    Handle(WatchOpened{});
    EndCleanly();
  }
  // A process before this one saved its position seven minutes ago.
  void Resume(const std::string& version) {
    WatchMachineOptions options;
    options.resume_from = version;
    options.downtime = std::chrono::minutes(7);
    machine_ = WatchMachine(options);
  }
  void GetWatching(const std::string& version = "100") {
    Handle(Started{});
    ListWhole(version);
    Handle(WatchOpened{});
    ASSERT_EQ(machine_.phase(), WatchPhase::kWatching);
  }

  WatchMachine machine_{WatchMachineOptions{}};
  MonotonicTime now_{seconds(1000)};
  milliseconds delay_{-1};
};

TEST_F(WatchMachineTest, StartsWithAList) {
  EXPECT_THAT(Handle(Started{}), ElementsAre("timer", "list"));
  EXPECT_EQ(machine_.phase(), WatchPhase::kListing);
  EXPECT_FALSE(machine_.synced());
}

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

TEST_F(WatchMachineTest, AStreamThatMakesNoSenseLeadsToAList) {
  GetWatching();
  EXPECT_THAT(End(ErrorKind::kInvalid), ElementsAre("relist invalid", "timer"));
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
