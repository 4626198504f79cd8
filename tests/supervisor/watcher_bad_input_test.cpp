// What administrators and disks do wrong, with the real watcher.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>

#include "supervisor/watcher_process.h"
#include "support/eventually.h"
#include "support/sanitizers.h"

namespace kube_events {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class WatcherBadInputTest : public testing::Test {
 protected:
  void StartWith(const std::string& lines = "") {
    watcher_.WriteConf("v1", lines);
    watcher_.StartOnFolder();
    ASSERT_TRUE(watcher_.EventuallyRuns("v1"));
  }

  WatcherProcess watcher_;
};

TEST_F(WatcherBadInputTest, AMissingBinaryIsNamed) {
  watcher_.WriteConf("v1");
  watcher_.StartOnFolder({"-b", "/no/such/fluent-bit"});
  EXPECT_EQ(watcher_.WaitForExit(), 2);
  EXPECT_THAT(watcher_.Log(), HasSubstr("cannot execute /no/such/fluent-bit: No such file or directory; -b names"));
}

TEST_F(WatcherBadInputTest, AFluentBitThatCannotReloadIsRefused) {
  watcher_.WriteConf("v1");
  watcher_.Set("STUB_VERSION", "Fluent Bit v2.0.14\nGit commit: x");
  watcher_.StartOnFolder();
  EXPECT_EQ(watcher_.WaitForExit(), 2);
  EXPECT_THAT(watcher_.Log(), HasSubstr("Fluent Bit 2.0 cannot reload in place; use version 2.1 or later"));
  EXPECT_EQ(watcher_.Count("start"), 0U);
}

TEST_F(WatcherBadInputTest, AnUnknownVersionIsOnlyAWarning) {
  watcher_.Set("STUB_VERSION", "some fork");
  StartWith();
  EXPECT_THAT(watcher_.Log(), HasSubstr("the version of Fluent Bit is not known said=\"some fork\""));
}

TEST_F(WatcherBadInputTest, AMissingConfigurationIsWaitedForInVain) {
  watcher_.StartOnFolder({"--config-wait", "300ms"});
  EXPECT_EQ(watcher_.WaitForExit(), 1);
  EXPECT_THAT(watcher_.Log(), HasSubstr("waiting for a configuration"));
  EXPECT_THAT(watcher_.Log(), HasSubstr("cannot read " + watcher_.config() + ": No such file or directory"));
}

TEST_F(WatcherBadInputTest, AConfigurationThatComesLateStartsTheChild) {
  watcher_.dir().Write("cfg/fluent-bit.conf", "");
  watcher_.StartOnFolder();
  ASSERT_TRUE(watcher_.EventuallyLogs("waiting for a configuration"));
  watcher_.WriteConf("v1");
  EXPECT_TRUE(watcher_.EventuallyRuns("v1"));
}

TEST_F(WatcherBadInputTest, UnreadableFilesAndCirclesAreToldAndDoNoHarm) {
  fs::create_directories(watcher_.dir().path() / "cfg");
  fs::create_symlink("circle", watcher_.Path("cfg/circle"));
  fs::create_symlink("nowhere", watcher_.Path("cfg/dangling"));
  fs::create_directory_symlink(".", watcher_.Path("cfg/again"));
  StartWith();
  EXPECT_TRUE(watcher_.EventuallyLogs("circle: Too many levels of symbolic links"));
  EXPECT_TRUE(watcher_.EventuallyLogs("dangling: No such file or directory"));
  watcher_.WriteConf("v2");
  EXPECT_TRUE(watcher_.EventuallyRuns("v2"));
}

TEST_F(WatcherBadInputTest, AMainFileThatCannotBeReadIsRefused) {
  StartWith();
  fs::remove(watcher_.config());
  fs::create_directory(watcher_.config());
  EXPECT_TRUE(watcher_.EventuallyLogs("cannot read " + watcher_.config() + ": Is a directory"));
  EXPECT_EQ(watcher_.Page("/readyz").first, 503);
  fs::remove(watcher_.config());
  watcher_.WriteConf("v2");
  EXPECT_TRUE(watcher_.EventuallyRuns("v2"));
}

TEST_F(WatcherBadInputTest, AFileOf100MegabytesIsHashedInPieces) {
  watcher_.dir().Write("cfg/huge.db", "x");
  fs::resize_file(watcher_.Path("cfg/huge.db"), 100'000'000);
  StartWith();
  watcher_.WriteConf("v2");
  EXPECT_TRUE(watcher_.EventuallyRuns("v2"));
  ASSERT_TRUE(watcher_.EventuallyMetric("pending_reload", 0));
  if (kUnderSanitizer) return;
  const std::string page = watcher_.Page("/metrics").second;
  const std::string name = "\nprocess_resident_memory_bytes ";
  EXPECT_LT(std::atof(page.c_str() + page.find(name) + name.size()), 50e6) << "it is not read into memory";
}

TEST_F(WatcherBadInputTest, BadFlagsAreOneLineAndCode2) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases{
      {{"--no-such-flag"}, "--help lists the flags"},
      {{"-poll=perhaps"}, "--poll: \"perhaps\""},
      {{"--reload-method", "smoke"}, "auto, http or signal"},
      {{"--on-reload-timeout", "cry"}, "exit or wait"},
      {{"--debounce", "soon"}, "--debounce"},
      {{"--port", "http"}, "--port"},
      {{"stray"}, "--help lists the flags"},
      {{"-watch-path", ""}, "--watch-path"},
  };
  for (const auto& [arguments, text] : cases) {
    WatcherProcess watcher;
    watcher.Start(arguments);
    EXPECT_EQ(watcher.WaitForExit(), 2) << arguments[0];
    const std::string log = watcher.Log();
    EXPECT_THAT(log, HasSubstr(text));
    EXPECT_EQ(std::count(log.begin(), log.end(), '\n'), 1) << log;
  }
}

TEST_F(WatcherBadInputTest, DeprecatedFlagsAreToldWhenGivenAndOnlyThen) {
  watcher_.WriteConf("v1");
  watcher_.StartOnFolder({"-exit-on-failure", "-flb-timeout", "30s"});
  EXPECT_TRUE(watcher_.EventuallyLogs("-exit-on-failure is deprecated"));
  EXPECT_TRUE(watcher_.EventuallyLogs("-flb-timeout is deprecated"));
  EXPECT_TRUE(watcher_.EventuallyRuns("v1"));
  WatcherProcess other;
  other.WriteConf("v1");
  other.StartOnFolder();
  EXPECT_TRUE(other.EventuallyRuns("v1"));
  EXPECT_EQ(other.Log().find("deprecated"), std::string::npos);
}

TEST_F(WatcherBadInputTest, VariablesStandInForFlags) {
  watcher_.WriteConf("v1");
  watcher_.Set("FLUENT_BIT_WATCHER_C", watcher_.config());
  watcher_.Set("FLUENT_BIT_WATCHER_WATCH_PATH", watcher_.Path("cfg"));
  watcher_.Set("FLUENT_BIT_WATCHER_LOG_FORMAT", "logfmt");
  watcher_.Start({});
  EXPECT_TRUE(watcher_.EventuallyRuns("v1"));
  EXPECT_THAT(watcher_.Log(), HasSubstr("msg=\"Fluent Bit was started\""));
}

}  // namespace
}  // namespace kube_events
