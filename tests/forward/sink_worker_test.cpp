// How a sink is delivered to from memory, and how that ends.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "forward/sink_worker_fixture.h"

namespace kube_events {
namespace {

TEST_F(SinkWorkerTest, RecordsArriveInOrderAndBatchesAreBounded) {
  Begin(false);
  Push(0, 100);
  EXPECT_TRUE(Receives(Numbers(0, 100)));
  for (const std::size_t size : receiver_.Batches()) EXPECT_LE(size, 10U);
  EXPECT_TRUE(Eventually([&] { return Safe() == "1099"; }));
  EXPECT_EQ(monitor_.Count("sent"), 100U);
}

TEST_F(SinkWorkerTest, WhatFailsIsSentAgainUntilItIsTaken) {
  receiver_.FailWith(Away());
  Begin(false);
  Push(0, 5);
  EXPECT_TRUE(Eventually([&] { return receiver_.Attempts() >= 2; }));
  EXPECT_EQ(Safe(), "") << "not delivered";
  receiver_.FailWith(std::nullopt);
  EXPECT_TRUE(Receives(Numbers(0, 5)));
  EXPECT_GE(monitor_.Count("retries"), 2U);
}

TEST_F(SinkWorkerTest, ReceiverThatAsksForMinutesGetsThemButNoMoreThanTen) {
  clock_ = &fake_clock_;
  receiver_.FailWith(Error{ErrorKind::kRetry, "busy", 1h});
  Begin(false);
  Push(0, 5);
  EXPECT_TRUE(Eventually([&] { return monitor_.Count("retries") == 1; }));
  fake_clock_.Advance(9min);
  // Longer than the delivery thread goes without looking at the clock.
  EXPECT_FALSE(Eventually([&] { return receiver_.Attempts() > 1; }, 2'500ms));
  receiver_.FailWith(std::nullopt);
  fake_clock_.Advance(61s);
  EXPECT_TRUE(Receives(Numbers(0, 5)));
}

TEST_F(SinkWorkerTest, RejectedRecordIsFoundAndPutAsideAndTheOthersArrive) {
  dead_letters_ = dir_.path() / "dead.jsonl";
  receiver_.Reject("7");
  Begin(false);
  Push(0, 30);
  std::vector<std::string> expected = Numbers(0, 7);
  for (const std::string& number : Numbers(8, 30)) expected.push_back(number);
  EXPECT_TRUE(Receives(expected));
  EXPECT_TRUE(Eventually([&] { return Safe() == "1029"; }));
  EXPECT_EQ(monitor_.Count("rejected"), 1U);
  EXPECT_EQ(monitor_.Count("dropped rejected"), 0U);
  std::ifstream file(dead_letters_);
  std::string line;
  std::getline(file, line);
  EXPECT_THAT(line, ::testing::HasSubstr("rejected"));
}

TEST_F(SinkWorkerTest, RejectedRecordWithoutADeadLetterFileIsDroppedAndCounted) {
  receiver_.Reject("0");
  Begin(false);
  Push(0, 2);
  EXPECT_TRUE(Receives({"1"}));
  EXPECT_EQ(monitor_.Count("dropped rejected"), 1U);
}

TEST_F(SinkWorkerTest, RejectedRecordCountsOnceItIsPutAsideAndNotWithEveryAttempt) {
  const std::filesystem::path folder = dir_.path() / "later";
  dead_letters_ = folder / "dead.jsonl";
  receiver_.Reject("0");
  Begin(false);
  Push(0, 1);
  EXPECT_TRUE(Eventually([&] { return monitor_.Count("retries") >= 2; }));
  EXPECT_EQ(monitor_.Count("rejected"), 0U);
  std::filesystem::create_directory(folder);
  EXPECT_TRUE(Eventually([&] { return Safe() == "1000"; }));
  EXPECT_EQ(monitor_.Count("rejected"), 1U);
}

TEST_F(SinkWorkerTest, FinishDeliversWhatIsQueued) {
  options_.batch_wait = 1h;
  options_.batch_records = 1'000;
  Begin(false);
  Push(0, 20);
  EXPECT_EQ(worker_->Finish(10s), 0U);
  EXPECT_TRUE(Receives(Numbers(0, 20)));
}

TEST_F(SinkWorkerTest, FinishWithoutASpoolSaysHowManyAreLeft) {
  receiver_.Block(true);
  Begin(false);
  Push(0, 20);
  EXPECT_EQ(worker_->Finish(10ms), 20U);
  EXPECT_EQ(Safe(), "");
}

TEST_F(SinkWorkerTest, OldestAreDroppedWhereThatIsWanted) {
  receiver_.Block(true);
  options_.drop_oldest = true;
  options_.queue.max_records = 100;
  Begin(false);
  std::size_t times_told = 0;
  for (int i = 0; i < 150; ++i) {
    if (worker_->MakeRoom()) ++times_told;
    Push(i, i + 1);
  }
  EXPECT_EQ(times_told, 50U);
  EXPECT_EQ(worker_->queue().Records(), 100U);
  EXPECT_EQ(monitor_.Count("dropped overflow"), 50U);
  receiver_.Block(false);
  EXPECT_TRUE(Eventually([&] { return Safe() == "1149"; }));
  EXPECT_EQ(receiver_.Received().back(), "149");
}

TEST_F(SinkWorkerTest, AMarkerThatIsDroppedLeavesItsTimeToTheNextOne) {
  receiver_.Block(true);
  options_.drop_oldest = true;
  options_.queue.max_records = 100;
  Begin(false);
  Record marker = *MakeRecord("", RecordType::kGap);
  marker.gap_from = marker.observed - 1h;
  const OptionalTime from = marker.gap_from;
  worker_->queue().Push(std::make_shared<const Record>(std::move(marker)), 0, {"999", {}});
  Push(0, 99);
  EXPECT_EQ(worker_->MakeRoom(), from);
}

TEST_F(SinkWorkerTest, HangupReopensBeforeTheNextBatch) {
  Begin(false);
  worker_->Reopen();
  Push(0, 1);
  EXPECT_TRUE(Receives({"0"}));
  EXPECT_EQ(receiver_.Reopened(), 1);
}

TEST_F(SinkWorkerTest, EndsAtOnceWhileABatchIsUnderWay) {
  receiver_.Block(true);
  options_.timeout = 1h;
  Begin(false);
  Push(0, 1);
  EXPECT_TRUE(Eventually([&] { return receiver_.Attempts() == 1; }));
  worker_.reset();
}

}  // namespace
}  // namespace kube_events
