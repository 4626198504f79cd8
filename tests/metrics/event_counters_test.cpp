#include "kube_events/metrics/event_counters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "kube_events/metrics/label_text.h"
#include "prometheus/text_serializer.h"

namespace kube_events {
namespace {

using namespace std::string_literals;
using testing::HasSubstr;

std::string Text(const EventCounters& counters, ExpositionFormat format = ExpositionFormat::kText) {
  std::string page;
  counters.AppendTo(page, format);
  return page;
}

// The sample lines alone.
std::string Samples(const EventCounters& counters) {
  const std::string page = Text(counters);
  return page.substr(page.find("counter\n") + 8);
}

TEST(EventCountersTest, WithoutSeriesOnlyTheHeaderIsShown) {
  const EventCounters counters(10);
  EXPECT_EQ(Text(counters),
            "# HELP kube_events_total Occurrences of Kubernetes Events since this process began to watch.\n"
            "# TYPE kube_events_total counter\n");
  EXPECT_EQ(counters.Series(), 0U);
}

TEST(EventCountersTest, OccurrencesOfALabelSetAddUp) {
  EventCounters counters(10);
  counters.Add({"Warning", "default", "Pod", "BackOff"}, 1);
  counters.Add({"Normal", "default", "Pod", "Pulled"}, 2);
  counters.Add({"Warning", "default", "Pod", "BackOff"}, 40);
  EXPECT_EQ(Samples(counters),
            "kube_events_total{type=\"Warning\",involved_object_namespace=\"default\",involved_object_kind=\"Pod\","
            "reason=\"BackOff\"} 41\n"
            "kube_events_total{type=\"Normal\",involved_object_namespace=\"default\",involved_object_kind=\"Pod\","
            "reason=\"Pulled\"} 2\n");
}

TEST(EventCountersTest, ZeroMakesTheSeriesExist) {
  EventCounters counters(10);
  counters.Add({"Normal", "", "Node", "Starting"}, 0);
  EXPECT_EQ(Samples(counters),
            "kube_events_total{type=\"Normal\",involved_object_namespace=\"\",involved_object_kind=\"Node\","
            "reason=\"Starting\"} 0\n");
  EXPECT_EQ(counters.Series(), 1U);
}

TEST(EventCountersTest, ANegativeNumberAddsNothing) {
  EventCounters counters(10);
  counters.Add({.reason = "a"}, 5);
  counters.Add({.reason = "a"}, -3);
  counters.Add({.reason = "b"}, -1);
  EXPECT_THAT(Samples(counters), HasSubstr("reason=\"a\"} 5\n"));
  EXPECT_EQ(counters.Series(), 1U);
}

TEST(EventCountersTest, EveryLabelTellsSeriesApart) {
  EventCounters counters(10);
  counters.Add({"a", "b", "c", "d"}, 1);
  for (const EventLabels& other : {EventLabels{"x", "b", "c", "d"}, EventLabels{"a", "x", "c", "d"},
                                   EventLabels{"a", "b", "x", "d"}, EventLabels{"a", "b", "c", "x"}}) {
    counters.Add(other, 1);
  }
  counters.Add({"ab", "", "c", "d"}, 1);  // the same text, cut in another way
  EXPECT_EQ(counters.Series(), 6U);
}

TEST(EventCountersTest, LargeNumbersAreShownExactly) {
  EventCounters counters(10);
  counters.Add({.reason = "a"}, 9'007'199'254'740'993);
  EXPECT_THAT(Samples(counters), HasSubstr("} 9007199254740993\n"));
}

TEST(EventCountersTest, OpenMetricsNamesTheFamilyWithoutTotal) {
  EventCounters counters(10);
  counters.Add({"Normal", "default", "Pod", "Pulled"}, 3);
  EXPECT_EQ(Text(counters, ExpositionFormat::kOpenMetrics),
            "# HELP kube_events Occurrences of Kubernetes Events since this process began to watch.\n"
            "# TYPE kube_events counter\n" +
                Samples(counters));
}

TEST(EventCountersTest, LabelValuesAreEscaped) {
  EventCounters counters(10);
  counters.Add({"No\\rmal", "de\"fault", "P\nod", "größe"}, 1);
  EXPECT_EQ(Samples(counters),
            "kube_events_total{type=\"No\\\\rmal\",involved_object_namespace=\"de\\\"fault\","
            "involved_object_kind=\"P\\nod\",reason=\"größe\"} 1\n");
}

TEST(EventCountersTest, InvalidUtf8DoesNotReachThePage) {
  EventCounters counters(10);
  counters.Add({"Normal", "a\xff", "Pod\0"s, "\xe6\x97"}, 1);
  EXPECT_EQ(Samples(counters),
            "kube_events_total{type=\"Normal\",involved_object_namespace=\"a\uFFFD\","
            "involved_object_kind=\"Pod\uFFFD\",reason=\"\uFFFD\"} 1\n");
}

TEST(EventCountersTest, LabelSetsThatBecomeEqualShareASeries) {
  EventCounters counters(10);
  counters.Add({.reason = "\xff"}, 1);
  counters.Add({.reason = "\xfe"}, 1);
  counters.Add({.reason = "\uFFFD"}, 1);
  const std::string prefix(kMaxLabelBytes, 'x');
  counters.Add({.type = prefix + "1"}, 1);
  counters.Add({.type = prefix + "2"}, 1);
  EXPECT_EQ(counters.Series(), 2U);
  EXPECT_THAT(Samples(counters), HasSubstr("reason=\"\uFFFD\"} 3\n"));
  EXPECT_THAT(Samples(counters), HasSubstr("type=\"" + prefix + "\","));
}

TEST(EventCountersTest, BeyondTheLimitOneSeriesTakesAll) {
  EventCounters counters(2);
  counters.Add({.reason = "a"}, 1);
  counters.Add({.reason = "b"}, 1);
  counters.Add({"Normal", "n", "Pod", "c"}, 5);
  counters.Add({"Normal", "n", "Pod", "d"}, 6);
  counters.Add({.reason = "a"}, 1);
  EXPECT_EQ(counters.Series(), 3U);
  EXPECT_EQ(counters.Overflowed(), 11);
  EXPECT_THAT(Samples(counters), HasSubstr("reason=\"a\"} 2\n"));
  EXPECT_THAT(Samples(counters), HasSubstr("{type=\"\",involved_object_namespace=\"\",involved_object_kind=\"\","
                                           "reason=\"__overflow__\"} 11\n"));
}

TEST(EventCountersTest, NothingOverflowsAtTheLimit) {
  EventCounters counters(2);
  counters.Add({.reason = "a"}, 1);
  counters.Add({.reason = "b"}, 1);
  EXPECT_EQ(counters.Series(), 2U);
  EXPECT_EQ(counters.Overflowed(), 0);
  EXPECT_THAT(Samples(counters), testing::Not(HasSubstr("__overflow__")));
}

TEST(EventCountersTest, AnEventNamedLikeTheOverflowSeriesSharesIt) {
  EventCounters counters(1);
  counters.Add({.reason = kOverflowReason}, 1);
  counters.Add({.reason = "a"}, 2);
  EXPECT_THAT(Samples(counters), HasSubstr("reason=\"__overflow__\"} 3\n"));
  EXPECT_EQ(counters.Overflowed(), 2);
  counters.Add({.reason = kOverflowReason}, 1);
  EXPECT_THAT(Samples(counters), HasSubstr("reason=\"__overflow__\"} 4\n"));
}

TEST(EventCountersTest, WithoutAnyRoomEverythingOverflows) {
  EventCounters counters(0);
  counters.Add({.reason = "a"}, 1);
  EXPECT_EQ(counters.Series(), 1U);
  EXPECT_EQ(counters.Overflowed(), 1);
}

TEST(EventCountersTest, ManySeriesKeepTheOrderInWhichTheyCame) {
  EventCounters counters(5000);
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 1000; ++i) counters.Add({.reason = "r" + std::to_string(i)}, i);
  }
  std::string expected;
  for (int i = 0; i < 1000; ++i) {
    expected += "kube_events_total{type=\"\",involved_object_namespace=\"\",involved_object_kind=\"\",reason=\"r" +
                std::to_string(i) + "\"} " + std::to_string(2 * i) + "\n";
  }
  EXPECT_EQ(Samples(counters), expected);
}

TEST(EventCountersTest, CollectTellsTheSameAsThePage) {
  EventCounters counters(10);
  counters.Add({"Warning", "default", "Pod", "Back\nOff"}, 7);
  counters.Add({"Normal", "", "Node", "größe"}, 0);
  EXPECT_EQ(prometheus::TextSerializer().Serialize(counters.Collect()), Text(counters));
}

}  // namespace
}  // namespace kube_events
