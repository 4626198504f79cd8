// Stand-ins for a receiver and for the composition root. Owned by a test; any thread.
#pragma once

#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kube_events/forward/sink.h"
#include "kube_events/forward/sink_worker.h"

namespace kube_events {

inline RecordPtr MakeRecord(std::string object, RecordType type = RecordType::kAdded) {
  return std::make_shared<const Record>(Record{type, std::move(object), WallTime{std::chrono::seconds{1'767'225'600}}});
}

// What the sinks of one test have received; outlives them.
class Receiver {
 public:
  // Objects in the order of their arrival; of a gap: "gap REASON".
  std::vector<std::string> Received() const {
    const std::lock_guard lock(mutex_);
    return received_;
  }
  std::vector<std::size_t> Batches() const {
    const std::lock_guard lock(mutex_);
    return batches_;
  }
  int Attempts() const {
    const std::lock_guard lock(mutex_);
    return attempts_;
  }
  // A batch waits because of Block.
  bool HoldsABatch() const {
    const std::lock_guard lock(mutex_);
    return holds_;
  }
  int Reopened() const {
    const std::lock_guard lock(mutex_);
    return reopened_;
  }
  // Every batch fails with it; none: they are taken.
  void FailWith(std::optional<Error> error) {
    {
      const std::lock_guard lock(mutex_);
      failure_ = std::move(error);
    }
    changed_.notify_all();
  }
  // This object is never taken, nor a batch that holds it.
  void Reject(std::string object) {
    const std::lock_guard lock(mutex_);
    rejected_ = std::move(object);
  }
  // Batches wait, until the limits end them or Block(false).
  void Block(bool blocked) {
    {
      const std::lock_guard lock(mutex_);
      blocked_ = blocked;
    }
    changed_.notify_all();
  }

  Result<void> Take(std::span<const RecordPtr> batch, const SendLimits& limits) {
    std::unique_lock lock(mutex_);
    ++attempts_;
    holds_ = blocked_;
    changed_.wait_for(lock, limits.stop, limits.timeout, [this] { return !blocked_; });
    holds_ = false;
    if (limits.stop.stop_requested()) return Fail(ErrorKind::kCancelled, "cancelled");
    if (blocked_) return Fail(ErrorKind::kRetry, "no answer");
    if (failure_) return Fail(*failure_);
    for (const RecordPtr& record : batch) {
      if (rejected_ && record->object == *rejected_) {
        return Fail(Error{ErrorKind::kInvalid, "rejected", std::nullopt, "rejected"});
      }
    }
    batches_.push_back(batch.size());
    for (const RecordPtr& record : batch) {
      received_.push_back(record->type == RecordType::kGap ? "gap " + record->gap_reason : record->object);
    }
    return {};
  }
  void NoteReopened() {
    const std::lock_guard lock(mutex_);
    ++reopened_;
  }

 private:
  mutable std::mutex mutex_;  // guards everything below
  std::condition_variable_any changed_;
  std::vector<std::string> received_;
  std::vector<std::size_t> batches_;
  int attempts_ = 0;
  int reopened_ = 0;
  std::optional<Error> failure_;
  std::optional<std::string> rejected_;
  bool blocked_ = false;
  bool holds_ = false;
};

class FakeSink final : public Sink {
 public:
  explicit FakeSink(Receiver& receiver) : receiver_(receiver) {}
  Result<void> Send(std::span<const RecordPtr> batch, const SendLimits& limits) override {
    return receiver_.Take(batch, limits);
  }
  void Reopen() override { receiver_.NoteReopened(); }

 private:
  Receiver& receiver_;
};

class FakeForwardMonitor final : public ForwardMonitor {
 public:
  void OnRecords(std::string_view, std::string_view result, std::size_t count) override { Add(result, count); }
  void OnRetry(std::string_view) override { Add("retries", 1); }
  void OnDropped(std::string_view, std::string_view reason, std::size_t count) override {
    Add("dropped " + std::string(reason), count);
  }
  void OnSent(std::string_view, std::chrono::microseconds) override { Add("batches", 1); }

  std::size_t Count(const std::string& what) const {
    const std::lock_guard lock(mutex_);
    const auto found = counts_.find(what);
    return found == counts_.end() ? 0 : found->second;
  }

 private:
  void Add(std::string_view what, std::size_t count) {
    const std::lock_guard lock(mutex_);
    counts_[std::string(what)] += count;
  }

  mutable std::mutex mutex_;  // guards counts_
  std::map<std::string, std::size_t> counts_;
};

}  // namespace kube_events
