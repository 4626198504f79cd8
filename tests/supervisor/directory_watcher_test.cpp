#include "kube_events/supervisor/directory_watcher.h"

#include <gtest/gtest.h>

#include "kube/temp_dir.h"

namespace kube_events {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

class DirectoryWatcherTest : public testing::Test {
 protected:
  std::unique_ptr<DirectoryWatcher> Make(bool poll = false) {
    DirectoryWatcherOptions options;
    options.poll = poll;
    options.poll_interval = 10ms;
    options.stamp = [this] { return stamp_; };
    options.on_change = [this] {
      ++changes_;
      loop_.Stop();
    };
    return std::make_unique<DirectoryWatcher>(loop_, std::move(options));
  }
  // How often a change was told before `enough`.
  int ChangesWithin(std::chrono::milliseconds enough) {
    changes_ = 0;
    const auto end = loop_.MakeTimer([this] { loop_.Stop(); });
    end->After(enough);
    loop_.Run();
    return changes_;
  }
  // Waits for one.
  bool Changes() { return ChangesWithin(10s) > 0; }

  TempDir dir_;
  EventLoop loop_;
  std::uint64_t stamp_ = 1;
  int changes_ = 0;
};

TEST_F(DirectoryWatcherTest, EveryKindOfChangeIsTold) {
  const auto watcher = Make();
  EXPECT_TRUE(watcher->Watch({{dir_.path(), {.all = true}}}));
  EXPECT_FALSE(watcher->Watch({{dir_.path(), {.all = true}}})) << "it was watched already";
  dir_.Write("a", "1");
  EXPECT_TRUE(Changes());
  dir_.Write("a", "2");
  EXPECT_TRUE(Changes());
  fs::rename(dir_.path() / "a", dir_.path() / "b");
  EXPECT_TRUE(Changes());
  fs::last_write_time(dir_.path() / "b", fs::file_time_type::clock::now());
  EXPECT_TRUE(Changes());
  fs::remove(dir_.path() / "b");
  EXPECT_TRUE(Changes());
}

TEST_F(DirectoryWatcherTest, NamesOfNoInterestAreNotTold) {
  const auto watcher = Make();
  watcher->Watch({{dir_.path(), {.names = {"mine"}}}});
  dir_.Write("stranger", "1");
  EXPECT_EQ(ChangesWithin(50ms), 0);
  dir_.Write("mine", "1");
  EXPECT_TRUE(Changes());
}

TEST_F(DirectoryWatcherTest, AFolderThatWasReplacedIsWatchedAnew) {
  const Folders folders{{dir_.path() / "sub", {.all = true}}};
  fs::create_directory(dir_.path() / "sub");
  const auto watcher = Make();
  watcher->Watch(folders);
  fs::remove(dir_.path() / "sub");
  EXPECT_TRUE(Changes());
  fs::create_directory(dir_.path() / "sub");
  EXPECT_TRUE(watcher->Watch(folders)) << "new to it";
  dir_.Write("sub/file", "1");
  EXPECT_TRUE(Changes());
}

TEST_F(DirectoryWatcherTest, WhatIsNotWatchedAnyMoreIsForgotten) {
  fs::create_directory(dir_.path() / "sub");
  const auto watcher = Make();
  watcher->Watch({{dir_.path() / "sub", {.all = true}}, {dir_.path(), {.names = {"x"}}}});
  EXPECT_EQ(watcher->Watches(), 2U);
  watcher->Watch({{dir_.path(), {.names = {"x"}}}});
  EXPECT_EQ(watcher->Watches(), 1U);
}

TEST_F(DirectoryWatcherTest, AMissingFolderIsNoError) {
  const auto watcher = Make();
  EXPECT_FALSE(watcher->Watch({{dir_.path() / "missing", {.all = true}}}));
  EXPECT_FALSE(watcher->Polling());
}

TEST_F(DirectoryWatcherTest, PollingTellsAnotherStamp) {
  const auto watcher = Make(true);
  EXPECT_TRUE(watcher->Polling());
  EXPECT_TRUE(Changes()) << "the first one is new";
  EXPECT_EQ(ChangesWithin(50ms), 0);
  stamp_ = 2;
  EXPECT_TRUE(Changes());
}

}  // namespace
}  // namespace kube_events
