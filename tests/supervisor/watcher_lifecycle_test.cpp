// The life of the child, with the real watcher and the stub of Fluent Bit. Names that begin with B and a number stand
// for troubles that users reported about watchers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include "supervisor/processes.h"
#include "supervisor/watcher_process.h"
#include "support/eventually.h"
#include "support/sanitizers.h"

namespace kube_events {
namespace {

using testing::HasSubstr;

class WatcherLifecycleTest : public testing::Test {
 protected:
  void StartWith(const std::string& lines, std::vector<std::string> arguments = {}) {
    watcher_.WriteConf("v1", lines);
    watcher_.StartOnFolder(std::move(arguments));
    ASSERT_TRUE(watcher_.EventuallyRuns("v1"));
  }
  bool Ready() {
    return Eventually([this] { return watcher_.Page("/readyz").first == 200; });
  }

  WatcherProcess watcher_;
};

TEST_F(WatcherLifecycleTest, TheChildGetsACleanMaskDefaultDispositionsAndTheFolderOfItsConfiguration) {
  StartWith("");
  const std::string start = watcher_.State().at(0);
  EXPECT_THAT(start, HasSubstr("cwd=" + watcher_.Path("cfg") + " blocked=none"));
  EXPECT_THAT(start, HasSubstr("--enable-hot-reload -c " + watcher_.config()));
}

TEST_F(WatcherLifecycleTest, FlagsAreReallyPassedOn) {
  watcher_.dir().Write("cfg/parsers.conf", "[PARSER]\n");
  StartWith("", {"-R", watcher_.Path("cfg/parsers.conf"), "-e=/plugin.so", "--", "-v", "--storage_path=/x"});
  EXPECT_THAT(watcher_.State().at(0),
              HasSubstr("-e /plugin.so -R " + watcher_.Path("cfg/parsers.conf") + " -v --storage_path=/x"));
}

TEST_F(WatcherLifecycleTest, TerminationSignalsArePassedOnAndTheChildsCodeIsOurs) {
  for (const int number : {SIGTERM, SIGINT, SIGQUIT}) {
    WatcherProcess watcher;
    watcher.WriteConf("v1");
    watcher.StartOnFolder();
    ASSERT_TRUE(watcher.EventuallyRuns("v1"));
    watcher.Signal(number);
    EXPECT_EQ(watcher.WaitForExit(), 0);
    EXPECT_EQ(watcher.Count("signal " + std::to_string(number)), 1U);
  }
}

TEST_F(WatcherLifecycleTest, B124TheExitCodeOfTheChildIsPassedOn) {
  StartWith("    stub.exit_code 3\n    stub.exit_after_ms 300");
  EXPECT_EQ(watcher_.WaitForExit(), 3);
  EXPECT_THAT(watcher_.Log(), HasSubstr("Fluent Bit exited with code 3"));
}

TEST_F(WatcherLifecycleTest, B121AChildThatIsKilledEndsTheWatcherWithItsSignal) {
  StartWith("");
  kill(watcher_.child(), SIGKILL);
  EXPECT_EQ(watcher_.WaitForExit(), 137);
  EXPECT_THAT(watcher_.Log(), HasSubstr("was killed by signal 9 (Killed)"));
}

TEST_F(WatcherLifecycleTest, AColdStartThatFailsKeepsItsCode) {
  watcher_.WriteConf("v1", "    stub.fail property");
  watcher_.StartOnFolder();
  EXPECT_EQ(watcher_.WaitForExit(), 255);
  EXPECT_THAT(watcher_.Log(), HasSubstr("unknown configuration property"));
}

TEST_F(WatcherLifecycleTest, TheChildDiesWithTheWatcher) {
  StartWith("    stub.ignore_term on");
  const pid_t child = watcher_.child();
  watcher_.Signal(SIGKILL);
  EXPECT_EQ(watcher_.WaitForExit(), 137);
  EXPECT_TRUE(Eventually([&] { return kill(child, 0) != 0; })) << "the child is an orphan";
}

TEST_F(WatcherLifecycleTest, B120AChildThatIgnoresTermIsKilledAfterTheKillTimeout) {
  StartWith("    stub.ignore_term on", {"--kill-timeout", "300ms"});
  watcher_.Signal(SIGTERM);
  EXPECT_EQ(watcher_.WaitForExit(), 137);
  EXPECT_EQ(watcher_.Count("signal 15"), 1U);
  EXPECT_THAT(watcher_.Log(), HasSubstr("killing it"));
}

TEST_F(WatcherLifecycleTest, B126OrphansOfTheChildAreReaped) {
  StartWith("    stub.orphans 100");
  ASSERT_TRUE(Ready());
  EXPECT_TRUE(Eventually([this] { return Zombies(watcher_.pid()) == 0; }));
  EXPECT_EQ(Zombies(watcher_.child()), 0U) << "the stub has its own";
}

TEST_F(WatcherLifecycleTest, HangupForcesAReloadThoughNothingChanged) {
  StartWith("");
  ASSERT_TRUE(Ready());
  watcher_.Signal(SIGHUP);
  EXPECT_TRUE(Eventually([this] { return watcher_.Count("running v1") == 2; }));
  EXPECT_TRUE(watcher_.EventuallyMetric("reloads_total{result=\"applied\"}", 1));
}

TEST_F(WatcherLifecycleTest, ASignalWithoutAChildEndsWithZero) {
  watcher_.StartOnFolder({"--config-wait", "1h"});
  ASSERT_TRUE(watcher_.EventuallyLogs("waiting for a configuration"));
  watcher_.Signal(SIGTERM);
  EXPECT_EQ(watcher_.WaitForExit(), 0);
}

TEST_F(WatcherLifecycleTest, TheStartIsNotDisturbedByASignalThatWouldKill) {
  watcher_.WriteConf("v1", "    stub.start_ms 400");
  watcher_.StartOnFolder();
  ASSERT_TRUE(watcher_.EventuallyLogs("Fluent Bit was started"));
  watcher_.Signal(SIGHUP);  // the stub dies of a SIGHUP before it is up, as Fluent Bit does
  watcher_.WriteConf("v2", "    stub.start_ms 400");
  EXPECT_TRUE(watcher_.EventuallyRuns("v2"));
}

TEST_F(WatcherLifecycleTest, ThePagesTellWhatIsGoingOn) {
  StartWith("");
  ASSERT_TRUE(Ready());
  EXPECT_EQ(watcher_.Page("/healthz").first, 200);
  EXPECT_EQ(watcher_.Page("/livez").first, 200);
  EXPECT_EQ(watcher_.Metric("child_up"), 1);
  EXPECT_EQ(watcher_.Metric("last_reload_successful"), 1);
  EXPECT_EQ(watcher_.Metric("pending_reload"), 0);
  EXPECT_GT(watcher_.Metric("child_start_timestamp_seconds"), 1.7e9);
  EXPECT_GT(watcher_.Metric("last_reload_success_timestamp_seconds"), 1.7e9);
  EXPECT_THAT(watcher_.Page("/metrics").second, HasSubstr("fluent_bit_watcher_config_hash_info{hash=\""));
  EXPECT_THAT(watcher_.Page("/metrics").second, HasSubstr("\nprocess_resident_memory_bytes "));
}

TEST_F(WatcherLifecycleTest, AtRestItNeitherRunsNorGrows) {
  StartWith("");
  ASSERT_TRUE(Ready());
  const std::string pid = std::to_string(watcher_.pid());
  const auto number = [&pid](const std::string& key) {
    const std::string status = ProcFile(pid, "status");
    const auto at = status.find("\n" + key + ":");
    return at == std::string::npos ? -1 : std::atol(status.c_str() + at + key.size() + 2);
  };
  // Asked of the kernel, since a request to the watcher would wake it.
  const long before = number("voluntary_ctxt_switches");
  EXPECT_FALSE(Eventually([&] { return number("voluntary_ctxt_switches") > before + 2; }, std::chrono::seconds{3}))
      << "it woke up more than twice in three seconds";
  if (!kUnderSanitizer) {
    EXPECT_LE(number("VmRSS"), 12 * 1024) << "KiB";
  }
}

}  // namespace
}  // namespace kube_events
