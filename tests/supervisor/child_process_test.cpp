#include "kube_events/supervisor/child_process.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kube_events/supervisor/command_runner.h"
#include "kube_events/supervisor/log_tee.h"
#include "supervisor/processes.h"

namespace kube_events {
namespace {

using namespace std::chrono_literals;
using testing::EndsWith;
using testing::HasSubstr;

// Runs a command as the watcher does, with this test's signals blocked as a watcher's are.
class ChildProcessTest : public testing::Test {
 protected:
  void SetUp() override {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &set, &before_);
    signal(SIGPIPE, SIG_IGN);
  }
  void TearDown() override {
    signal(SIGPIPE, SIG_DFL);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

  CommandOutcome Run(std::vector<std::string> command, std::chrono::milliseconds timeout = 20s,
                     const std::string& directory = "") {
    CommandOutcome outcome;
    runner_.Run({.command = std::move(command), .directory = directory}, timeout, [&](CommandOutcome result) {
      outcome = std::move(result);
      loop_.Stop();
    });
    const auto reaper = loop_.MakeTimer([this] { Reap(); });
    reaper_ = reaper.get();
    reaper->After(1ms);
    loop_.Run();
    return outcome;
  }

  EventLoop loop_;
  CommandRunner runner_{loop_};

 private:
  void Reap() {
    for (const auto& [pid, status] : ReapChildren()) runner_.OnChildEnded(pid, status);
    reaper_->After(1ms);
  }

  sigset_t before_{};
  EventLoop::Timer* reaper_ = nullptr;
};

TEST_F(ChildProcessTest, AChildStartsWithNothingBlockedOrIgnored) {
  const auto outcome = Run({"/bin/sh", "-c", "grep -E 'Sig(Blk|Ign)' /proc/$$/status"});
  EXPECT_EQ(outcome.output, "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
}

TEST_F(ChildProcessTest, AChildInheritsNoFileDescriptor) {
  const UniqueFd leak(open("/dev/null", O_RDONLY));  // without O_CLOEXEC
  const auto outcome = Run({"/bin/sh", "-c", "ls /proc/$$/fd | tr '\\n' ' '"});
  EXPECT_THAT(outcome.output, testing::StartsWith("0 1 2 "));
  EXPECT_EQ(outcome.output.find(std::to_string(leak.get()) + " "), std::string::npos) << outcome.output;
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

TEST_F(ChildProcessTest, ACommandWithoutEndIsKilled) {
  const auto outcome = Run({"/bin/sleep", "1000"}, 50ms);
  EXPECT_FALSE(outcome.ended);
  EXPECT_TRUE(outcome.started);
}

TEST_F(ChildProcessTest, OnlyTheLastPartOfALongOutputIsKept) {
  const auto outcome = Run({"/bin/sh", "-c", "yes | head -c 1000000; echo end"});
  EXPECT_LE(outcome.output.size(), 16U * 1024);
  EXPECT_THAT(outcome.output, EndsWith("end\n"));
}

TEST(EssenceTest, IsWhatTheErrorsSayWithoutColours) {
  EXPECT_EQ(EssenceOf("\x1b[1mFluent Bit\x1b[0m v5\n[error] bad plugin\n[error] bad plugin\n[ info] x\nerror: more\n"),
            "[error] bad plugin; error: more");
  EXPECT_EQ(EssenceOf("only\nthis\n\n"), "this");
  EXPECT_EQ(EssenceOf(""), "");
  EXPECT_EQ(EssenceOf("\x1b["), "");
  EXPECT_LE(EssenceOf("error " + std::string(10'000, 'x')).size(), 503U);
}

// A pipe in, a pipe out, and a tee between them.
class LogTeeTest : public testing::Test {
 protected:
  std::string Pass(const std::string& text) {
    const auto in = MakePipe(), out = MakePipe();
    const UniqueFd sink(out->write_end), reader(out->read_end);
    UniqueFd writer(in->write_end);
    fcntl(reader.get(), F_SETFL, O_NONBLOCK);
    LogTee tee(loop_, UniqueFd(in->read_end), sink.get());
    std::string passed;
    const auto watch = loop_.WatchFd(reader.get(), EventLoop::Ready::kToRead, [&] {
      char buffer[1000];
      const auto size = read(reader.get(), buffer, sizeof buffer);
      if (size > 0) passed.append(buffer, static_cast<std::size_t>(size));
      if (passed.size() >= text.size()) loop_.Stop();
    });
    std::size_t sent = 0;
    fcntl(writer.get(), F_SETFL, O_NONBLOCK);
    auto source = loop_.WatchFd(writer.get(), EventLoop::Ready::kToWrite, [&] {
      const auto size = write(writer.get(), text.data() + sent, std::min<std::size_t>(3'000, text.size() - sent));
      if (size > 0) sent += static_cast<std::size_t>(size);
    });
    const auto closer = loop_.MakeTimer([&] {
      if (sent == text.size()) {
        source.reset();
        writer.Reset();
      } else {
        retry_->After(1ms);
      }
    });
    retry_ = closer.get();
    closer->After(1ms);
    loop_.Run();
    counts_ = tee.Counts();
    return passed;
  }

  EventLoop loop_;
  EventLoop::Timer* retry_ = nullptr;
  LogCounts counts_;
};

TEST_F(LogTeeTest, EverythingIsPassedOnAlsoWithoutALastNewline) {
  std::string text;
  for (int i = 0; i < 5'000; ++i) text += "line " + std::to_string(i) + "\n";
  text += std::string(100'000, 'x') + "\nend";
  EXPECT_EQ(Pass(text), text);
}

TEST_F(LogTeeTest, LinesAboutReloadsAreCounted) {
  Pass(
      "[reload] successful reload done.\nreloading in progress, aborting.\n[reload] successful reload done.\n"
      "[ warn] [reload] hot reloading is not enabled\nother\n");
  EXPECT_EQ(counts_.reloaded, 2U);
  EXPECT_EQ(counts_.aborted, 1U);
  EXPECT_EQ(counts_.disabled, 1U);
}

}  // namespace
}  // namespace kube_events
