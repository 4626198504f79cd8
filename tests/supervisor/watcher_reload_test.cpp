// Reloads against every habit of Fluent Bit that the stub has, with the real watcher.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>

#include "supervisor/watcher_process.h"
#include "support/eventually.h"

namespace kube_events {
namespace {

using testing::HasSubstr;
using testing::Not;

class WatcherReloadTest : public testing::Test {
 protected:
  void StartWith(const std::string& lines = "", std::vector<std::string> arguments = {}) {
    watcher_.WriteConf("v1", lines);
    watcher_.StartOnFolder(std::move(arguments));
    ASSERT_TRUE(watcher_.EventuallyRuns("v1"));
    ASSERT_TRUE(Eventually([this] { return watcher_.Page("/readyz").first == 200; }));
  }
  double Reloads(const std::string& result) { return watcher_.Metric("reloads_total{result=\"" + result + "\"}"); }
  bool EventuallyReloads(const std::string& result, double times) {
    return watcher_.EventuallyMetric("reloads_total{result=\"" + result + "\"}", times);
  }
  // A configuration whose HTTP server is elsewhere or off.
  void WriteOther(const std::string& id, const std::string& service) {
    watcher_.dir().Write("cfg/fluent-bit.conf", "[SERVICE]\n    stub.id " + id + "\n" + service + "\n");
  }

