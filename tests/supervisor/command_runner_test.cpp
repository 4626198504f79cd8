#include "kube_events/supervisor/command_runner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "supervisor/command_fixture.h"

namespace kube_events {
namespace {

using namespace std::chrono_literals;
using testing::EndsWith;

using CommandRunnerTest = CommandFixture;

TEST_F(CommandRunnerTest, ACommandWithoutEndIsKilled) {
  const auto outcome = Run({"/bin/sleep", "1000"}, 50ms);
  EXPECT_FALSE(outcome.ended);
  EXPECT_TRUE(outcome.started);
}

TEST_F(CommandRunnerTest, OnlyTheLastPartOfALongOutputIsKept) {
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
  EXPECT_EQ(EssenceOf("error: \xff\r\n"), "error: \xef\xbf\xbd ") << "whoever serves or logs it relies on UTF-8";
}

}  // namespace
}  // namespace kube_events
