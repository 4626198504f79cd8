// Failures of other tools to notice an API server that is gone or slow, and to bear one that is busy:
// docs/field-failures.md.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "field/events.h"
#include "field/timeline.h"

namespace kube_events::field {
namespace {

using namespace std::chrono_literals;
using sim::DropMode;
using sim::FaultAction;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// Until when the exporter has to say that a server does not answer any more: a watch interval and 70 s.
constexpr auto kNoticed = 5min + 70s;

class FieldOutages : public testing::Test {
 protected:
  explicit FieldOutages(const TimelineOptions& options = {}) : time_(options) {}

  void Create(const std::string& name) { ASSERT_TRUE(time_.server().Create(time_.PodEvent(name, "BackOff"))); }
  std::int64_t Counted() const { return time_.Count(PodSeries("BackOff")); }

  // As if the server's process were stopped, or all packets lost: connections stay, and nothing comes any more.
  void FallSilent() {
    time_.server().AddFault({.times = -1, .action = FaultAction::kSilence});
    time_.server().DropWatches(DropMode::kSilence);
  }
  void SpeakAgain() {
    time_.server().ClearFaults();
    time_.Pass(31s, false);  // what was asked before remains unanswered and is given up
    ASSERT_TRUE(time_.Until([&] { return time_.WatchIsOpen(); })) << testing::PrintToString(time_.Unready());
  }

