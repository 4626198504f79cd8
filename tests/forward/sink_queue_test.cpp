#include "kube_events/forward/sink_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "forward/fakes.h"

namespace kube_events {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;

constexpr WallTime kLater{std::chrono::seconds{1'800'000'000}};

std::vector<std::string> Objects(const SinkQueue::Batch& batch) {
  std::vector<std::string> objects;
  for (const RecordPtr& record : batch.records) objects.push_back(record->object);
  return objects;
}

std::string Position(const SinkQueue& queue, ScopeIndex scope = 0) { return queue.SafePositions().at(scope).version; }

TEST(SinkQueueTest, RecordsComeInTheirOrderAndStayUntilTheyAreRemoved) {
  SinkQueue queue({});
  for (const auto* object : {"a", "b", "c"}) queue.Push(MakeRecord(object), 0, {});
  EXPECT_THAT(Objects(queue.Peek(2, 1'000)), ElementsAre("a", "b"));
  EXPECT_THAT(Objects(queue.Peek(9, 1'000)), ElementsAre("a", "b", "c"));
  EXPECT_EQ(queue.RemoveBefore(2), 0U);
  EXPECT_THAT(Objects(queue.Peek(9, 1'000)), ElementsAre("c"));
  EXPECT_EQ(queue.RemoveBefore(1), 2U) << "removed before";
  EXPECT_EQ(queue.Records(), 1U);
}

TEST(SinkQueueTest, BatchEndsBeforeItIsTooLargeAndHoldsOneRecordAtLeast) {
  SinkQueue queue({});
  for (const auto* object : {"12345", "67", "890"}) queue.Push(MakeRecord(object), 0, {});
  EXPECT_THAT(Objects(queue.Peek(9, 7)), ElementsAre("12345", "67"));
  EXPECT_THAT(Objects(queue.Peek(9, 1)), ElementsAre("12345"));
}

TEST(SinkQueueTest, PositionMovesWhenARecordAndAllBeforeItAreRemoved) {
  SinkQueue queue({.scopes = 2});
  queue.SetPosition(0, {"5", {}});
  queue.Push(MakeRecord("a"), 0, {"6", {}});
  queue.Push(MakeRecord("b"), 1, {"7", {}});
  EXPECT_EQ(Position(queue), "5");
  queue.RemoveBefore(1);
  EXPECT_EQ(Position(queue), "6");
  EXPECT_EQ(Position(queue, 1), "");
  queue.RemoveBefore(2);
  EXPECT_EQ(Position(queue, 1), "7");
}

TEST(SinkQueueTest, WhatIsPassedWithoutARecordIsSafeAtOnceOnlyWhereNothingIsOutstanding) {
  SinkQueue queue({.scopes = 2});
  queue.NotePassed(0, "5", kLater);
  EXPECT_EQ(Position(queue), "5");
  EXPECT_EQ(queue.SafePositions()[0].observed_until, kLater);
  queue.Push(MakeRecord("a"), 0, {"6", {}});
  queue.NotePassed(0, "8", kLater);
  queue.NotePassed(1, "9", kLater);
  EXPECT_EQ(Position(queue), "5");
  EXPECT_EQ(Position(queue, 1), "");
  queue.RemoveBefore(1);
  EXPECT_EQ(Position(queue), "8");
  EXPECT_EQ(Position(queue, 1), "9");
}

TEST(SinkQueueTest, ItemsOfAListMoveNoPosition) {
  SinkQueue queue({});
  queue.SetPosition(0, {"5", {}});
  queue.Push(MakeRecord("listed"), 0, {});
  queue.RemoveBefore(1);
  EXPECT_EQ(Position(queue), "5");
}

TEST(SinkQueueTest, RoomIsBoundedByRecordsAndByBytes) {
  SinkQueue few({.max_records = 4});
  for (int i = 0; i < 2; ++i) few.Push(MakeRecord("x"), 0, {});
  EXPECT_TRUE(few.IsHalfEmpty());
  few.Push(MakeRecord("x"), 0, {});
  EXPECT_FALSE(few.IsHalfEmpty());
  EXPECT_TRUE(few.HasRoom());
  few.Push(MakeRecord("x"), 0, {});
  EXPECT_FALSE(few.HasRoom());
  SinkQueue small({.max_bytes = 1'000});
  small.Push(MakeRecord(std::string(1'000, 'x')), 0, {});
  EXPECT_FALSE(small.HasRoom());
}

TEST(SinkQueueTest, WaitingForRecordsEndsWithEnoughOfThemOrWithWakeOrStop) {
  SinkQueue queue({});
  std::jthread waiter([&](const std::stop_token& stop) { queue.WaitForRecords(2, 1 << 20, 1h, 1h, stop); });
  queue.Push(MakeRecord("a"), 0, {});
  queue.Push(MakeRecord("b"), 0, {});
  waiter.join();
  SinkQueue woken({});
  std::jthread another([&](const std::stop_token& stop) { woken.WaitForRecords(2, 1 << 20, 1h, 1h, stop); });
  woken.Wake();
  another.join();
  SinkQueue stopped({});
  std::jthread last([&](const std::stop_token& stop) { stopped.WaitForRecords(2, 1 << 20, 1h, 1h, stop); });
  last.request_stop();
  last.join();
}

TEST(SinkQueueTest, WaitingForRoomEndsWhenHalfOfItIsFree) {
  SinkQueue queue({.max_records = 2});
  for (int i = 0; i < 2; ++i) queue.Push(MakeRecord("x"), 0, {});
  EXPECT_FALSE(queue.WaitForRoom(0ms, {}));
  bool room = false;
  std::jthread waiter([&](const std::stop_token& stop) { room = queue.WaitForRoom(1h, stop); });
  queue.RemoveBefore(1);
  waiter.join();
  EXPECT_TRUE(room);
}

}  // namespace
}  // namespace kube_events
