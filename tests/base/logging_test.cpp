#include "kube_events/base/logging.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spdlog/sinks/ostream_sink.h>

#include <nlohmann/json.hpp>
#include <sstream>

namespace kube_events {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

class LoggingTest : public testing::Test {
 protected:
  Logging Make(std::string_view levels, LogFormat format) {
    return Logging::CreateWithSink(levels, format, std::make_shared<spdlog::sinks::ostream_sink_mt>(out_)).value();
  }
  std::ostringstream out_;
};

TEST_F(LoggingTest, TextNamesLevelComponentAndFields) {
  Make("info", LogFormat::kText)
      .For("informer")
      .Warn("list failed", {{"scope", "all"}, {"status", 503}, {"why", "a b"}});
  EXPECT_THAT(out_.str(), EndsWith("Z warning informer: list failed scope=all status=503 why=\"a b\"\n"));
}

TEST_F(LoggingTest, JsonIsJsonWhateverTheValues) {
  Make("info", LogFormat::kJson).For("informer").Info("a \"quoted\"\nline", {{"bytes", "\xff\x01\\ \u00fc"}});
  const auto line = nlohmann::json::parse(out_.str());
  EXPECT_EQ(line["component"], "informer");
  EXPECT_EQ(line["msg"], "a \"quoted\"\nline");
  EXPECT_EQ(line["bytes"], "\ufffd\x01\\ \u00fc");
  for (const char* broken : {"\xed\xa0\x80", "\xe0\x80\x80", "\xf4\x90\x80\x80"}) {
    out_.str("");
    Make("info", LogFormat::kJson).For("informer").Info(broken);
    EXPECT_TRUE(nlohmann::json::accept(out_.str())) << out_.str();
  }
}

TEST_F(LoggingTest, LogfmtQuotesWhatNeedsIt) {
  Make("info", LogFormat::kLogfmt).For("http").Info("served", {{"path", "/metrics"}, {"empty", ""}});
  EXPECT_THAT(out_.str(), EndsWith("level=info component=http msg=\"served\" path=/metrics empty=\"\"\n"));
}

TEST_F(LoggingTest, AValueFromOutsideCannotStartANewLine) {
  Make("info", LogFormat::kText).For("informer").Info("bad\r\nvalue", {{"message", "x\ny"}});
  const std::string text = out_.str();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1);
}

TEST_F(LoggingTest, LevelsArePerComponent) {
  const Logging logging = Make("warn,informer=debug,http=off", LogFormat::kText);
  logging.For("informer").Debug("one");
  logging.For("http").Error("two");
  logging.For("other").Info("three");
  logging.For("other").Warn("four");
  EXPECT_THAT(out_.str(), testing::AllOf(HasSubstr("one"), HasSubstr("four"), testing::Not(HasSubstr("two")),
                                         testing::Not(HasSubstr("three"))));
}

TEST_F(LoggingTest, AnUnknownLevelIsRefusedWithTheOnesThereAre) {
  for (const char* levels : {"loud", "informer=loud", "info,,warn", "info="}) {
    const auto logging = Logging::Create(levels, LogFormat::kText);
    ASSERT_FALSE(logging) << levels;
    EXPECT_THAT(logging.error().message, HasSubstr("write debug, info, warn, error or off"));
  }
}

}  // namespace
}  // namespace kube_events
