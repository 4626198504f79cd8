// Failures of other tools to count how often something happened: docs/field-failures.md.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "field/events.h"
#include "field/timeline.h"

namespace kube_events::field {
namespace {

using namespace std::chrono_literals;
using sim::EventObject;
using testing::ElementsAre;
using testing::Pair;

constexpr std::int32_t kRepeats[] = {2, 3, 9};

// Writes through HTTP, as clients of a cluster do.
class FieldCounts : public ExporterFixture {
 protected:
  std::string Url(const std::string& api, const std::string& space, const std::string& name = "") const {
    return server_.Url() + api + "/namespaces/" + space + "/events" + (name.empty() ? "" : "/" + name);
  }
  std::string CoreUrl(const std::string& name = "") const { return Url("/api/v1", "default", name); }
  std::string EventsUrl(const std::string& name = "") const { return Url("/apis/events.k8s.io/v1", "default", name); }
};

TEST_F(FieldCounts, B016ReCreationUnderTheSameNameCountsWhatIsNew) {
  Timeline time;
  time.Start();
  time.Pass(1min);
  // The recorder's patch finds its Event gone and creates it anew, with the count that it has in memory.
  EventObject event = time.PodEvent("pod.1", "BackOff");
  ASSERT_TRUE(time.server().Create(event));
  time.Pass(20s);
  ASSERT_TRUE(time.server().Delete("default", "pod.1"));
  event.count = 5;
  event.last_time = time.Now();
  ASSERT_TRUE(time.server().Create(event));
  // A recorder of series writes nothing, then 2 at once.
  EventObject series = MakeNewStyleEvent("pod.2", "Unhealthy", time.Now());
  ASSERT_TRUE(time.server().Create(series));
  series.series = sim::EventSeries{2, time.Now()};
  ASSERT_TRUE(time.server().Update(series));
  time.AwaitEverythingWritten();
  EXPECT_EQ(time.Count(PodSeries("BackOff")), 5);
  EXPECT_EQ(time.Count(PodSeries("Unhealthy")), 2);
  EXPECT_EQ(time.Own("uncertain_occurrences_total{kind=\"counted\"}"), 0);
  EXPECT_EQ(time.Own("uncertain_occurrences_total{kind=\"not_counted\"}"), 0);
}

TEST_F(FieldCounts, B018UpdatesCountAsWellAsTheFirstSight) {
  StartReady();
  EventObject event = MakePodEvent("pod.1", "BackOff");
  ASSERT_TRUE(server_.Create(event));
  for (const std::int32_t count : kRepeats) {
    event.count = count;
    ASSERT_TRUE(server_.Update(event));
    EXPECT_TRUE(Reaches(PodSeries("BackOff"), count)) << "an update was ignored";
  }
}

TEST_F(FieldCounts, B019PatchedCountsAreCounted) {
  StartReady();
  ASSERT_EQ(Post(CoreUrl(),
                 R"({"metadata":{"name":"pod.1","namespace":"default"},"count":1,)" + RawPodFields("BackOff", "") + "}")
                .status,
            201);
  for (const std::int32_t count : kRepeats) {
    ASSERT_EQ(MergePatch(CoreUrl("pod.1"), "{\"count\":" + std::to_string(count) + "}"), 200);
  }
  AwaitEverythingSent();
  EXPECT_EQ(Count(PodSeries("BackOff")), 9);
}

TEST_F(FieldCounts, B021RepeatsOfASeriesAreCounted) {
  StartReady();
  ASSERT_TRUE(server_.Create(MakeNewStyleEvent("pod.1", "FailedScheduling", SystemNow())));
  for (const std::int32_t count : kRepeats) {
    ASSERT_EQ(MergePatch(EventsUrl("pod.1"), "{\"series\":{\"count\":" + std::to_string(count) +
                                                 ",\"lastObservedTime\":" + JsonMicroTime(SystemNow()) + "}}"),
              200);
  }
  AwaitEverythingSent();
  EXPECT_EQ(Count(PodSeries("FailedScheduling")), 9);
}

TEST_F(FieldCounts, B022ANameThatWasCountedBeforeCountsAgain) {
  StartReady();
  for (const std::string space : {"one", "two"}) {  // the same name in two namespaces, too
    EventObject event = MakePodEvent("pod.1", "BackOff", 1, space);
    ASSERT_TRUE(server_.Create(event));
    for (const std::int32_t count : kRepeats) {
      event.count = count;
      ASSERT_TRUE(server_.Update(event));
    }
  }
  ASSERT_TRUE(server_.Delete("two", "pod.1"));
  ASSERT_TRUE(server_.Create(MakePodEvent("pod.1", "BackOff", 1, "two")));
  AwaitEverythingSent();
  EXPECT_EQ(Count(PodSeries("BackOff", "one")), 9);
  EXPECT_EQ(Count(PodSeries("BackOff", "two")), 10);
}

TEST_F(FieldCounts, B024ASeriesThatStartsBelowTwoDoesNoHarm) {
  StartReady();
  const std::string start = R"({"metadata":{"name":"pod.1","namespace":"default"},"eventTime":)" +
                            JsonMicroTime(SystemNow()) +
                            R"(,"regarding":{"kind":"Pod","namespace":"default"},"reason":"Pulled","type":"Normal",)"
                            R"("reportingController":"c","reportingInstance":"c-1","action":"Pulling","series":)";
  const std::string seen = ",\"lastObservedTime\":" + JsonMicroTime(SystemNow()) + "}}";
  EXPECT_EQ(Post(EventsUrl(), start + R"({"count":1)" + seen).status, 422);
  EXPECT_EQ(Post(EventsUrl(), start + R"({"count":0)" + seen).status, 422);
  EXPECT_EQ(Post(EventsUrl(), start + R"({"count":2)" + seen).status, 201);
  // An API server of another age may have stored it.
  EventObject event = MakeNewStyleEvent("pod.2", "FailedScheduling", SystemNow());
  event.series = sim::EventSeries{0, SystemNow()};
  ASSERT_TRUE(server_.Create(event));
  event.series->count = 1;
  ASSERT_TRUE(server_.Update(event));
  AwaitEverythingSent();
  EXPECT_EQ(Count(PodSeries("FailedScheduling")), 1);
  EXPECT_EQ(Fetch("/healthz").status, 200);
  EXPECT_EQ(Sample("kube_events_exporter_decode_errors_total"), 0);
}

TEST_F(FieldCounts, B025ACountThatFallsTakesNothingBackAndEndsNothing) {
  EventObject event = MakePodEvent("pod.1", "BackOff", 40);
  ASSERT_TRUE(server_.Create(event));
  StartReady();
  const auto after = [&](std::int32_t count) {
    event.count = count;
    EXPECT_TRUE(server_.Update(event));
    AwaitEverythingSent();
    return Count(PodSeries("BackOff"));
  };
  EXPECT_EQ(after(2), 0);
  EXPECT_EQ(after(45), 5);
  // Another object takes the name over, and its count falls below that of the one before.
  ASSERT_TRUE(server_.Delete("default", "pod.1"));
  event.count = 1;
  ASSERT_TRUE(server_.Create(event));
  AwaitEverythingSent();
  EXPECT_EQ(Count(PodSeries("BackOff")), 6);
  EXPECT_EQ(Fetch("/livez").status, 200);
  EXPECT_EQ(Fetch("/healthz").status, 200);
}

// The name and labels of every sample of a page.
std::multiset<std::string> SampleNames(const std::string& page) {
  std::multiset<std::string> names;
  std::istringstream lines(page);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("#")) names.insert(line.substr(0, line.rfind(' ')));
  }
  return names;
}

