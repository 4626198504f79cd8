#include "kube_events/forward/sink_worker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <future>
#include <optional>

#include "forward/fakes.h"
#include "kube/temp_dir.h"
#include "support/eventually.h"
#include "support/fake_clock.h"

namespace kube_events {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;

std::vector<std::string> Numbers(int from, int to) {
  std::vector<std::string> numbers;
  for (int i = from; i < to; ++i) numbers.push_back(std::to_string(i));
  return numbers;
}

class SinkWorkerTest : public ::testing::Test {
 protected:
  SinkWorkerTest() {
    options_.id = "sink";
    options_.batch_records = 10;
    options_.batch_wait = 0ms;
  }

  void Begin(bool spool) {
    SinkWorkerParts parts{
        std::make_unique<FakeSink>(receiver_), nullptr, nullptr, *clock_, health_, monitor_, Logger()};
    if (spool)
      parts.spool = std::move(Spool::Open({.folder = dir_.path() / "spool", .max_bytes = max_spool_}).value().spool);
    if (!dead_letters_.empty()) parts.dead_letters = std::make_unique<DeadLetterFile>(dead_letters_);
    worker_.emplace(options_, std::move(parts));
  }
  void Push(int from, int to) {
    for (int i = from; i < to; ++i)
      worker_->queue().Push(MakeRecord(std::to_string(i)), 0, {std::to_string(1'000 + i), {}});
  }
  bool Receives(const std::vector<std::string>& objects) {
    const bool all = Eventually([&] { return receiver_.Received().size() >= objects.size(); });
    EXPECT_THAT(receiver_.Received(), ElementsAreArray(objects));
    return all;
  }
  std::string Safe() { return worker_->queue().SafePositions().at(0).version; }
  static Error Away() { return {ErrorKind::kRetry, "connection refused"}; }

  TempDir dir_;
  std::filesystem::path dead_letters_;
  std::uint64_t max_spool_ = 64 << 20;
  SystemClock system_clock_;
  FakeClock fake_clock_;
  const Clock* clock_ = &system_clock_;
  Health health_{system_clock_};
  FakeForwardMonitor monitor_;
  Receiver receiver_;
  SinkWorkerOptions options_;
  std::optional<SinkWorker> worker_;
};

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

TEST_F(SinkWorkerTest, RecordsAreSafeInTheSpoolWhileTheReceiverIsAway) {
  receiver_.FailWith(Away());
  Begin(true);
  Push(0, 50);
  EXPECT_TRUE(Eventually([&] { return Safe() == "1049"; })) << Safe();
  EXPECT_EQ(worker_->queue().Records(), 0U);
  EXPECT_EQ(worker_->Stats().spool_records, 50U);
  receiver_.FailWith(std::nullopt);
  EXPECT_TRUE(Receives(Numbers(0, 50)));
  EXPECT_TRUE(Eventually([&] { return worker_->Stats().spool_records == 0; }));
}

TEST_F(SinkWorkerTest, OrderIsKeptWhileRecordsGoThroughTheSpoolAndThroughMemory) {
  Begin(true);
  for (int i = 0; i < 40; ++i) {
    if (i % 4 == 1) receiver_.FailWith(Away());
    if (i % 4 == 3) receiver_.FailWith(std::nullopt);
    Push(i * 25, i * 25 + 25);
    std::this_thread::yield();
  }
  receiver_.FailWith(std::nullopt);
  EXPECT_TRUE(Receives(Numbers(0, 1'000)));
}

TEST_F(SinkWorkerTest, BatchThatIsUnderWayWhileItIsSpooledArrivesOnce) {
  receiver_.Block(true);
  options_.queue.max_records = 20;
  Begin(true);
  Push(0, 5);
  EXPECT_TRUE(Eventually([&] { return receiver_.Attempts() == 1; }));
  Push(5, 30);  // beyond half of the queue: all of it is spooled, what is under way included
  EXPECT_TRUE(Eventually([&] { return worker_->Stats().spool_records >= 20; }));
  receiver_.Block(false);
  EXPECT_TRUE(Receives(Numbers(0, 30)));
}

TEST_F(SinkWorkerTest, NextProcessDeliversWhatTheSpoolHolds) {
  receiver_.FailWith(Away());
  Begin(true);
  Push(0, 20);
  EXPECT_EQ(worker_->Finish(5s), 0U) << "all is in the spool";
  EXPECT_EQ(Safe(), "1019");
  worker_.reset();
  receiver_.FailWith(std::nullopt);
  Begin(true);
  Push(20, 30);
  EXPECT_TRUE(Receives(Numbers(0, 30)));
}

TEST_F(SinkWorkerTest, FinishWaitsForABatchFromTheSpoolSoThatItComesOnce) {
  receiver_.FailWith(Away());
  Begin(true);
  Push(0, 5);
  EXPECT_TRUE(Eventually([&] { return worker_->Stats().spool_records == 5; }));
  receiver_.Block(true);
  receiver_.FailWith(std::nullopt);
  EXPECT_TRUE(Eventually([&] { return receiver_.HoldsABatch(); }));
  auto finished = std::async(std::launch::async, [&] { return worker_->Finish(20s); });
  EXPECT_EQ(finished.wait_for(100ms), std::future_status::timeout) << "a batch is under way";
  receiver_.Block(false);
  EXPECT_EQ(finished.get(), 0U);
  EXPECT_EQ(worker_->Stats().spool_records, 0U);
  worker_.reset();
  Begin(true);
  Push(5, 7);
  EXPECT_TRUE(Receives(Numbers(0, 7)));
}

TEST_F(SinkWorkerTest, FinishWaitsForABatchNoLongerThanItMay) {
  receiver_.FailWith(Away());
  Begin(true);
  Push(0, 5);
  EXPECT_TRUE(Eventually([&] { return worker_->Stats().spool_records == 5; }));
  receiver_.Block(true);
  EXPECT_TRUE(Eventually([&] { return receiver_.HoldsABatch(); }));
  EXPECT_EQ(worker_->Finish(50ms), 0U);
  EXPECT_EQ(worker_->Stats().spool_records, 5U);
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

TEST_F(SinkWorkerTest, FullSpoolLeavesTheRestInMemory) {
  receiver_.FailWith(Away());
  max_spool_ = 20'000;
  Begin(true);
  for (int i = 0; i < 40; ++i) worker_->queue().Push(MakeRecord(std::string(1'000, 'x')), 0, {std::to_string(i), {}});
  EXPECT_TRUE(Eventually([&] { return worker_->Stats().spool_records > 10; }));
  EXPECT_GT(worker_->queue().Records(), 0U);
  EXPECT_LE(worker_->Stats().spool_bytes, 20'000U);
  receiver_.FailWith(std::nullopt);
  EXPECT_TRUE(Eventually([&] { return receiver_.Received().size() == 40; }));
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

TEST_F(SinkWorkerTest, WhatIsDroppedFromAFullSpoolIsToldOnceToWhoeverMakesRoom) {
  receiver_.FailWith(Away());
  options_.drop_oldest = true;
  max_spool_ = 20'000;
  Begin(true);
  for (int i = 0; i < 60; ++i) worker_->queue().Push(MakeRecord(std::string(1'000, 'x')), 0, {std::to_string(i), {}});
  EXPECT_TRUE(Eventually([&] { return worker_->queue().Records() == 0; }));
  EXPECT_GT(monitor_.Count("dropped overflow"), 0U);
  EXPECT_LE(worker_->Stats().spool_bytes, 20'000U);
  EXPECT_TRUE(worker_->MakeRoom().has_value());
  EXPECT_FALSE(worker_->MakeRoom().has_value());
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
