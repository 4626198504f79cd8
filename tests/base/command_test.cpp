#include "kube_events/base/command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <csignal>
#include <fstream>
#include <future>
#include <thread>

#include "support/eventually.h"

namespace kube_events {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

Command Shell(const std::string& script) {
  return {"/bin/sh", {"-c", script}, {"PATH=/usr/bin:/bin", "GREETING=hello"}};
}

Result<CommandResult> Outcome(const Command& command) { return RunCommand(command, {}); }

TEST(RunCommand, GivesOutputLastWordsAndExitCode) {
  const auto result = Outcome(Shell("echo $GREETING $1; echo oh no >&2; exit 3"));
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->output, "hello\n");
  EXPECT_EQ(result->last_words, "oh no\n");
  EXPECT_EQ(result->exit_code, 3);
}

TEST(RunCommand, PassesArgumentsAsTheyAreAndOnlyTheGivenEnvironment) {
  Command command{"env", {}, {"ONLY=this one"}};
  EXPECT_EQ(Outcome(command)->output, "ONLY=this one\n") << "found in our PATH, run with its own environment";
  command = {"/bin/sh", {"-c", "printf %s \"$1\"", "sh", "a b;$(c)"}, {}};
  EXPECT_EQ(Outcome(command)->output, "a b;$(c)");
}

TEST(RunCommand, HasNothingToReadAndNoSignalIsBlockedOrIgnored) {
  sigset_t set;
  sigset_t before;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &set, &before);
  const auto result = Outcome(Shell("cat; kill -TERM $$; echo still here"));
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->exit_code, 128 + SIGTERM);
  EXPECT_EQ(result->output, "");
}

TEST(RunCommand, AProgramThatCannotBeStartedIsAnError) {
  for (const std::string program : {"/no/such/program", "no-such-program-anywhere", "/etc/passwd", "/"}) {
    const auto result = Outcome({program, {}, {}});
    ASSERT_FALSE(result) << program;
    EXPECT_EQ(result.error().kind, ErrorKind::kConfiguration);
    EXPECT_THAT(result.error().message, HasSubstr("cannot run " + program + ": "));
  }
}

TEST(RunCommand, TakesOutputLargerThanAPipeAndRefusesTooMuch) {
  Command command = Shell("head -c 900000 /dev/zero; head -c 900000 /dev/zero >&2");
  const auto result = Outcome(command);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->output.size(), 900'000U);
  EXPECT_EQ(result->last_words.size(), 1024U);
  command.max_output = 100'000;
  const auto refused = Outcome(command);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("more than 100000 bytes"));
}

bool IsAlive(const std::string& pid_file) {
  pid_t pid = 0;
  std::ifstream(pid_file) >> pid;
  if (pid == 0 || ::kill(pid, 0) != 0) return false;
  std::string stat;
  std::getline(std::ifstream("/proc/" + std::to_string(pid) + "/stat"), stat);
  return stat.find(") Z ") == std::string::npos;
}

class RunCommandKills : public testing::Test {
 protected:
  ~RunCommandKills() override { static_cast<void>(std::remove(pid_file_.c_str())); }
  // The program's child outlives it, unless it is killed with it.
  std::string WithChild(const std::string& then) const { return "sleep 1000 & echo $! >" + pid_file_ + "; " + then; }
  const std::string pid_file_ = testing::TempDir() + "/command_test_" + std::to_string(::getpid());
};

TEST_F(RunCommandKills, TheWholeGroupWhenItTakesTooLong) {
  Command command = Shell(WithChild("sleep 1000"));
  command.timeout = 300ms;
  const auto result = Outcome(command);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, ErrorKind::kRetry);
  EXPECT_THAT(result.error().message, HasSubstr("did not end within 300 ms"));
  EXPECT_TRUE(Eventually([&] { return !IsAlive(pid_file_); }));
}

TEST_F(RunCommandKills, AChildThatItLeftBehind) {
  const auto result = Outcome(Shell("echo done; " + WithChild("exit 0")));
  ASSERT_TRUE(result) << result.error().message << ": it holds the output open";
  EXPECT_EQ(result->output, "done\n");
  EXPECT_TRUE(Eventually([&] { return !IsAlive(pid_file_); }));
}

TEST_F(RunCommandKills, ItAtOnceWhenAStopIsRequested) {
  std::stop_source stop;
  auto running = std::async(std::launch::async, [&] { return RunCommand(Shell(WithChild("wait")), stop.get_token()); });
  ASSERT_TRUE(Eventually([&] { return IsAlive(pid_file_); }));
  stop.request_stop();
  const auto result = running.get();
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, ErrorKind::kCancelled);
  EXPECT_TRUE(Eventually([&] { return !IsAlive(pid_file_); }));
}

}  // namespace
}  // namespace kube_events
