// An exporter with a checkpoint, in-process, over restarts; tests/replicas has several processes, tests/chaos kills.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "kube/temp_dir.h"
#include "support/exporter_fixture.h"

namespace kube_events {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using sim::EventObject;
using testing::IsEmpty;

class CheckpointingTest : public ExporterFixture {
 protected:
  ExporterOptions WithFile() {
    ExporterOptions options = Options(server_.Url());
    options.checkpoint_file = File().string();
    options.checkpoint_interval = 1s;
    return options;
  }
  ExporterOptions WithConfigMap() {
    ExporterOptions options = Options(server_.Url());
    options.checkpoint_config_map_namespace = "mon";
    options.checkpoint_config_map = "checkpoint";
    options.checkpoint_interval = 1s;
    return options;
  }
  void Stop() { exporter_.reset(); }

  std::filesystem::path File() const { return dir_.path() / "checkpoint.json"; }
  static std::string ContentOf(const std::filesystem::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  // Waits until a write has ended so.
  bool AwaitWrite(const std::string& result) {
    const std::string sample = "kube_events_exporter_checkpoint_writes_total{result=\"" + result + "\"}";
    return Eventually([&] { return ReadSample(Fetch("/metrics").body, sample).value_or(0) > 0; }, 60s);
  }
  double Gaps() { return Sample("kube_events_exporter_gaps_total{scope=\"all\"}"); }
  // An Event that is written now is counted.
  void ExpectCounting(const std::string& reason) {
    server_.Create(MakePodEvent(reason, reason));
    EXPECT_TRUE(Reaches(PodSeries(reason), 1)) << Fetch("/healthz").body;
  }

  // Counted three times before the process ends; then, while it is down, twice more, beside one Event that comes and
  // goes and one that stays.
  void CountStopAndGoOn(const ExporterOptions& options) {
    StartReady(options);
    EventObject known = MakePodEvent("known", "Known");
    server_.Create(known);
    known.count = 3;
    server_.Update(known);
    ASSERT_TRUE(Reaches(PodSeries("Known"), 3));
    Stop();
    known.count = 5;
    server_.Update(known);
    server_.Create(MakePodEvent("gone", "Gone"));
    server_.Delete("default", "gone");
    server_.Create(MakePodEvent("new", "New"));
  }
  void ForgetEverything() {
    for (const char* name : {"known", "new"}) server_.Delete("default", name);
  }

  TempDir dir_;
};

TEST_F(CheckpointingTest, B036ARestartGoesOnWhereTheProcessHadStopped) {
  for (const ExporterOptions& options : {WithFile(), WithConfigMap()}) {
    SCOPED_TRACE(options.checkpoint_file.empty() ? "ConfigMap" : "file");
    CountStopAndGoOn(options);
    StartReady(options);
    AwaitEverythingSent();
    EXPECT_EQ(Count(PodSeries("Known")), 2) << "what was counted before is not counted again";
    EXPECT_EQ(Count(PodSeries("Gone")), 1) << "it came and went while nobody looked";
    EXPECT_EQ(Count(PodSeries("New")), 1);
    EXPECT_EQ(Gaps(), 0);
    EXPECT_EQ(Sample("kube_events_exporter_uncertain_occurrences_total{kind=\"counted\"}"), 0);
    EXPECT_EQ(Sample("kube_events_exporter_uncertain_occurrences_total{kind=\"not_counted\"}"), 0);
    Stop();
    ForgetEverything();
  }
}

TEST_F(CheckpointingTest, OnlyWhereTheHistoryIsGoneTheListIsCountedAndAGapReported) {
  CountStopAndGoOn(WithFile());
  server_.Compact();
  StartReady(WithFile());
  AwaitEverythingSent();
  EXPECT_EQ(Count(PodSeries("Known")), 2);
  EXPECT_EQ(Count(PodSeries("Gone")), 0) << "nobody can know";
  EXPECT_EQ(Count(PodSeries("New")), 1);
  EXPECT_EQ(Gaps(), 1);
}

TEST_F(CheckpointingTest, AHistoryThatIsLostHalfWayIsCountedByTheListAndNotTwice) {
  CountStopAndGoOn(WithFile());
  server_.AddFault({.verb = "watch", .action = sim::FaultAction::kError, .after_frames = 1, .status = 410});
  StartReady(WithFile());
  AwaitEverythingSent();
  EXPECT_EQ(Count(PodSeries("Known")), 2);
  EXPECT_EQ(Count(PodSeries("New")), 1);
  EXPECT_EQ(Gaps(), 1);
  EXPECT_EQ(server_.State().faults_met, 1U);
}

TEST_F(CheckpointingTest, ARestoredServerIsListedAndTheGapReported) {
  server_.Create(MakePodEvent("base", "Base"));
  const std::uint64_t backup = server_.State().revision;
  CountStopAndGoOn(WithFile());
  server_.Rewind(backup);
  server_.Create(MakePodEvent("other", "Other"));
  StartReady(WithFile());
  AwaitEverythingSent();
  EXPECT_EQ(Gaps(), 1);
  EXPECT_EQ(Sample("kube_events_exporter_uncertain_occurrences_total{kind=\"counted\"}"),
            static_cast<double>(Count(PodSeries("Base")) + Count(PodSeries("Other"))))
      << "what such a list adds is never certain";
}

// A first list that finds "old" there counts nothing.
TEST_F(CheckpointingTest, WhatCannotBeUsedIsKeptAndIsAColdStartAndReplaced) {
  StartReady(WithFile());
  ExpectCounting("First");
  Stop();
  const std::string good = ContentOf(File());
  ASSERT_TRUE(json::accept(good)) << good;
  const std::vector<std::string> texts{"", "{", R"({"format":2,"scopes":[]})", good.substr(0, good.size() / 2)};
  for (const std::string& text : texts) {
    SCOPED_TRACE(text);
    std::ofstream(File(), std::ios::trunc) << text;
    server_.Create(MakePodEvent("old", "Old"));
    StartReady(WithFile());
    ExpectCounting("New");
    EXPECT_EQ(Count(PodSeries("Old")), 0) << "it was there before the first list";
    Stop();
    EXPECT_EQ(ContentOf(File().string() + ".old"), text);
    EXPECT_EQ(json::parse(ContentOf(File()), nullptr, false).value("format", 0), 1);
    for (const char* name : {"old", "New"}) server_.Delete("default", name);
  }
}

TEST_F(CheckpointingTest, ACheckpointOfAnotherClusterIsAColdStart) {
  StartReady(WithFile());
  ExpectCounting("First");
  Stop();
  sim::SimServer other({.seed = 99});  // which gives its kube-system another uid
  other.Create(MakePodEvent("old", "Old"));
  ExporterOptions options = WithFile();
  options.apiserver = other.Url();
  StartReady(options);
  EXPECT_THAT(Counts(), IsEmpty());
  other.Create(MakePodEvent("new", "New"));
  EXPECT_TRUE(Reaches(PodSeries("New"), 1));
  EXPECT_TRUE(std::filesystem::exists(File().string() + ".old"));
}

TEST_F(CheckpointingTest, AForbiddenConfigMapIsCountedAndHoldsUpNothing) {
  server_.SetDenied({sim::AccessRule{.resource = "configmaps"}});
  StartReady(WithConfigMap());
  ExpectCounting("One");
  EXPECT_TRUE(AwaitWrite("forbidden"));
  server_.SetDenied({});
  EXPECT_TRUE(AwaitWrite("ok"));
}

TEST_F(CheckpointingTest, ATooLargeOneAndAStoreThatIsAwayAreCountedAndHoldUpNothing) {
  server_.AddFault({.verb = "update",
                    .resource = "configmaps",
                    .times = -1,
                    .action = sim::FaultAction::kStatus,
                    .status = 413,
                    .reason = "RequestEntityTooLarge"});
  StartReady(WithConfigMap());
  ExpectCounting("One");
  EXPECT_TRUE(AwaitWrite("too_large"));
  server_.ClearFaults();
  server_.AddFault({.resource = "configmaps", .times = -1, .action = sim::FaultAction::kReset});
  EXPECT_TRUE(AwaitWrite("error"));
  ExpectCounting("Two");
  server_.ClearFaults();
  EXPECT_TRUE(AwaitWrite("ok"));
}

TEST_F(CheckpointingTest, AFolderThatCannotBeWrittenIsCountedAndHoldsUpNothing) {
  ExporterOptions options = WithFile();
  options.checkpoint_file = (dir_.path() / "missing" / "checkpoint.json").string();
  StartReady(options);
  ExpectCounting("One");
  EXPECT_TRUE(AwaitWrite("error"));
  ExpectCounting("Two");
}

TEST_F(CheckpointingTest, SomebodyElsesConfigMapIsNotTouchedAndHoldsUpNothing) {
  const std::string maps = server_.Url() + "/api/v1/namespaces/mon/configmaps";
  ASSERT_EQ(Post(maps, R"({"metadata":{"name":"checkpoint"},"data":{"app.conf":"x"}})").status, 201);
  const std::string before = Get(maps + "/checkpoint").body;
  StartReady(WithConfigMap());
  ExpectCounting("One");
  EXPECT_TRUE(AwaitWrite("error"));
  Stop();
  EXPECT_EQ(Get(maps + "/checkpoint").body, before);
}

TEST_F(CheckpointingTest, MetricsTellOfTheLastOne) {
  StartReady(WithFile());
  ExpectCounting("One");
  ASSERT_TRUE(AwaitWrite("ok"));
  EXPECT_GT(Sample("kube_events_exporter_checkpoint_bytes"), 0);
  EXPECT_GT(Sample("kube_events_exporter_checkpoint_last_success_timestamp_seconds"), 0);
  EXPECT_GT(Sample("kube_events_exporter_checkpoint_age_seconds"), 0);
  EXPECT_EQ(Sample("kube_events_exporter_checkpoint_truncated"), 0);
}

TEST_F(CheckpointingTest, WithoutTheFlagNothingIsAskedForAndNoAgeIsTold) {
  StartReady();
  ExpectCounting("One");
  Stop();
  const sim::SimState state = server_.State();
  for (const auto& [request, times] : state.requests) {
    EXPECT_THAT(request, testing::Not(testing::HasSubstr("configmaps"))) << times;
  }
  StartReady();
  EXPECT_EQ(Sample("kube_events_exporter_checkpoint_age_seconds"), 0);
}

}  // namespace
}  // namespace kube_events
