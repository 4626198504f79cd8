// Failures of other tools to go on after what an API server says or does to a watch: docs/field-failures.md.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "field/events.h"
#include "field/timeline.h"

namespace kube_events::field {
namespace {

using namespace std::chrono_literals;
using sim::DropMode;
using sim::EventObject;
using sim::FaultAction;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

const char* const kExpiredFrame =
    R"({"type":"ERROR","object":{"kind":"Status","status":"Failure","reason":"Expired","code":410}})"
    "\n";

class FieldWatch : public testing::Test {
 protected:
  explicit FieldWatch(const TimelineOptions& options = {}) : time_(options) {}

  void Create(const std::string& name) { ASSERT_TRUE(time_.server().Create(time_.PodEvent(name, "BackOff"))); }
  std::int64_t Counted() const { return time_.Count(PodSeries("BackOff")); }
  // Waits for the watch after those that were begun so far.
  [[nodiscard]] bool WatchesAgain(double watches_before) {
    return time_.Until([&] { return time_.Own("watch_total") > watches_before && time_.WatchIsOpen(); });
  }
  // Breaks the watch and waits for the next one to be open.
  void Break(DropMode mode) {
    const double watches = time_.Own("watch_total");
    time_.server().DropWatches(mode);
    ASSERT_TRUE(WatchesAgain(watches)) << testing::PrintToString(time_.Unready());
  }
  // From now on every watch is refused, so that what is written meanwhile has to be caught up with.
  void Interrupt() {
    time_.server().AddFault({.verb = "watch", .times = -1, .action = FaultAction::kStatus, .status = 503});
    time_.server().DropWatches(DropMode::kReset);
    ASSERT_TRUE(time_.Until([&] { return !time_.WatchIsOpen(); }));
  }

