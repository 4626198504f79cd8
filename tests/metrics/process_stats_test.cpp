#include "kube_events/metrics/process_stats.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <ctime>
#include <filesystem>
#include <fstream>

namespace kube_events {
namespace {

// A made-up /proc.
class FakeProc {
 public:
  FakeProc() {
    std::string pattern = testing::TempDir() + "procXXXXXX";
    root_ = mkdtemp(pattern.data());
    std::filesystem::create_directories(root_ + "/self/fd");
  }
  ~FakeProc() { std::filesystem::remove_all(root_); }
  FakeProc(const FakeProc&) = delete;
  FakeProc& operator=(const FakeProc&) = delete;

  void Write(const std::string& path, const std::string& content) const {
    std::ofstream(root_ + "/" + path) << content;
  }
  const std::string& root() const { return root_; }

 private:
  std::string root_;
};

TEST(ProcessStatsTest, FieldsAreFoundBehindANameThatLooksLikeFields) {
  const FakeProc proc;
  proc.Write("stat", "cpu 1 2 3\nintr 5\nbtime 1700000000\nprocesses 9\n");
  proc.Write("self/stat",
             "42 (a) 1 R (b) S 1 42 42 0 -1 4194304 100 0 0 0 250 150 0 0 20 0 7 0 3000 104857600 2560 18446\n");
  const auto stats = ReadProcessStats(proc.root());
  ASSERT_TRUE(stats);
  const auto ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
  EXPECT_DOUBLE_EQ(stats->cpu_seconds, 400 / ticks);
  EXPECT_DOUBLE_EQ(stats->start_time_seconds, 1700000000 + 3000 / ticks);
  EXPECT_DOUBLE_EQ(stats->virtual_memory_bytes, 104857600);
  EXPECT_DOUBLE_EQ(stats->resident_memory_bytes, 2560.0 * static_cast<double>(sysconf(_SC_PAGESIZE)));
  EXPECT_DOUBLE_EQ(stats->threads, 7);
}

TEST(ProcessStatsTest, WhatCannotBeUnderstoodGivesNothing) {
  const FakeProc proc;
  EXPECT_FALSE(ReadProcessStats(proc.root())) << "no files";
  proc.Write("stat", "btime 1700000000\n");
  proc.Write("self/stat", "42 (short) S 1 42\n");
  EXPECT_FALSE(ReadProcessStats(proc.root())) << "too few fields";
  proc.Write("self/stat", "nonsense");
  EXPECT_FALSE(ReadProcessStats(proc.root())) << "no name";
}

TEST(ProcessStatsTest, ThisProcessLooksPlausible) {
  const auto stats = ReadProcessStats();
  ASSERT_TRUE(stats);
  EXPECT_GE(stats->threads, 1);
  EXPECT_GT(stats->resident_memory_bytes, 1e6);
  EXPECT_GE(stats->virtual_memory_bytes, stats->resident_memory_bytes);
  EXPECT_GE(stats->cpu_seconds, 0);
  EXPECT_LE(stats->start_time_seconds, static_cast<double>(std::time(nullptr)) + 2);
  EXPECT_GE(stats->start_time_seconds, static_cast<double>(std::time(nullptr)) - 3600);
}

TEST(ProcessStatsTest, AnOpenedFileIsCounted) {
  const auto before = CountOpenFds();
  ASSERT_TRUE(before);
  const int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
  EXPECT_EQ(CountOpenFds(), *before + 1);
  close(fd);
  EXPECT_EQ(CountOpenFds(), *before);
  EXPECT_FALSE(CountOpenFds("/nonexistent"));
  EXPECT_GE(MaxFds(), *before);
}

}  // namespace
}  // namespace kube_events
