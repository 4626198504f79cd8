#include "kube_events/base/signals.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>

namespace kube_events {
namespace {

using namespace std::chrono_literals;

// Each body is a process of its own: signals and their masks belong to the whole process.
class TerminationDeathTest : public testing::Test {
 protected:
  TerminationDeathTest() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(TerminationDeathTest, WaitReturnsAfterEitherSignal) {
  for (const int signal : {SIGTERM, SIGINT}) {
    EXPECT_EXIT(
        {
          Termination termination(1h);
          kill(getpid(), signal);
          termination.Wait();
          std::_Exit(7);
        },
        testing::ExitedWithCode(7), "");
  }
}

TEST_F(TerminationDeathTest, AFailedLoopEndsTheWaitToo) {
  EXPECT_EXIT(
      {
        Termination termination(1h);
        std::thread([] { RequestTermination(); }).join();
        termination.Wait();
        std::_Exit(7);
      },
      testing::ExitedWithCode(7), "");
}

TEST_F(TerminationDeathTest, AProcessThatIsStuckEndsAfterTheGrace) {
  EXPECT_EXIT(
      {
        Termination termination(50ms);
        kill(getpid(), SIGTERM);
        termination.Wait();
        pause();
      },
      testing::ExitedWithCode(1), "");
}

TEST_F(TerminationDeathTest, ASecondSignalEndsItAtOnce) {
  EXPECT_EXIT(
      {
        Termination termination(1h);
        kill(getpid(), SIGINT);
        termination.Wait();
        kill(getpid(), SIGINT);
        pause();
      },
      testing::ExitedWithCode(1), "");
}

TEST_F(TerminationDeathTest, EndsWithoutASignal) {
  EXPECT_EXIT(
      {
        { const Termination termination(1h); }
        std::_Exit(7);
      },
      testing::ExitedWithCode(7), "");
}

}  // namespace
}  // namespace kube_events