  Timeline time_;
};

TEST_F(FieldOutages, B046AStoppedServerTurnsHealthRedAndLeavesTheTimeOfTheLastEvent) {
  time_.Start();
  Create("before");
  time_.AwaitEverythingWritten();
  const double last = time_.Own("last_event_timestamp_seconds");
  EXPECT_EQ(last, std::chrono::duration<double>(time_.Now().time_since_epoch()).count());
  FallSilent();
  time_.Pass(kNoticed, false);
  EXPECT_THAT(time_.Unready(), Not(IsEmpty()));
  time_.Pass(15min - kNoticed, false);
  EXPECT_THAT(time_.Unready(), Not(IsEmpty()));
  EXPECT_EQ(time_.Own("last_event_timestamp_seconds"), last);
  EXPECT_EQ(time_.Own("watch_open{scope=\"all\"}"), 0);
}

TEST_F(FieldOutages, B048AfterTwentyMinutesWithoutTheServerEverythingFlowsAgain) {
  time_.Start();
  Create("before");
  time_.AwaitEverythingWritten();
  FallSilent();
  for (int minute = 0; minute < 20; ++minute) {
    Create("pod." + std::to_string(minute));
    time_.Pass(1min, false);
  }
  EXPECT_THAT(time_.Unready(), Not(IsEmpty()));
  EXPECT_EQ(Counted(), 1);
  SpeakAgain();
  EXPECT_THAT(time_.Unready(), IsEmpty());
  time_.AwaitEverythingWritten();
  EXPECT_EQ(Counted(), 21);
}

TEST_F(FieldOutages, B052AServerThatTakesConnectionsAndAnswersNoneIsAskedAgain) {
  time_.server().AddFault({.times = -1, .action = FaultAction::kSilence});
  time_.Begin();  // already the first list is not answered
  time_.Pass(20min, false);
  EXPECT_THAT(time_.Unready(), Not(IsEmpty()));
  EXPECT_GE(time_.Own("list_failed_total"), 5);
  time_.server().ClearFaults();
  time_.Pass(91s, false);
  ASSERT_TRUE(time_.Until([&] { return time_.WatchIsOpen(); })) << testing::PrintToString(time_.Unready());
  Create("after");
  time_.AwaitEverythingWritten();
  EXPECT_EQ(Counted(), 1);
}

TEST_F(FieldOutages, B063AConnectionThatABalancerKeepsOpenIsReplacedInTime) {
  time_.Start();
  time_.server().DropWatches(DropMode::kSilence);  // only this one; the server behind it is well
  Create("meanwhile");
  time_.Pass(4min);
  EXPECT_EQ(Counted(), 0);
  time_.Pass(kNoticed - 4min);
  time_.AwaitEverythingWritten();
  EXPECT_EQ(Counted(), 1);
  EXPECT_EQ(time_.Own("list_total"), 1);
}

TEST_F(FieldOutages, B064AServerThatHangsForAWhileIsNoticedAndForgotten) {
  time_.Start();
  FallSilent();
  Create("meanwhile");
  time_.Pass(kNoticed, false);
  EXPECT_THAT(time_.Unready(), Not(IsEmpty()));
  SpeakAgain();
  time_.AwaitEverythingWritten();
  EXPECT_EQ(Counted(), 1);
  EXPECT_THAT(time_.Unready(), IsEmpty());
  EXPECT_EQ(time_.Own("gaps_total{scope=\"all\"}"), 0) << "the watch went on from its position";
}

TEST_F(FieldOutages, B057ABurstOfTwentyThousandEventsIsCountedWhole) {
  time_.server().PrepareLoad({.seed = 57, .objects = 500});
  time_.Start();
  const std::uint64_t baseline = time_.server().State().first_list_revision;
  ASSERT_TRUE(time_.server().RecordTape(20'000));
  time_.server().PlayTape(0);
  const EventCounts truth = ToEventCounts(time_.server().TruthSince(baseline).value());
  EXPECT_TRUE(time_.Until([&] { return time_.Counts() == truth; }));
  EXPECT_EQ(time_.Counts(), truth);
}

TEST_F(FieldOutages, B058TenQuietMinutesNeedOneList) {
  for (int i = 0; i < 400; ++i) {
    const std::string space = "team-" + std::to_string(i);
    ASSERT_TRUE(time_.server().Create(MakePodEvent("pod.1", "BackOff", 1, space, time_.Now())));
  }
  time_.Start();
  time_.Pass(10min);
  EXPECT_EQ(time_.Own("list_total"), 1);
  const std::vector<std::string> targets = time_.Targets();
  EXPECT_EQ(
      std::count_if(targets.begin(), targets.end(), [](const std::string& t) { return t.ends_with("limit=500"); }), 1);
  EXPECT_LE(targets.size(), 8U) << testing::PrintToString(targets);
}

TEST_F(FieldOutages, B061TwoListsOfTheSameStateAddNothing) {
  time_.Start();
  time_.Pass(1min);
  for (int i = 0; i < 30; ++i) Create("pod." + std::to_string(i));
  time_.AwaitEverythingWritten();
  for (int lists = 2; lists <= 3; ++lists) {
    time_.server().AddFault({.verb = "watch", .action = FaultAction::kStatus, .status = 410});
    time_.Pass(15min);
    EXPECT_EQ(time_.Own("list_total"), lists);
  }
  EXPECT_EQ(Counted(), 30);
}

TEST_F(FieldOutages, B106ConnectionsThatAProxyBreaksEveryTenSecondsLoseNothing) {
  time_.Start();
  for (int i = 0; i < 60; ++i) {
    time_.Pass(10s);
    Create("pod." + std::to_string(i));
    const double watches = time_.Own("watch_total");
    time_.server().CloseConnections();
    ASSERT_TRUE(time_.Until([&] { return time_.Own("watch_total") > watches && time_.WatchIsOpen(); }));
    EXPECT_THAT(time_.Unready(), IsEmpty());
  }
  time_.AwaitEverythingWritten();
  EXPECT_EQ(Counted(), 60);
  EXPECT_EQ(time_.Own("list_total"), 1);
  EXPECT_EQ(time_.Own("list_failed_total"), 0);
}

TEST(FieldChunks, B054FramesAreFoundHoweverTheStreamIsCut) {
  for (const std::size_t bytes : {7U, 200U, 4'000U, 100'000U}) {  // pieces of an object, and many objects at once
    SCOPED_TRACE(bytes);
    TimelineOptions options;
    options.server.chunk_bytes = bytes;
    Timeline time(options);
    time.server().PrepareLoad({.seed = 54, .objects = 50});
    time.Start();
    ASSERT_TRUE(time.server().RecordTape(300));
    time.server().PlayTape(0);
    time.AwaitEverythingWritten();
    const std::uint64_t baseline = time.server().State().first_list_revision;
    const EventCounts truth = ToEventCounts(time.server().TruthSince(baseline).value());
    ASSERT_FALSE(truth.empty());
    EventCounts counts = time.Counts();
    counts.erase(PodSeries("Marker1", "markers"));
    EXPECT_EQ(counts, truth);
    EXPECT_EQ(time.Own("decode_errors_total"), 0);
  }
}

}  // namespace
}  // namespace kube_events::field
