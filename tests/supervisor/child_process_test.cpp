#include "kube_events/supervisor/child_process.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include "supervisor/command_fixture.h"

#include "kube_events/base/file_descriptor.h"

namespace kube_events {
namespace {

using namespace std::chrono_literals;

using ChildProcessTest = CommandFixture;

TEST_F(ChildProcessTest, AChildStartsWithNothingBlockedOrIgnored) {
  const auto outcome = Run({"/bin/grep", "-E", "Sig(Blk|Ign)", "/proc/self/status"});
  EXPECT_EQ(outcome.output, "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
}

TEST_F(ChildProcessTest, AChildInheritsNoFileDescriptor) {
  const UniqueFd leak(open("/etc/passwd", O_RDONLY));  // without O_CLOEXEC
  const auto outcome = Run({"/bin/ls", "-l", "/proc/self/fd"});
  EXPECT_THAT(outcome.output, testing::HasSubstr(" 2 -> pipe:"));
  EXPECT_THAT(outcome.output, testing::Not(testing::HasSubstr("/etc/passwd")));
}

TEST_F(ChildProcessTest, AChildRunsInItsFolder) { EXPECT_EQ(Run({"/bin/pwd"}, 20s, "/usr").output, "/usr\n"); }

TEST_F(ChildProcessTest, WhatCannotBeExecutedIsNamed) {
  const auto missing = Run({"/no/such/program"});
  EXPECT_FALSE(missing.started);
  EXPECT_EQ(missing.output, "cannot execute /no/such/program: No such file or directory");
  EXPECT_FALSE(Run({"/etc/passwd"}).started);
  EXPECT_EQ(Run({"/bin/true"}, 20s, "/no/folder").output, "cannot change to /no/folder: No such file or directory");
}

TEST_F(ChildProcessTest, ExitCodesAndSignalsAreTold) {
  EXPECT_EQ(Run({"/bin/sh", "-c", "exit 3"}).exit_code, 3);
  EXPECT_EQ(Run({"/bin/sh", "-c", "kill -TERM $$"}).exit_code, 143);
  int status = 0;
  const auto pid = StartChild({.command = {"/bin/sh", "-c", "kill -KILL $$"}});
  ASSERT_TRUE(pid);
  waitpid(*pid, &status, 0);
  EXPECT_EQ(DescribeExit(status), "was killed by signal 9 (Killed)");
}

}  // namespace
}  // namespace kube_events
