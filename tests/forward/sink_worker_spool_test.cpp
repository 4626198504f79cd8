// How a sink is delivered to through its spool.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>

#include "forward/sink_worker_fixture.h"

namespace kube_events {
namespace {

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

}  // namespace
}  // namespace kube_events
