#include "kube_events/base/trouble_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spdlog/sinks/ostream_sink.h>

#include <algorithm>
#include <sstream>

#include "support/fake_clock.h"

namespace kube_events {
namespace {

using namespace std::chrono_literals;
using testing::EndsWith;
using testing::HasSubstr;

class TroubleLogTest : public testing::Test {
 protected:
  std::string Take() {
    std::string lines = out_.str();
    out_.str("");
    return lines;
  }
  static long Lines(const std::string& text) { return std::count(text.begin(), text.end(), '\n'); }

  std::ostringstream out_;
  Logging logging_ =
      Logging::CreateWithSink("info", LogFormat::kText, std::make_shared<spdlog::sinks::ostream_sink_mt>(out_)).value();
  FakeClock clock_;
  TroubleLog log_{logging_.For("informer"), clock_};
};

TEST_F(TroubleLogTest, ARepeatedFailureIsLoggedOnceAndThenCounted) {
  for (int i = 0; i < 1000; ++i) log_.Note("list is forbidden", {{"verb", "list"}});
  const std::string once = Take();
  EXPECT_EQ(Lines(once), 1);
  EXPECT_THAT(once, EndsWith("Z warning informer: list is forbidden verb=list\n"));
  log_.Over("the watch is open again", {"scope", "all"});
  EXPECT_THAT(Take(), HasSubstr("info    informer: the watch is open again scope=all failures=1000\n"));
}

TEST_F(TroubleLogTest, FailuresThatAlternateAreLoggedOnceEach) {
  for (int i = 0; i < 1000; ++i) log_.Note(i % 2 == 0 ? "reset" : "refused", {});
  EXPECT_EQ(Lines(Take()), 2);
}

TEST_F(TroubleLogTest, AWatchThatIsCutEveryTenSecondsIsToldOfEveryTenMinutes) {
  std::string lines;
  for (int i = 0; i < 6 * 60; ++i) {
    log_.Note("the connection was reset", {});
    log_.Over("the watch is open again", {"scope", "all"});
    lines += Take();
    clock_.Advance(10s);
  }
  EXPECT_EQ(Lines(lines), 2 * 6);
  EXPECT_THAT(lines, HasSubstr("the connection was reset (and 59 times before)"));
}

TEST_F(TroubleLogTest, NonsenseOfEverNewKindsDoesNotFillTheLog) {
  for (int i = 0; i < 100'000; ++i) log_.Note("unknown type " + std::to_string(i), {});
  EXPECT_EQ(Lines(Take()), 16);
  clock_.Advance(TroubleLog::kRepeatAfter);
  log_.Note("another kind", {});
  EXPECT_EQ(Lines(Take()), 1);
}

TEST_F(TroubleLogTest, SaysNothingOfTheEndOfWhatWasNotLogged) {
  log_.Over("the watch is open again", {"scope", "all"});
  EXPECT_EQ(Take(), "");
}

}  // namespace
}  // namespace kube_events