  WatcherProcess watcher_;
};

TEST_F(WatcherReloadTest, AReloadIsProvenByTheCount) {
  StartWith();
  watcher_.WriteConf("v2");
  EXPECT_TRUE(watcher_.EventuallyLogs("shown_by=\"reload count\""));
  EXPECT_EQ(watcher_.Running(), "v2");
  EXPECT_EQ(Reloads("applied"), 1);
  EXPECT_EQ(watcher_.Metric("reload_duration_seconds_count"), 1);
}

TEST_F(WatcherReloadTest, B112AChangeDuringAReloadIsFollowedByAnother) {
  StartWith("    stub.drain_ms 1500");
  watcher_.WriteConf("v2", "    stub.drain_ms 20");
  ASSERT_TRUE(Eventually([this] { return watcher_.Count("trigger accepted") == 1; }));
  watcher_.WriteConf("v3");
  EXPECT_TRUE(watcher_.EventuallyRuns("v3"));
  EXPECT_EQ(watcher_.Count("running v2"), 1U) << "the reload under way went on";
  EXPECT_TRUE(watcher_.EventuallyMetric("pending_reload", 0));
}

TEST_F(WatcherReloadTest, ASwallowedTriggerIsRepeated) {
  StartWith("    stub.swallow_first 2");
  watcher_.WriteConf("v2");
  EXPECT_TRUE(watcher_.EventuallyRuns("v2"));
  EXPECT_TRUE(EventuallyReloads("applied", 1));
  EXPECT_EQ(watcher_.Count("trigger swallowed"), 2U);
  EXPECT_EQ(watcher_.Metric("triggers_swallowed_total"), 2);
}

TEST_F(WatcherReloadTest, B117ABadConfigurationIsNotTriggeredAndTheOldOneRunsOn) {
  StartWith();
  const pid_t child = watcher_.child();
  watcher_.WriteConf("v2", "    stub.fail parse");
  EXPECT_TRUE(EventuallyReloads("rejected", 1));
  EXPECT_EQ(watcher_.Count("signal 1"), 0U);
  EXPECT_EQ(kill(child, 0), 0);
  EXPECT_THAT(watcher_.Log(), HasSubstr("unknown plugin 'stub'")) << "the child's own words";
  EXPECT_EQ(watcher_.Page("/readyz").first, 503);
  EXPECT_THAT(watcher_.Page("/readyz").second, HasSubstr("unknown plugin"));
  EXPECT_EQ(watcher_.Page("/healthz").first, 200) << "no reason to restart a Fluent Bit that works";
  EXPECT_EQ(watcher_.Metric("last_reload_successful"), 0);
  watcher_.WriteConf("v3");
  EXPECT_TRUE(watcher_.EventuallyRuns("v3"));
  EXPECT_TRUE(Eventually([this] { return watcher_.Page("/readyz").first == 200; }));
  EXPECT_EQ(watcher_.Metric("last_reload_successful"), 1);
}

TEST_F(WatcherReloadTest, TakingABadConfigurationBackNeedsNoReload) {
  StartWith();
  watcher_.WriteConf("v2", "    stub.fail property");
  EXPECT_TRUE(EventuallyReloads("rejected", 1));
  watcher_.WriteConf("v1");
  EXPECT_TRUE(Eventually([this] { return watcher_.Page("/readyz").first == 200; }));
  EXPECT_EQ(watcher_.Count("running "), 1U);
}

TEST_F(WatcherReloadTest, ACheckThatCrashesIsNoVerdictButNothingIsTriggered) {
  StartWith();
  watcher_.WriteConf("v2", "    stub.fail crash");
  EXPECT_TRUE(EventuallyReloads("failed", 1));
  EXPECT_EQ(watcher_.Count("signal 1"), 0U);
}

TEST_F(WatcherReloadTest, AnEmptyFileIsRefusedThoughFluentBitWouldTakeIt) {
  StartWith();
  for (const char* nothing : {"", " \n\t\n", "# only\n# comments\n"}) {
    watcher_.dir().Write("cfg/fluent-bit.conf", nothing);
    EXPECT_TRUE(watcher_.EventuallyLogs("is empty; Fluent Bit would accept that"));
  }
  std::filesystem::remove(watcher_.config());
  EXPECT_TRUE(watcher_.EventuallyLogs("cannot read " + watcher_.config()));
  EXPECT_EQ(watcher_.Count("signal 1"), 0U);
  watcher_.WriteConf("v2");
  EXPECT_TRUE(watcher_.EventuallyRuns("v2"));
}

TEST_F(WatcherReloadTest, AFailureThatOnlyTheReloadFindsEndsTheWatcherWithTheChild) {
  StartWith();
  watcher_.WriteConf("v2", "    stub.fail init");
  EXPECT_EQ(watcher_.WaitForExit(), 255);
}

TEST_F(WatcherReloadTest, B114AReloadThatNeverEndsEndsTheWatcher) {
  StartWith("    stub.hang on", {"--reload-timeout", "1s", "--kill-timeout", "500ms"});
  watcher_.WriteConf("v2");
  EXPECT_EQ(watcher_.WaitForExit(), 137) << "SIGTERM is ignored in a reload that hangs";
  EXPECT_EQ(watcher_.Count("signal 15"), 1U);
  EXPECT_THAT(watcher_.Log(), HasSubstr("the reload does not end"));
}

TEST_F(WatcherReloadTest, AReloadThatNeverEndsMayBeWaitedFor) {
  StartWith("    stub.hang on", {"--reload-timeout", "1s", "--on-reload-timeout=wait"});
  watcher_.WriteConf("v2");
  EXPECT_TRUE(EventuallyReloads("timeout", 1));
  EXPECT_EQ(watcher_.Page("/readyz").first, 503);
  EXPECT_EQ(watcher_.Metric("child_up"), 1);
  kill(watcher_.child(), SIGKILL);
  EXPECT_EQ(watcher_.WaitForExit(), 137);
}

TEST_F(WatcherReloadTest, B118AnHttpServerThatIsGoneAfterAReloadDoesNotCountAsOne) {
  StartWith("", {"--reload-timeout", "1s"});
  watcher_.WriteConf("v2", "    stub.close_port on");
  EXPECT_EQ(watcher_.WaitForExit(), 1) << "SIGTERM works, so the child ends with 0; but nothing is well";
  EXPECT_THAT(watcher_.Log(), Not(HasSubstr("the new configuration runs")));
}

TEST_F(WatcherReloadTest, AWatchdogOfFluentBitEndsTheWatcherWithItsSignal) {
  StartWith("    hot_reload.timeout 1\n    stub.hang on");
  watcher_.WriteConf("v2");
  EXPECT_EQ(watcher_.WaitForExit(), 134);
}

TEST_F(WatcherReloadTest, TheDeadTimeAfterASuccessIsKept) {
  StartWith("    hot_reload.timeout 30");
  for (int i = 2; i < 8; ++i) {
    watcher_.WriteConf("v" + std::to_string(i), "    hot_reload.timeout 30");
    ASSERT_TRUE(watcher_.EventuallyRuns("v" + std::to_string(i)));
  }
  EXPECT_TRUE(EventuallyReloads("applied", 6));
  EXPECT_EQ(watcher_.Count("trigger swallowed"), 0U);
}

TEST_F(WatcherReloadTest, APortThatMovesIsFollowed) {
  StartWith();
  WriteOther("v2", "    http_server on\n    http_port " + std::to_string(FreePort()));
  EXPECT_TRUE(watcher_.EventuallyRuns("v2"));
  EXPECT_TRUE(EventuallyReloads("applied", 1));
  watcher_.WriteConf("v3");
  EXPECT_TRUE(watcher_.EventuallyRuns("v3"));
  EXPECT_TRUE(EventuallyReloads("applied", 2));
}

TEST_F(WatcherReloadTest, WithoutHttpServerTheLogLineStandsInAndTheLogSaysSo) {
  StartWith();
  WriteOther("v2", "");
  EXPECT_TRUE(EventuallyReloads("applied", 1));
  EXPECT_EQ(watcher_.Running(), "v2");
  EXPECT_TRUE(watcher_.EventuallyLogs("weaker than its reload count hash="));
  EXPECT_THAT(watcher_.Log(), HasSubstr("shown_by=\"log line\""));
  WriteOther("v3", "    stub.drain_ms 1200");
  EXPECT_TRUE(EventuallyReloads("applied", 2));
  WriteOther("v4", "");
  ASSERT_TRUE(Eventually([this] { return watcher_.Count("trigger accepted") == 3; }));
  WriteOther("v5", "");
  EXPECT_TRUE(watcher_.EventuallyRuns("v5")) << "a signal that was dropped is seen in the log";
  watcher_.WriteConf("v6");
  EXPECT_TRUE(watcher_.EventuallyLogs("shown_by=\"reload count\"")) << "the server is on again";
}

TEST_F(WatcherReloadTest, WithoutHttpServerAndLogASettledIntervalStandsIn) {
  StartWith();
  WriteOther("v2", "    log_file " + watcher_.Path("child.log"));
  EXPECT_TRUE(EventuallyReloads("applied", 1));
  EXPECT_EQ(watcher_.Running(), "v2");
  EXPECT_THAT(watcher_.Log(), HasSubstr("shown_by=\"settled interval\""));
}

TEST_F(WatcherReloadTest, SignalsMayBeChosenOverHttp) {
  StartWith("", {"--reload-method", "signal"});
  watcher_.WriteConf("v2");
  EXPECT_TRUE(EventuallyReloads("applied", 1));
  EXPECT_EQ(watcher_.Running(), "v2");
}

TEST_F(WatcherReloadTest, HttpAloneFailsWhereThereIsNoServer) {
  WriteOther("v1", "");
  watcher_.StartOnFolder({"--reload-method", "http"});
  ASSERT_TRUE(watcher_.EventuallyLogs("Fluent Bit is up shown_by=settled"));
  WriteOther("v2", "");
  EXPECT_TRUE(EventuallyReloads("failed", 1));
  EXPECT_THAT(watcher_.Log(), HasSubstr("--reload-method auto"));
  EXPECT_EQ(watcher_.Running(), "v1");
}

}  // namespace
}  // namespace kube_events
