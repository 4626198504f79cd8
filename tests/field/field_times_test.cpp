// Failures of other tools that come from the many timestamps of an Event: docs/field-failures.md.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "field/events.h"
#include "field/timeline.h"

namespace kube_events::field {
namespace {

using namespace std::chrono_literals;
using sim::EventObject;
using testing::HasSubstr;
using testing::Not;

constexpr auto kDay = 24h;

TimelineOptions Through(EventApi api) {
  TimelineOptions options;
  options.scope.api = api;
  return options;
}

// The delay between the last occurrence and its counting that the exporter has seen so far, added up.
double LagSum(const Timeline& time) { return time.Own("event_lag_seconds_sum"); }

TEST(FieldTimes, B001AnEventWithAnOldTimestampIsCounted) {
  Timeline time;
  time.Start();
  time.Pass(10min);
  EventObject event = time.PodEvent("slow", "Slow");
  event.first_time = event.last_time = time.Now() - 260s;
  ASSERT_TRUE(time.server().Create(event));
  EXPECT_TRUE(time.Until([&] { return time.Count(PodSeries("Slow")) == 1; }));
  event.count = 4;  // repeated, and its time is as old again when it arrives
  time.Pass(10min);
  event.last_time = time.Now() - 260s;
  ASSERT_TRUE(time.server().Update(event));
  EXPECT_TRUE(time.Until([&] { return time.Count(PodSeries("Slow")) == 4; }));
}

TEST(FieldTimes, B003EventsDeliveredTwoMinutesLateAreAllCounted) {
  Timeline time;
  time.Start();
  time.Pass(1min);
  time.server().AddFault({.times = -1, .action = sim::FaultAction::kStatus, .status = 503});
  time.server().DropWatches(sim::DropMode::kReset);
  ASSERT_TRUE(time.Until([&] { return !time.WatchIsOpen(); }));
  for (int i = 0; i < 50; ++i) ASSERT_TRUE(time.server().Create(time.PodEvent("late-" + std::to_string(i), "Late")));
  time.Pass(120s);
  EXPECT_EQ(time.Count(PodSeries("Late")), 0);
  time.server().ClearFaults();
  EXPECT_TRUE(time.Until([&] { return time.Count(PodSeries("Late")) == 50; }));
  EXPECT_EQ(time.Own("list_total"), 1) << "they came late through the watch, not through a list";
}

TEST(FieldTimes, B004ABacklogOfMinutesIsCountedWholeAndShowsAsLag) {
  Timeline time;
  time.server().PrepareLoad({.seed = 4, .objects = 200});
  // Whoever looked the involved objects up would need hours for this.
  time.server().AddFault({.verb = "get", .times = -1, .action = sim::FaultAction::kDelay, .delay_ms = 1000});
  time.Start();
  const std::uint64_t baseline = time.server().State().first_list_revision;
  for (int minute = 0; minute < 10; ++minute) {
    ASSERT_TRUE(time.server().RecordTape(1200));
    time.Pass(1min);
  }
  time.server().PlayTape(0);
  const EventCounts truth = ToEventCounts(time.server().TruthSince(baseline).value());
  ASSERT_FALSE(truth.empty());
  EXPECT_TRUE(time.Until([&] { return time.Counts() == truth; }));
  EXPECT_EQ(time.Counts(), truth);
  EXPECT_GT(LagSum(time) / time.Own("event_lag_seconds_count"), 60);
  EXPECT_EQ(time.server().State().requests.count("get"), 0U);
}

TEST(FieldTimes, B006NoSpellingOfNoTimeIsTakenForATime) {
  Timeline time;
  time.Start();
  time.Pass(1min);
  const std::vector<std::string> spellings = {"null", R"("0001-01-01T00:00:00Z")", R"("0001-01-01T00:00:00.000000Z")",
                                              R"("1970-01-01T00:00:00Z")"};
  for (std::size_t i = 0; i < spellings.size(); ++i) {
    const std::string& no_time = spellings[i];
    const std::string now = JsonTime(time.Now());
    const std::string old_style =
        ",\"count\":3,\"firstTimestamp\":" + now + ",\"lastTimestamp\":" + now + ",\"eventTime\":" + no_time;
    const std::string new_style = ",\"count\":3,\"firstTimestamp\":" + no_time + ",\"lastTimestamp\":" + no_time +
                                  ",\"eventTime\":" + JsonMicroTime(time.Now());
    const std::string number = std::to_string(i);
    time.server().CreateRaw(time.PodEvent("old-" + number, "Old"), RawPodFields("Old" + number, old_style));
    time.server().CreateRaw(time.PodEvent("new-" + number, "New"), RawPodFields("New" + number, new_style));
  }
  time.AwaitEverythingWritten();
  for (std::size_t i = 0; i < spellings.size(); ++i) {
    // A run that began in the year 1 would be older than the exporter, and only one of its three occurrences certain.
    EXPECT_EQ(time.Count(PodSeries("Old" + std::to_string(i))), 3) << spellings[i];
    EXPECT_EQ(time.Count(PodSeries("New" + std::to_string(i))), 3) << spellings[i];
  }
  EXPECT_EQ(time.Own("uncertain_occurrences_total{kind=\"not_counted\"}"), 0);
  EXPECT_LT(LagSum(time), 60);
  EXPECT_THAT(time.Page(), Not(HasSubstr("0001-01-01")));
}

TEST(FieldTimes, B007EitherGenerationOfRecordersMayLeaveItsTimesNull) {
  for (const EventApi api : {EventApi::kCoreV1, EventApi::kEventsV1}) {
    Timeline time(Through(api));
    EventObject old_style = time.PodEvent("old", "Old");
    EventObject new_style = MakeNewStyleEvent("new", "New", time.Now());
    ASSERT_TRUE(time.server().Create(old_style) && time.server().Create(new_style));
    const std::string list = Get(time.server().Url() + "/api/v1/events").body;
    ASSERT_THAT(list, HasSubstr(R"("eventTime":null)"));
    ASSERT_THAT(list, HasSubstr(R"("firstTimestamp":null)"));
    ASSERT_THAT(list, HasSubstr(R"("lastTimestamp":null)"));
    time.Start();
    EXPECT_EQ(time.Counts(true).size(), 2U);
    old_style.count = 3;
    new_style.series = sim::EventSeries{3, time.Now()};
    ASSERT_TRUE(time.server().Update(old_style) && time.server().Update(new_style));
    time.AwaitEverythingWritten();
    EXPECT_EQ(time.Count(PodSeries("Old")), 2);
    EXPECT_EQ(time.Count(PodSeries("New")), 2);
    EXPECT_EQ(time.Own("decode_errors_total"), 0);
  }
}

TEST(FieldTimes, B009ASeriesWasLastSeenWhenItsHeartbeatSays) {
  Timeline time;
  time.Start();
  time.Pass(10min);
  EventObject event = MakeNewStyleEvent("series", "Series", time.Now() - 300s);
  event.series = sim::EventSeries{2, time.Now()};
  ASSERT_TRUE(time.server().Create(event));
  time.AwaitEverythingWritten();
  EXPECT_EQ(time.Count(PodSeries("Series")), 2);
  EXPECT_LT(LagSum(time), 10) << "the lag was measured from eventTime";
}

TEST(FieldTimes, B010AnItemWithoutALastTimestampDoesNotStopTheList) {
  Timeline time;
  // The first of the list, in each way of leaving it out.
  time.server().CreateRaw(time.PodEvent("a-missing", "Missing"), RawPodFields("Missing", ",\"count\":1"));
  time.server().CreateRaw(time.PodEvent("b-null", "Null"), RawPodFields("Null", ",\"count\":1,\"lastTimestamp\":null"));
  EventObject normal = time.PodEvent("c-normal", "Normal");
  ASSERT_TRUE(time.server().Create(normal));
  time.Start();
  EXPECT_EQ(time.Counts(true).size(), 3U);
  normal.count = 2;
  EventObject missing = time.PodEvent("a-missing", "Missing", 2);
  missing.first_time = missing.last_time = std::nullopt;
  ASSERT_TRUE(time.server().Update(normal) && time.server().Update(missing));
  time.AwaitEverythingWritten();
  EXPECT_EQ(time.Count(PodSeries("Missing")), 1);
  EXPECT_EQ(time.Count(PodSeries("Normal")), 1);
  EXPECT_EQ(time.Own("decode_errors_total"), 0);
}

TEST(FieldTimes, B012ASeriesThatBeganAMonthAgoGoesOnCounting) {
  Timeline time(Through(EventApi::kEventsV1));
  EventObject event = MakeNewStyleEvent("old", "Old", time.Now() - 30 * kDay);
  event.series = sim::EventSeries{500, time.Now()};
  ASSERT_TRUE(time.server().Create(event));
  time.Start();
  time.Pass(10min);
  event.series = sim::EventSeries{503, time.Now()};
  ASSERT_TRUE(time.server().Update(event));
  time.AwaitEverythingWritten();
  EXPECT_EQ(time.Count(PodSeries("Old")), 3);
  EXPECT_LT(LagSum(time), 10) << "the lag was measured from eventTime";
}

TEST(FieldTimes, B013AHeartbeatHalfAnHourLaterIsNoReplay) {
  Timeline time(Through(EventApi::kEventsV1));
  time.Start();
  time.Pass(1min);
  ASSERT_TRUE(time.server().Create(MakeNewStyleEvent("pod.1", "FailedScheduling", time.Now())));
  time.AwaitEverythingWritten();
  time.Pass(31min);
  const std::string series = R"({"series":{"count":7,"lastObservedTime":)" + JsonMicroTime(time.Now()) + "}}";
  ASSERT_EQ(MergePatch(time.server().Url() + "/apis/events.k8s.io/v1/namespaces/default/events/pod.1", series), 200);
  time.AwaitEverythingWritten();
  EXPECT_EQ(time.Count(PodSeries("FailedScheduling")), 7);
  EXPECT_LT(LagSum(time), 10) << "the lag was measured from eventTime";
}

TEST(FieldTimes, B015AnEventWithOnlyAnEventTimeIsCounted) {
  Timeline time;
  time.Start();
  time.Pass(1min);
  const std::string fields =
      R"(,"source":{},"firstTimestamp":null,"lastTimestamp":null,"reportingComponent":"default-scheduler",)"
      R"("reportingInstance":"s-1","action":"Scheduling","eventTime":)" +
      JsonMicroTime(time.Now() + 123456us);
  time.server().CreateRaw(time.PodEvent("pod.1", "FailedScheduling"), RawPodFields("FailedScheduling", fields));
  time.AwaitEverythingWritten();
  EXPECT_EQ(time.Count(PodSeries("FailedScheduling")), 1);
  EXPECT_EQ(time.Own("event_lag_seconds_count"), 2) << "its time was not found";  // the other is the marker's
  EXPECT_LT(LagSum(time), 10);
}

}  // namespace
}  // namespace kube_events::field
