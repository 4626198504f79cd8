// Failures of other tools that see again what they have seen before: docs/field-failures.md.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "field/events.h"
#include "field/timeline.h"

namespace kube_events::field {
namespace {

using namespace std::chrono_literals;
using sim::EventObject;
using testing::HasSubstr;

std::string Modified(const EventObject& event) {
  const std::string metadata = R"({"name":")" + event.metadata.name + R"(","namespace":"default","uid":")" +
                               event.metadata.uid + R"(","resourceVersion":")" +
                               std::to_string(event.metadata.resource_version) + "\"}";
  return R"({"type":"MODIFIED","object":{"kind":"Event","apiVersion":"v1","metadata":)" + metadata + "," +
         RawPodFields(event.reason, ",\"count\":" + std::to_string(event.count)) + "}}\n";
}

TEST(FieldReplays, B030AnUpdateThatIsDeliveredTwiceCountsOnce) {
  Timeline time;
  time.Start();
  time.Pass(1min);
  EventObject event = time.PodEvent("pod.1", "BackOff");
  ASSERT_TRUE(time.server().Create(event));
  event.count = 4;
  const EventObject stored = time.server().Update(event).value();
  time.AwaitEverythingWritten();
  ASSERT_EQ(time.Count(PodSeries("BackOff")), 4);
  for (int i = 0; i < 2; ++i) time.server().InjectFrame(Modified(stored));
  time.AwaitEverythingWritten();
  EXPECT_EQ(time.Count(PodSeries("BackOff")), 4);
  EXPECT_EQ(time.Own("watch_events_total{type=\"MODIFIED\"}"), 3) << "the repetitions did not arrive";
}

TEST(FieldReplays, B031WhatStaysTheSameForHoursIsNotCountedAgain) {
  Timeline time;
  time.Start();
  time.Pass(1min);
  std::vector<EventObject> events;
  for (int i = 0; i < 20; ++i) {
    events.push_back(time.PodEvent("pod." + std::to_string(i), "BackOff", 3));
    ASSERT_TRUE(time.server().Create(events.back()));
  }
  time.AwaitEverythingWritten();
  ASSERT_EQ(time.Count(PodSeries("BackOff")), 60);
  for (int hour = 0; hour < 3; ++hour) {
    time.Pass(1h);
    for (EventObject& event : events) {  // a new version of the same content
      event.metadata.annotations["touched"] = std::to_string(hour);
      ASSERT_TRUE(time.server().Update(event));
    }
  }
  time.AwaitEverythingWritten();
  EXPECT_EQ(time.Count(PodSeries("BackOff")), 60);
  EXPECT_GE(time.Own("watch_total"), 36) << "the watch was to be replaced every five minutes";
}

TEST(FieldReplays, B033ListingAgainAndAgainCountsNothingTwice) {
  Timeline time;
  time.Start();
  time.Pass(1min);
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(time.server().Create(time.PodEvent("pod." + std::to_string(i), "BackOff", i % 5 + 1)));
  }
  time.AwaitEverythingWritten();
  ASSERT_EQ(time.Count(PodSeries("BackOff")), 300);
  for (int round = 1; round <= 24; ++round) {
    time.server().InjectFrame(
        R"({"type":"ERROR","object":{"kind":"Status","status":"Failure","reason":"Expired","code":410}})"
        "\n");
    ASSERT_TRUE(time.Until([&] { return time.Own("list_total") == 1 + round && time.WatchIsOpen(); })) << round;
    time.Pass(5s);
  }
  EXPECT_EQ(time.Count(PodSeries("BackOff")), 300);
}

TEST(FieldReplays, B034AfterAResetTheWatchGoesOnFromTheLastVersion) {
  TimelineOptions options;
  options.server.first_revision = 100;
  Timeline time(options);
  time.Start();
  for (int i = 1; i <= 4; ++i) ASSERT_TRUE(time.server().Create(time.PodEvent("pod." + std::to_string(i), "BackOff")));
  time.AwaitEverythingWritten();
  ASSERT_EQ(time.server().State().revision, 105U);
  time.server().DropWatches(sim::DropMode::kReset);
  ASSERT_TRUE(time.Until([&] { return time.Own("watch_total") == 2 && time.WatchIsOpen(); }));
  EXPECT_THAT(time.Targets().back(), HasSubstr("watch=true"));
  EXPECT_THAT(time.Targets().back(), HasSubstr("resourceVersion=105"));
  EXPECT_EQ(time.Own("list_total"), 1);
  time.AwaitEverythingWritten();
  EXPECT_EQ(time.Count(PodSeries("BackOff")), 4);
}

}  // namespace
}  // namespace kube_events::field