TEST_F(FieldCounts, B027ObjectsWithTheSameLabelsShareOneSample) {
  StartReady();
  ASSERT_TRUE(server_.Create(MakePodEvent("pod.1", "BackOff")));
  ASSERT_TRUE(server_.Create(MakePodEvent("pod.2", "BackOff")));
  ASSERT_TRUE(Reaches(PodSeries("BackOff"), 2));
  for (const char* format : {"text/plain", "application/openmetrics-text;version=1.0.0"}) {
    const auto page = Fetch("/metrics", {.headers = {{"Accept", format}}});
    EXPECT_EQ(page.status, 200);
    const auto names = SampleNames(page.body);
    EXPECT_EQ(names.count("kube_events_total{type=\"Warning\",involved_object_namespace=\"default\","
                          "involved_object_kind=\"Pod\",reason=\"BackOff\"}"),
              1U)
        << page.body;
    for (const std::string& name : names) EXPECT_EQ(names.count(name), 1U) << name;
  }
}

TEST_F(FieldCounts, B028TwentyFiveUpdatesAreTwentyFiveOccurrences) {
  StartReady();
  EventObject event = MakePodEvent("pod.1", "BackOff", 1);
  ASSERT_TRUE(server_.Create(event));
  for (event.count = 2; event.count <= 25; ++event.count) ASSERT_TRUE(server_.Update(event));
  AwaitEverythingSent();
  EXPECT_EQ(Count(PodSeries("BackOff")), 25) << "each update must count once, not with the whole count";
}

}  // namespace
}  // namespace kube_events::field
