// The exporter as a whole, in-process, against the simulated API server over real sockets.
#include "kube_events/app/exporter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "support/exporter_fixture.h"

namespace kube_events {
namespace {

using namespace std::chrono_literals;
using sim::EventObject;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::UnorderedElementsAre;

using ExporterTest = ExporterFixture;

TEST_F(ExporterTest, WhatWasThereBeforeIsTheBaselineAndWhatFollowsIsCounted) {
  EventObject old = MakePodEvent("old", "BackOff", 7);
  server_.Create(old);
  StartReady(Options(server_.Url()));
  EXPECT_THAT(Counts(true), UnorderedElementsAre(Pair("Warning|default|Pod|BackOff", 0)));
  old.count = 9;
  server_.Update(old);
  server_.Create(MakePodEvent("new", "Failed"));
  EXPECT_TRUE(Eventually([&] { return Count("Warning|default|Pod|Failed") == 1; }));
  EXPECT_THAT(Counts(),
              UnorderedElementsAre(Pair("Warning|default|Pod|BackOff", 2), Pair("Warning|default|Pod|Failed", 1)));
}

TEST_F(ExporterTest, BothApisCountTheSame) {
  ExporterOptions options = Options(server_.Url());
  options.event_api = EventApi::kEventsV1;
  StartReady(options);
  EventObject event = MakePodEvent("a", "Pulled");
  server_.Create(event);
  event.count = 5;
  server_.Update(event);
  EXPECT_TRUE(Eventually([&] { return Count("Warning|default|Pod|Pulled") == 5; }));
}

TEST_F(ExporterTest, ALivelyClusterIsCountedExactly) {
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  sim::LoadOptions load;
  load.seed = seed;
  load.objects = 300;
  load.rate = 2000;
  server_.PrepareLoad(load);
  ExporterOptions options = Options(server_.Url());
  options.list_page_size = 50;
  StartReady(options);
  const std::uint64_t baseline = server_.State().first_list_revision;
  server_.StartLoad(load);
  EXPECT_TRUE(Eventually([&] { return server_.State().load_changes >= 4000; }, 30s));
  server_.StopLoad();
  const EventCounts truth = ToEventCounts(server_.TruthSince(baseline).value());
  ASSERT_FALSE(truth.empty());
  Eventually([&] { return Counts() == truth; });
  EXPECT_EQ(Counts(), truth);
}

TEST_F(ExporterTest, OnlyTheNamespacesAskedForAreWatched) {
  ExporterOptions options = Options(server_.Url());
  options.namespaces = {"a", "b"};
  StartReady(options);
  server_.Create(MakePodEvent("c", "R", 1, "c"));
  server_.Create(MakePodEvent("a", "R", 1, "a"));
  server_.Create(MakePodEvent("b", "R", 1, "b"));
  EXPECT_TRUE(Eventually([&] { return Count("Warning|a|Pod|R") == 1 && Count("Warning|b|Pod|R") == 1; }));
  EXPECT_EQ(Counts().size(), 2U);
}

TEST_F(ExporterTest, FiltersActOnWhatIsCounted) {
  ExporterOptions options = Options(server_.Url());
  options.reasons = {"!Noise"};
  StartReady(options);
  server_.Create(MakePodEvent("a", "Noise"));
  server_.Create(MakePodEvent("b", "Signal"));
  EXPECT_TRUE(Eventually([&] { return Count("Warning|default|Pod|Signal") == 1; }));
  EXPECT_EQ(Counts(true).size(), 1U);
}

TEST_F(ExporterTest, ARefusedListIsToldAndCountingBeginsOnceItIsGranted) {
  server_.SetDenied({sim::AccessRule{.verb = "list"}});
  Start(Options(server_.Url()));
  EXPECT_TRUE(Eventually([&] {
    const auto answer = Fetch("/healthz");
    return answer.status == 503 && answer.body.find("403") != std::string::npos;
  }));
  EXPECT_THAT(Fetch("/healthz").body,
              AllOf(HasSubstr("scope all"), HasSubstr("list"), HasSubstr("events"), HasSubstr("API group")));
  EXPECT_EQ(Fetch("/metrics").status, 200);
  EXPECT_EQ(Fetch("/livez").status, 200);
  server_.SetDenied({});
  EXPECT_TRUE(Eventually([&] { return Fetch("/healthz").status == 200; }, 30s));
  server_.Create(MakePodEvent("a", "R"));
  EXPECT_TRUE(Eventually([&] { return Count("Warning|default|Pod|R") == 1; }));
}

TEST_F(ExporterTest, DroppedWatchesLoseNothing) {
  StartReady(Options(server_.Url()));
  for (int i = 0; i < 3; ++i) {
    server_.DropWatches(i % 2 == 0 ? sim::DropMode::kReset : sim::DropMode::kEnd);
    server_.Create(MakePodEvent("e" + std::to_string(i), "R"));
    EXPECT_TRUE(Eventually([&] { return Count("Warning|default|Pod|R") == i + 1; })) << i;
  }
  EXPECT_EQ(Sample("kube_events_exporter_list_total"), 1);
}

TEST_F(ExporterTest, AWatchThatFellBehindTheHistoryIsListedAgainWithoutDoubleCounts) {
  server_.Create(MakePodEvent("kept", "R", 3));
  StartReady(Options(server_.Url()));
  server_.AddFault({.verb = "watch", .times = 1, .action = sim::FaultAction::kError, .status = 410});
  server_.DropWatches(sim::DropMode::kReset);
  server_.Create(MakePodEvent("a", "R"));
  EXPECT_TRUE(Eventually([&] { return Sample("kube_events_exporter_list_total") == 2; }, 30s));
  EXPECT_TRUE(Eventually([&] { return Count("Warning|default|Pod|R") == 1; }));
  EXPECT_EQ(Sample("kube_events_exporter_relists_total{reason=\"expired\"}"), 1);
  EXPECT_EQ(Sample("kube_events_exporter_gaps_total{scope=\"all\"}"), 1);
}

TEST_F(ExporterTest, ObjectsThatCannotBeDecodedAreSkippedAndCountedAndTheScrapeStaysWhole) {
  StartReady(Options(server_.Url()));
  server_.CreateRaw(MakePodEvent("bad", "R"), R"("involvedObject":17,"count":"many")");
  server_.InjectFrame("nonsense\n");
  server_.InjectFrame(
      "{\"type\":\"ADDED\",\"object\":{\"kind\":\"Event\",\"metadata\":{\"name\":\"utf\",\"resourceVersion\":\"1\"},"
      "\"reason\":\"\xff\xfe\",\"type\":\"Normal\"}}\n");
  server_.Create(MakePodEvent("good", "R"));
  EXPECT_TRUE(Eventually([&] { return Count("Warning|default|Pod|R") == 1; }));
  EXPECT_EQ(Sample("kube_events_exporter_decode_errors_total"), 2);
  EXPECT_EQ(Count("Normal|||\xef\xbf\xbd\xef\xbf\xbd"), 1);
}

TEST_F(ExporterTest, AnApiServerThatIsDownMakesItUnreadyAndNeverDead) {
  ExporterOptions options = Options("http://127.0.0.1:1");
  Start(options);
  EXPECT_TRUE(Eventually([&] { return Fetch("/healthz").body.find("127.0.0.1:1") != std::string::npos; }));
  EXPECT_EQ(Fetch("/healthz").status, 503);
  EXPECT_EQ(Fetch("/livez").status, 200);
}

TEST_F(ExporterTest, ItsOwnMetricsMayHaveAPortOfTheirOwn) {
  ExporterOptions options = Options(server_.Url());
  options.exporter_port = 0;
  StartReady(options);
  server_.Create(MakePodEvent("a", "R"));
  EXPECT_TRUE(Eventually([&] { return Count("Warning|default|Pod|R") == 1; }));
  EXPECT_THAT(Fetch("/metrics").body, testing::Not(HasSubstr("kube_events_exporter_")));
}

TEST_F(ExporterTest, APortInUseIsAFailureThatSaysWhatToDo) {
  Start(Options(server_.Url()));
  ExporterOptions second = Options(server_.Url());
  second.port = exporter_->Port();
  const auto started = Exporter::Start(second, NoEnvironment);
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().kind, ErrorKind::kRetry) << "exit code 1, not 2";
  EXPECT_THAT(started.error().message, AllOf(HasSubstr(std::to_string(second.port)), HasSubstr("--port")));
}

TEST_F(ExporterTest, EndsAtOnceWhateverItWaitsFor) {
  server_.AddFault({.times = -1, .action = sim::FaultAction::kSilence});
  Start(Options(server_.Url()));
  EXPECT_TRUE(Eventually([&] { return !server_.State().requests.empty(); }));
  const auto began = std::chrono::steady_clock::now();
  exporter_.reset();
  EXPECT_LT(std::chrono::steady_clock::now() - began, 2s);
}

}  // namespace
}  // namespace kube_events
