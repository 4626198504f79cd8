// What is noticed, and what is not taken for a change, with the real watcher and the stub of Fluent Bit.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <fstream>

#include "supervisor/watcher_process.h"
#include "support/eventually.h"

namespace kube_events {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class WatcherNoticingTest : public testing::Test {
 protected:
  void StartWith(const std::string& lines = "", std::vector<std::string> arguments = {}) {
    watcher_.WriteConf("v1", lines);
    watcher_.StartOnFolder(std::move(arguments));
    WaitUntilReady();
  }
  void WaitUntilReady() {
    ASSERT_TRUE(watcher_.EventuallyRuns("v1"));
    ASSERT_TRUE(Eventually([this] { return watcher_.Page("/readyz").first == 200; }));
  }
  double Applied() { return watcher_.Metric("reloads_total{result=\"applied\"}"); }
  bool EventuallyApplied(double times) {
    return watcher_.EventuallyMetric("reloads_total{result=\"applied\"}", times) &&
           watcher_.EventuallyMetric("pending_reload", 0);
  }

  WatcherProcess watcher_;
};

TEST_F(WatcherNoticingTest, B130APlainFileIsNoticedWrittenInPlaceAndRenamedOver) {
  StartWith();
  watcher_.WriteConf("v2");
  EXPECT_TRUE(watcher_.EventuallyRuns("v2"));
  watcher_.dir().Write("cfg/new", watcher_.Conf("v3"));
  fs::rename(watcher_.Path("cfg/new"), watcher_.config());
  EXPECT_TRUE(watcher_.EventuallyRuns("v3"));
}

TEST_F(WatcherNoticingTest, B129EachSwapOfAVolumeIsOneReload) {
  ConfigMapVolume volume(watcher_.dir().path() / "cfg");
  volume.Write({{"fluent-bit.conf", watcher_.Conf("v1")}});
  watcher_.StartOnFolder();
  WaitUntilReady();
  for (int i = 2; i <= 4; ++i) {
    volume.Write({{"fluent-bit.conf", watcher_.Conf("v" + std::to_string(i))}});
    EXPECT_TRUE(watcher_.EventuallyRuns("v" + std::to_string(i)));
    EXPECT_TRUE(EventuallyApplied(i - 1));
  }
}

TEST_F(WatcherNoticingTest, B127ASwapIsNoticedWhereTheFileSystemReportsNothing) {
  ConfigMapVolume volume(watcher_.dir().path() / "cfg");
  volume.Write({{"fluent-bit.conf", watcher_.Conf("v1")}});
  watcher_.StartOnFolder({"-poll", "-poll-interval", "50ms"});
  WaitUntilReady();
  volume.Write({{"fluent-bit.conf", watcher_.Conf("v2")}});
  EXPECT_TRUE(watcher_.EventuallyRuns("v2"));
}

TEST_F(WatcherNoticingTest, WhatNobodyReportedIsFoundByTheSlowRehash) {
  StartWith("", {"-poll", "-poll-interval", "1h", "--rehash-interval", "200ms"});
  watcher_.WriteConf("v2");
  EXPECT_TRUE(watcher_.EventuallyRuns("v2"));
}

// A trigger before the swap would leave the previous version running.
class SwapRaceTest : public WatcherNoticingTest, public testing::WithParamInterface<int> {};

TEST_P(SwapRaceTest, AfterEverySwapItsOwnVersionRuns) {
  ConfigMapVolume volume(watcher_.dir().path() / "cfg");
  volume.Write({{"fluent-bit.conf", watcher_.Conf("v1")}});
  // No debouncing, so that only what the watcher does about contents helps.
  watcher_.StartOnFolder({"--debounce", "0s"});
  WaitUntilReady();
  for (int i = 0; i < 34; ++i) {
    const std::string id = "swap" + std::to_string(i);
    volume.Write({{"fluent-bit.conf", watcher_.Conf(id)}}, std::chrono::milliseconds{GetParam()});
    ASSERT_TRUE(watcher_.EventuallyRuns(id)) << i;
  }
  EXPECT_TRUE(watcher_.EventuallyMetric("pending_reload", 0));
}

INSTANTIATE_TEST_SUITE_P(Gaps, SwapRaceTest, testing::Values(0, 2, 20));

TEST_F(WatcherNoticingTest, B123WhatIsIncludedFromElsewhereIsWatched) {
  watcher_.dir().Write("elsewhere/part.conf", "    stub.id v1\n");
  watcher_.dir().Write("cfg/fluent-bit.conf", watcher_.Conf("v0", "@INCLUDE " + watcher_.Path("elsewhere/part.conf")));
  watcher_.StartOnFolder();
  WaitUntilReady();
  watcher_.dir().Write("elsewhere/part.conf", "    stub.id v2\n");
  EXPECT_TRUE(watcher_.EventuallyRuns("v2"));
}

TEST_F(WatcherNoticingTest, FilesOfYamlIncludesAreWatched) {
  const std::string port = std::to_string(watcher_.child_port());
  watcher_.dir().Write("other/part.yaml", "service:\n  stub.id: v1\n");
  watcher_.dir().Write("cfg/fluent-bit.yaml",
                       "service:\n  http_server: on\n  http_port: " + port + "\nincludes:\n  - ../other/part.yaml\n");
  watcher_.Start({"-c", watcher_.Path("cfg/fluent-bit.yaml"), "-watch-path", watcher_.Path("cfg")});
  WaitUntilReady();
  watcher_.dir().Write("other/part.yaml", "service:\n  stub.id: v2\n");
  EXPECT_TRUE(watcher_.EventuallyRuns("v2"));
}

TEST_F(WatcherNoticingTest, NewChangedAndDeletedFilesOfSubfoldersAreChanges) {
  StartWith();
  watcher_.dir().Write("cfg/sub/deep/table.lua", "return 1");
  EXPECT_TRUE(EventuallyApplied(1));
  watcher_.dir().Write("cfg/sub/deep/table.lua", "return 2");
  EXPECT_TRUE(EventuallyApplied(2));
  fs::remove(watcher_.Path("cfg/sub/deep/table.lua"));
  EXPECT_TRUE(EventuallyApplied(3));
}

TEST_F(WatcherNoticingTest, SeveralWatchPathsMayBeGiven) {
  fs::create_directories(watcher_.Path("certs"));
  StartWith("", {"-watch-path=" + watcher_.Path("certs")});
  watcher_.dir().Write("certs/tls.crt", "new");
  EXPECT_TRUE(EventuallyApplied(1));
}

TEST_F(WatcherNoticingTest, TouchingAFileDoesNothing) {
  StartWith();
  fs::last_write_time(watcher_.config(), fs::file_time_type::clock::now());
  watcher_.WriteConf("v1");  // the same content once more
  watcher_.dir().Write("cfg/marker", "so that the watcher has certainly looked");
  EXPECT_TRUE(EventuallyApplied(1));
  EXPECT_EQ(watcher_.Count("running "), 2U) << "the start, and the marker";
}

TEST_F(WatcherNoticingTest, TenWritesMakeOneReload) {
  StartWith("", {"--debounce", "3s"});
  for (int i = 1; i <= 10; ++i) watcher_.WriteConf("write" + std::to_string(i));
  EXPECT_TRUE(watcher_.EventuallyRuns("write10"));
  EXPECT_TRUE(EventuallyApplied(1));
}

TEST_F(WatcherNoticingTest, AWatchPathMayAppearVanishAndReturn) {
  StartWith("", {"-watch-path", watcher_.Path("later/there")});
  watcher_.dir().Write("later/there/file", "1");
  EXPECT_TRUE(EventuallyApplied(1));
  fs::remove_all(watcher_.Path("later"));
  EXPECT_TRUE(EventuallyApplied(2));
  watcher_.dir().Write("later/there/file", "2");
  EXPECT_TRUE(EventuallyApplied(3));
}

TEST_F(WatcherNoticingTest, TheFolderOfTheConfigurationMayBeReplaced) {
  StartWith();
  watcher_.dir().Write("next/fluent-bit.conf", watcher_.Conf("v2"));
  fs::rename(watcher_.Path("cfg"), watcher_.Path("old"));
  fs::rename(watcher_.Path("next"), watcher_.Path("cfg"));
  EXPECT_TRUE(watcher_.EventuallyRuns("v2"));
}

TEST_F(WatcherNoticingTest, WhereInotifyHasReachedItsLimitFilesArePolled) {
  watcher_.WriteConf("v1");
  // A user namespace has limits of its own.
  const std::string limit = "echo 0 > /proc/sys/user/max_inotify_instances || exit 77; exec \"$@\"";
  if (std::system(("unshare -Ur sh -c '" + limit + "' sh true 2>/dev/null").c_str()) != 0) {
    GTEST_SKIP() << "no user namespace with limits of its own can be made here";
  }
  watcher_.Start({"-c", watcher_.config(), "-watch-path", watcher_.Path("cfg"), "-poll-interval", "50ms"},
                 {"unshare", "-Ur", "sh", "-c", limit, "sh"});
  WaitUntilReady();
  EXPECT_THAT(watcher_.Log(), HasSubstr("max_user_instances is reached"));
  EXPECT_EQ(watcher_.Metric("watch_errors_total"), 1);
  watcher_.WriteConf("v2");
  EXPECT_TRUE(watcher_.EventuallyRuns("v2"));
}

}  // namespace
}  // namespace kube_events
