// A SinkWorker with a fake receiver, and a spool if the test wants one.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "forward/fakes.h"
#include "kube/temp_dir.h"
#include "kube_events/forward/sink_worker.h"
#include "support/eventually.h"
#include "support/fake_clock.h"

namespace kube_events {

using namespace std::chrono_literals;

inline std::vector<std::string> Numbers(int from, int to) {
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
    EXPECT_THAT(receiver_.Received(), ::testing::ElementsAreArray(objects));
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

}  // namespace kube_events
