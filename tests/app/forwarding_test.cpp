#include "kube_events/app/forwarding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/temp_dir.h"

namespace kube_events {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> Ids(const Result<std::vector<SinkSettings>>& sinks) {
  std::vector<std::string> ids;
  for (const SinkSettings& sink : sinks.value()) ids.push_back(sink.id);
  return ids;
}

TEST(ForwardSinksTest, AreThoseOfTheFlagsAndOfTheFile) {
  TempDir dir;
  ExporterOptions options;
  options.forward = {"stdout:", "http://localhost:9880/events"};
  options.forward_config = dir.Write("sinks.yaml", "sinks: [{name: archive, url: \"file:///var/log/events.jsonl\"}]\n");
  EXPECT_THAT(Ids(ForwardSinks(options)), ElementsAre("stdout:", "http://localhost:9880/events", "archive"));
}

TEST(ForwardSinksTest, TheSameTwiceIsRefused) {
  ExporterOptions options;
  options.forward = {"file:///a", "file:///a"};
  const auto sinks = ForwardSinks(options);
  ASSERT_FALSE(sinks);
  EXPECT_EQ(sinks.error().kind, ErrorKind::kConfiguration);
  EXPECT_THAT(sinks.error().message, HasSubstr("two sinks are called \"file:///a\""));
}

TEST(ForwardSinksTest, AFileThatIsMissingIsNamed) {
  ExporterOptions options;
  options.forward_config = "/nowhere/sinks.yaml";
  const auto sinks = ForwardSinks(options);
  ASSERT_FALSE(sinks);
  EXPECT_EQ(sinks.error().kind, ErrorKind::kConfiguration);
  EXPECT_THAT(sinks.error().message, HasSubstr("--forward-config: cannot read /nowhere/sinks.yaml: No such file"));
}

TEST(ForwardSinksTest, AFolderIsNotTakenForAnEmptyFile) {
  ExporterOptions options;
  options.forward_config = "/";
  const auto sinks = ForwardSinks(options);
  ASSERT_FALSE(sinks);
  EXPECT_EQ(sinks.error().kind, ErrorKind::kConfiguration);
  EXPECT_THAT(sinks.error().message, HasSubstr("--forward-config: cannot read /: it is a directory"));
}

TEST(ForwardSinksTest, WhatCannotBeAFileOfSinksIsNamed) {
  TempDir dir;
  ExporterOptions options;
  for (const auto& path :
       {dir.path().string(), dir.Write("large", std::string((1 << 20) + 1, '#')), std::string("/dev/zero")}) {
    options.forward_config = path;
    const auto sinks = ForwardSinks(options);
    ASSERT_FALSE(sinks) << path;
    EXPECT_EQ(sinks.error().kind, ErrorKind::kConfiguration);
    EXPECT_THAT(sinks.error().message, HasSubstr("--forward-config: cannot read " + path));
  }
}

TEST(ForwardSinksTest, SinksOfFlagAndFileThatGetInEachOthersWayAreRefused) {
  TempDir dir;
  ExporterOptions options;
  options.forward = {"stdout:"};
  options.forward_config = dir.Write("sinks.yaml", "sinks: [{name: out, url: \"stdout:\"}]\n");
  EXPECT_FALSE(ForwardSinks(options));
  options.forward = {"file:///dev/stderr"};
  EXPECT_FALSE(ForwardSinks(options));
}

class Notes final : public ChangeConsumer {
 public:
  Notes(std::string name, std::vector<std::string>& calls) : name_(std::move(name)), calls_(calls) {}
  void OnListBegin(ScopeIndex, ListReason, WallTime) override { calls_.push_back(name_ + " begin"); }
  void OnListCommitted(ScopeIndex, std::string_view version, WallTime) override {
    calls_.push_back(name_ + " commit " + std::string(version));
  }
  void OnChange(const Change& change) override { calls_.push_back(name_ + " " + std::string(change.raw)); }

 private:
  const std::string name_;
  std::vector<std::string>& calls_;
};

TEST(CountThenForwardTest, EachChangeIsCountedFirst) {
  std::vector<std::string> calls;
  Notes counter("count", calls);
  Notes forwarder("forward", calls);
  CountThenForward both(counter, forwarder);
  both.OnListBegin(0, ListReason::kFirst, {});
  both.OnListCommitted(0, "7", {});
  const Event event;
  both.OnChange({0, ChangeKind::kAdded, event, "raw", {}});
  EXPECT_THAT(calls, ElementsAre("count begin", "forward begin", "count commit 7", "forward commit 7", "count raw",
                                 "forward raw"));
}

}  // namespace
}  // namespace kube_events