  Timeline time_;
};

TEST_F(FieldWatch, B045AnExpiredVersionInTheStreamIsFollowedByAListAndAWatch) {
  time_.Start();
  Create("before");
  time_.AwaitEverythingWritten();
  const std::size_t requests = time_.Targets().size();
  time_.server().InjectFrame(kExpiredFrame);
  ASSERT_TRUE(WatchesAgain(1));
  const std::vector<std::string> all = time_.Targets();
  const std::vector<std::string> since(all.begin() + static_cast<std::ptrdiff_t>(requests), all.end());
  EXPECT_THAT(since, ElementsAre(AllOf(HasSubstr("limit=500"), Not(HasSubstr("watch"))), HasSubstr("watch=true")));
  Create("after");
  time_.AwaitEverythingWritten();
  EXPECT_EQ(Counted(), 2);
}

TEST_F(FieldWatch, B049ListsThatFailAfterAnExpiredVersionAreTriedAgain) {
  time_.Start();
  time_.server().AddFault({.verb = "list", .times = 3, .action = FaultAction::kStatus, .status = 500});
  time_.server().InjectFrame(kExpiredFrame);
  ASSERT_TRUE(WatchesAgain(1));
  EXPECT_EQ(time_.Own("list_failed_total"), 3);
  EXPECT_EQ(time_.Own("list_total"), 5);
  Create("after");
  time_.AwaitEverythingWritten();
  EXPECT_EQ(Counted(), 1);
}

TEST_F(FieldWatch, B051ACompactedHistoryLeadsToAListAndNotToTheEnd) {
  time_.Start();
  time_.Pass(1min);
  Interrupt();
  for (int i = 0; i < 5; ++i) Create("pod." + std::to_string(i));
  time_.server().Compact();
  time_.server().ClearFaults();
  ASSERT_TRUE(time_.Until([&] { return time_.WatchIsOpen(); }));
  EXPECT_EQ(time_.Own("relists_total{reason=\"expired\"}"), 1);
  EXPECT_EQ(time_.Own("gaps_total{scope=\"all\"}"), 1);
  Create("after");
  time_.AwaitEverythingWritten();
  EXPECT_EQ(Counted(), 6);
}

TEST_F(FieldWatch, B055AStreamThatBreaksWithinAnObjectLosesAndRepeatsNothing) {
  time_.Start();
  time_.server().AddFault({.verb = "watch", .times = 4, .action = FaultAction::kTruncate, .after_frames = 3});
  Break(DropMode::kReset);
  for (int i = 0; i < 30; ++i) Create("pod." + std::to_string(i));
  time_.AwaitEverythingWritten();
  EXPECT_EQ(Counted(), 30);
  EXPECT_GE(time_.Own("watch_total"), 6);
  EXPECT_EQ(time_.Own("list_total"), 1);
}

TEST_F(FieldWatch, B060AWatchThatTheServerClosesEveryMinuteIsOpenedAgainForHours) {
  time_.Start();
  for (int minute = 1; minute <= 60; ++minute) {
    time_.Pass(60s);
    Create("pod." + std::to_string(minute));
    Break(DropMode::kEnd);
  }
  time_.AwaitEverythingWritten();
  EXPECT_EQ(Counted(), 60);
  EXPECT_EQ(time_.Own("list_total"), 1);
}

TEST_F(FieldWatch, B066EmptyAnswersAreNotAskedForInALoop) {
  time_.Start();
  time_.Pass(1min);
  time_.server().AddFault({.verb = "watch", .times = -1, .action = FaultAction::kEnd});
  time_.server().DropWatches(DropMode::kReset);
  ASSERT_TRUE(time_.Until([&] { return !time_.WatchIsOpen(); }));
  const auto before = time_.server().State().requests;
  time_.Pass(60s);
  const auto after = time_.server().State().requests;
  EXPECT_LE(after.at("watch") - before.at("watch"), 60U);
  EXPECT_LE(after.at("list") - before.at("list"), 60U);
  EXPECT_GE(time_.Own("list_total"), 2) << "the version was never suspected";
  EXPECT_FALSE(time_.Unready().empty()) << "such watches bring no Events";
}

TEST_F(FieldWatch, B067EmptyAnswersToAnOldVersionLeadToANewOne) {
  time_.Start();
  time_.Pass(1min);
  Interrupt();
  Create("meanwhile");
  time_.server().ClearFaults();
  time_.server().AddFault({.verb = "watch", .times = 2, .action = FaultAction::kEnd});
  ASSERT_TRUE(time_.Until([&] { return time_.Own("relists_total{reason=\"short_watch\"}") == 1; }));
  ASSERT_TRUE(time_.Until([&] { return time_.WatchIsOpen(); }));
  Create("after");
  time_.AwaitEverythingWritten();
  EXPECT_EQ(Counted(), 2);
}

TEST_F(FieldWatch, B069AnExpiredVersionAsTheAnswerIsTheSameAsInTheStream) {
  time_.Start();
  time_.Pass(1min);
  time_.server().AddFault({.verb = "watch", .action = FaultAction::kStatus, .status = 410});
  Break(DropMode::kReset);
  EXPECT_EQ(time_.Own("relists_total{reason=\"expired\"}"), 1);
  EXPECT_EQ(time_.Own("list_total"), 2);
  Create("after");
  time_.AwaitEverythingWritten();
  EXPECT_EQ(Counted(), 1);
}

TEST_F(FieldWatch, B070ATooLargeVersionIsGivenUpInEachSpelling) {
  time_.Start();
  int lists = 1;
  for (const char* spelling : {"ResourceVersionTooLarge", "TooLargeCauseMessage", "TooLargeMessageOnly"}) {
    time_.server().AddFault({.verb = "watch", .action = FaultAction::kStatus, .status = 504, .reason = spelling});
    Break(DropMode::kReset);
    EXPECT_EQ(time_.Own("list_total"), ++lists) << spelling;
    for (const std::string& target : time_.Targets()) {
      EXPECT_TRUE(target.find("watch=true") != target.npos || target.find("resourceVersion") == target.npos) << target;
    }
  }
  Create("after");
  time_.AwaitEverythingWritten();
  EXPECT_EQ(Counted(), 1);
}

TEST_F(FieldWatch, B072ServersThatRestartOneByOneCauseNoListAndNoReplay) {
  for (int i = 0; i < 50; ++i) Create("old." + std::to_string(i));
  time_.Start();
  for (int round = 0; round < 5; ++round) Break(DropMode::kReset);
  time_.AwaitEverythingWritten();
  EXPECT_EQ(time_.Own("list_total"), 1);
  EXPECT_EQ(Counted(), 0);
}

TEST_F(FieldWatch, B073SilenceWithoutBookmarksIsNoReasonToReconnect) {
  time_.Start();
  time_.Pass(4min);  // the watch is replaced after 4.5 to 5 minutes
  EXPECT_EQ(time_.Own("watch_total"), 1);
  EXPECT_TRUE(time_.Unready().empty());
  time_.Pass(6min);
  EXPECT_EQ(time_.Own("watch_total"), 3);
  EXPECT_EQ(time_.Own("list_total"), 1);
  EXPECT_EQ(time_.Own("watch_events_total{type=\"BOOKMARK\"}"), 0);
}

TEST_F(FieldWatch, B075WhatExpiresBetweenListAndWatchIsNotCounted) {
  Create("old");
  time_.server().AddFault({.verb = "watch", .action = FaultAction::kStatus, .status = 503});
  time_.Begin();
  ASSERT_TRUE(time_.Until([&] { return time_.Own("watch_failed_total") == 1; }));
  ASSERT_TRUE(time_.server().Delete("default", "old"));
  ASSERT_TRUE(time_.Until([&] { return time_.WatchIsOpen(); }));
  time_.AwaitEverythingWritten();
  EXPECT_EQ(time_.Own("watch_events_total{type=\"DELETED\"}"), 1);
  EXPECT_EQ(Counted(), 0);
}

}  // namespace
}  // namespace kube_events::field
