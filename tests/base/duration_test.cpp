#include "kube_events/base/duration.h"

#include <gtest/gtest.h>

namespace kube_events {
namespace {

using namespace std::chrono_literals;

TEST(ParseDuration, ReadsGosSpellings) {
  EXPECT_EQ(ParseDuration("300ms").value(), 300ms);
  EXPECT_EQ(ParseDuration("10s").value(), 10s);
  EXPECT_EQ(ParseDuration("5m").value(), 5min);
  EXPECT_EQ(ParseDuration("1h30m").value(), 90min);
  EXPECT_EQ(ParseDuration("1.5h").value(), 90min);
  EXPECT_EQ(ParseDuration(".5s").value(), 500ms);
  EXPECT_EQ(ParseDuration("2us3ns").value(), 2003ns);
  EXPECT_EQ(ParseDuration("7\u00b5s").value(), 7us);
  EXPECT_EQ(ParseDuration("0").value(), 0s);
}

TEST(ParseDuration, ABareNumberIsSeconds) {
  EXPECT_EQ(ParseDuration("90").value(), 90s);
  EXPECT_EQ(ParseDuration("0.25").value(), 250ms);
}

TEST(ParseDuration, IsExactToTheNanosecondUpToTheLongest) {
  EXPECT_EQ(ParseDuration("2562047h47m16s854ms775us807ns").value(), std::chrono::nanoseconds::max());
  EXPECT_EQ(ParseDuration("9223372036.854775807").value(), std::chrono::nanoseconds::max());
  EXPECT_EQ(ParseDuration("0.29s").value(), 290ms);
  EXPECT_EQ(ParseDuration("1.0000000019999999999999999999999s").value(), 1'000'000'001ns);
}

TEST(ParseDuration, RefusesAnythingElseAndSaysWhatToWrite) {
  for (const char* text : {"",
                           " ",
                           "s",
                           "-1s",
                           "+1s",
                           "1x",
                           "1s ",
                           " 1s",
                           "1 s",
                           "1m30",
                           "1e3s",
                           "0x1s",
                           "inf",
                           "nan",
                           "1..2s",
                           "1s-",
                           "9999999999h",
                           "1d",
                           ".",
                           ".s",
                           "0s5",
                           "0h0",
                           "2562047h47m16s854ms775us808ns"}) {
    const auto parsed = ParseDuration(text);
    ASSERT_FALSE(parsed) << "\"" << text << "\"";
    EXPECT_EQ(parsed.error().kind, ErrorKind::kConfiguration);
    EXPECT_NE(parsed.error().message.find("write for example"), std::string::npos);
  }
}

TEST(FormatDuration, IsReadBackToTheSameValue) {
  for (const auto duration : {0ns, 1ns, 999ns, 1500ns, 300'000'000ns, 5'400'000'000'000ns, 86'400'000'000'001ns,
                              std::chrono::nanoseconds::max()}) {
    EXPECT_EQ(ParseDuration(FormatDuration(duration)).value(), duration) << FormatDuration(duration);
  }
  EXPECT_EQ(FormatDuration(90min), "1h30m");
}

}  // namespace
}  // namespace kube_events
