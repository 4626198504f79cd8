#include "kube_events/event/event.h"

#include <gtest/gtest.h>

#include <chrono>

namespace kube_events {
namespace {

constexpr WallTime At(int second) { return WallTime{std::chrono::seconds{second}}; }

TEST(Event, TotalIsTheLargestOfOneCountAndSeriesCount) {
  Event event;
  EXPECT_EQ(event.Total(), 1);
  event.count = 4;
  EXPECT_EQ(event.Total(), 4);
  event.series_count = 6;
  EXPECT_EQ(event.Total(), 6);
  event.count = 7;
  EXPECT_EQ(event.Total(), 7);
}

TEST(Event, TotalIgnoresCountsBelowOne) {
  Event event;
  event.count = -3;
  event.series_count = 0;
  EXPECT_EQ(event.Total(), 1);
}

TEST(Event, EpochIsTheFirstTimeElseTheEventTimeElseUnset) {
  Event event;
  EXPECT_EQ(event.Epoch(), std::nullopt);
  event.last_time = At(9);
  EXPECT_EQ(event.Epoch(), std::nullopt);
  event.event_time = At(5);
  EXPECT_EQ(event.Epoch(), At(5));
  event.first_time = At(7);
  EXPECT_EQ(event.Epoch(), At(7));
}

TEST(Event, LastSeenIsTheLatestOfAllItsTimes) {
  Event event;
  EXPECT_EQ(event.LastSeen(), std::nullopt);
  OptionalTime* const times[] = {&event.creation_time, &event.first_time, &event.event_time, &event.last_time,
                                 &event.series_last_observed_time};
  int second = 10;
  for (OptionalTime* time : times) {
    *time = At(++second);
    EXPECT_EQ(event.LastSeen(), At(second));
  }
  event.creation_time = At(100);
  EXPECT_EQ(event.LastSeen(), At(100));
}

TEST(Event, ControllerFallsBackToTheSourceComponent) {
  Event event;
  event.source_component = "kubelet";
  EXPECT_EQ(event.Controller(), "kubelet");
  event.reporting_controller = "default-scheduler";
  EXPECT_EQ(event.Controller(), "default-scheduler");
}

TEST(Event, ApiGroupIsWhatStandsBeforeTheSlash) {
  Event event;
  EXPECT_EQ(event.InvolvedApiGroup(), "");
  event.involved.api_version = "v1";
  EXPECT_EQ(event.InvolvedApiGroup(), "");
  event.involved.api_version = "apps/v1";
  EXPECT_EQ(event.InvolvedApiGroup(), "apps");
  event.involved.api_version = "events.k8s.io/v1";
  EXPECT_EQ(event.InvolvedApiGroup(), "events.k8s.io");
}

}  // namespace
}  // namespace kube_events
