// Failures of other tools that grow without end: docs/field-failures.md. Bounds are in bytes per Event, in numbers of
// series and descriptors; nothing is timed.
#include <gtest/gtest.h>
#include <malloc.h>

#include <filesystem>
#include <iostream>
#include <random>

#include "field/events.h"
#include "field/timeline.h"
#include "support/sanitizers.h"

namespace kube_events::field {
namespace {

using namespace std::chrono_literals;
using sim::EventObject;

class NullSink final : public OccurrenceSink {
 public:
  void OnOccurrences(const Change&, const Occurrences& occurrences) override { value += occurrences.add; }
  std::int64_t value = 0;
};

// Bytes that are allocated now; says nothing under a sanitizer.
std::size_t HeapBytes() {
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

// A steady stream of Events, each with a name of its own, that expire after some time.
class Stream {
 public:
  explicit Stream(OccurrenceCounterOptions options) : counter_(std::move(options), sink_) {
    counter_.OnListBegin(0, ListReason::kFirst, now_);
    counter_.OnListCommitted(0, "1", now_);
    now_ += 1min;
  }
  // Creates `count` Events, `pace` apart; each is deleted when it is `time_to_live` old.
  void Run(std::size_t count, std::chrono::microseconds pace, std::chrono::microseconds time_to_live) {
    const auto live = static_cast<std::uint64_t>(time_to_live / pace);
    for (std::size_t i = 0; i < count; ++i) {
      now_ += pace;
      Send(ChangeKind::kAdded, ++created_, now_);
      if (created_ > live) Send(ChangeKind::kDeleted, created_ - live, now_ - time_to_live);
    }
  }
  OccurrenceCounterStats Stats() const { return counter_.Stats(); }
  std::int64_t value() const { return sink_.value; }

 private:
  void Send(ChangeKind kind, std::uint64_t number, WallTime born) {
    const std::string text = std::to_string(number);
    const std::string version = std::to_string(++version_);
    Event event;
    event.namespace_name = "shop";
    event.name = text;
    event.uid = text;
    event.resource_version = version;
    event.count = 1;
    event.first_time = event.last_time = event.creation_time = born;
    counter_.OnChange({0, kind, event, "{}", now_});
  }

  NullSink sink_;
  WallTime now_ = FakeClock::kDefaultStart;
  OccurrenceCounter counter_;
  std::uint64_t created_ = 0;
  std::uint64_t version_ = 0;
};

OccurrenceCounterOptions OneScope() {
  OccurrenceCounterOptions options;
  options.scopes.emplace_back();
  return options;
}

TEST(FieldBounds, B076AMillionEventsLeaveAFewDozenBytesEachAndNoMoreThanTheirBound) {
  if (kUnderSanitizer) GTEST_SKIP() << "the allocator of a sanitizer does not say how much is allocated";
  constexpr std::size_t kEvents = 1'000'000;
  constexpr std::chrono::microseconds kPace = std::chrono::microseconds{2h} / kEvents;
  {
    const std::size_t before = HeapBytes();
    Stream stream(OneScope());
    stream.Run(kEvents, kPace, 5min);
    const auto stats = stream.Stats();
    EXPECT_EQ(stream.value(), static_cast<std::int64_t>(kEvents));
    EXPECT_LE(stats.live, static_cast<std::size_t>(5min / kPace + 1));
    EXPECT_EQ(stats.live + stats.tombstones, kEvents) << "a day of deleted Events is remembered";
    const double bytes = static_cast<double>(HeapBytes() - before) / kEvents;
    std::cout << "bytes per Event after a million: " << bytes << "\n";
    EXPECT_LE(bytes, 70);
  }
  OccurrenceCounterOptions bounded = OneScope();
  bounded.max_live = 5'000;
  bounded.max_tombstones = 20'000;
  Stream stream(bounded);
  stream.Run(100'000, kPace, 5min);
  const std::size_t plateau = HeapBytes();
  for (int round = 0; round < 4; ++round) {
    stream.Run(100'000, kPace, 5min);
    EXPECT_LE(HeapBytes(), plateau + plateau / 20) << "round " << round;
  }
  EXPECT_LE(stream.Stats().live, bounded.max_live);
  EXPECT_LE(stream.Stats().tombstones, bounded.max_tombstones);
}

std::ptrdiff_t OpenDescriptors() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), std::filesystem::directory_iterator());
}

// How a connection ends against its will.
void BreakConnection(Timeline& time, int round) {
  using sim::FaultAction;
  sim::SimServer& server = time.server();
  switch (round % 6) {
    case 0:  // a refusal with a body before the next one works
      server.AddFault({.verb = "watch", .action = FaultAction::kStatus, .status = 500});
      return server.DropWatches(sim::DropMode::kClose);
    case 1:  // the list before the watch breaks off
      server.AddFault({.verb = "list", .action = FaultAction::kClose, .after_bytes = 60});
      return server.DropWatches(sim::DropMode::kReset);
    case 2:  // the watch fails before its head, then in the middle of it
      server.AddFault({.verb = "watch", .action = FaultAction::kReset});
      server.AddFault({.verb = "watch", .action = FaultAction::kClose, .after_bytes = 20});
      return server.DropWatches(sim::DropMode::kEnd);
    case 3:
      return server.DropWatches(sim::DropMode::kClose);
    case 4:  // nobody ends it but the exporter
      server.DropWatches(sim::DropMode::kSilence);
      return time.Pass(5min);
    default:
      return server.DropWatches(sim::DropMode::kReset);
  }
}

TEST(FieldBounds, B078HundredsOfBrokenConnectionsLeaveNoDescriptorOpen) {
  constexpr int kRounds = 300;
  Timeline time;
  time.Start();
  std::ptrdiff_t warm = 0;
  for (int round = 0; round < kRounds; ++round) {
    const double watches = time.Own("watch_total");
    BreakConnection(time, round < kRounds - 20 ? round : 4);  // in the end nothing but what the exporter has to close
    ASSERT_TRUE(time.Until([&] { return time.Own("watch_total") > watches && time.WatchIsOpen(); })) << round;
    if (round == 24) warm = OpenDescriptors();
  }
  // Both ends of the connections are in this process.
  EXPECT_TRUE(Eventually([&] { return OpenDescriptors() <= warm + 2; })) << OpenDescriptors() << " instead of " << warm;
  EXPECT_EQ(time.server().State().watches, 1U);
  time.AwaitEverythingWritten();
}

TEST(FieldBounds, B079FiftyThousandPodsShareTheirSeries) {
  constexpr int kPods = kUnderSanitizer ? 5'000 : 50'000;
  Timeline time;
  time.Start();
  for (int i = 0; i < kPods; ++i) {
    EventObject event = time.PodEvent("pod-" + std::to_string(i), i % 2 == 0 ? "Started" : "BackOff");
    event.involved_object.name = event.metadata.name;
    event.message = "about " + event.metadata.name;
    ASSERT_TRUE(time.server().Create(event));
  }
  ASSERT_TRUE(time.Until([&] { return time.Count(PodSeries("BackOff")) == kPods / 2; }));
  EXPECT_EQ(time.Count(PodSeries("Started")), kPods / 2);
  EXPECT_EQ(time.Counts(true).size(), 2U);
}

TEST(FieldBounds, B081AThousandNodesShareTheirSeries) {
  Timeline time;
  time.Start();
  for (int i = 0; i < 1'000; ++i) {
    const std::string node = "node-" + std::to_string(i);
    EventObject event = time.PodEvent("pod-" + node, "Started");
    event.source_host = node;
    event.reporting_instance = node;
    ASSERT_TRUE(time.server().Create(event));
  }
  EXPECT_TRUE(time.Until([&] { return time.Count(PodSeries("Started")) == 1'000; }));
  EXPECT_EQ(time.Counts(true).size(), 1U);
}

TEST(FieldBounds, B082TenThousandReasonsStayWithinTheLimitAndLoseNothing) {
  constexpr int kReasons = 10'000;
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  TimelineOptions options;
  options.max_series = 1'000;
  Timeline time(options);
  time.Start();
  for (int i = 0; i < kReasons; ++i) {
    const std::string reason = "Reason" + std::to_string(random());
    ASSERT_TRUE(time.server().Create(time.PodEvent("pod-" + std::to_string(i), reason)));
  }
  const std::string overflow = "|||__overflow__";
  EXPECT_TRUE(time.Until([&] { return time.Count(overflow) == kReasons - 1'000; })) << time.Count(overflow);
  EventCounts counts = time.Counts(true);
  EXPECT_EQ(counts.size(), 1'001U);
  std::int64_t sum = 0;
  for (const auto& [labels, count] : counts) sum += count;
  EXPECT_EQ(sum, kReasons);
  EXPECT_EQ(time.Own("series"), 1'001);
  EXPECT_EQ(time.Own("series_overflow_total"), kReasons - 1'000);
}

}  // namespace
}  // namespace kube_events::field
