// The records of one sink that are in memory, oldest first, and up to where the sink is done in each scope.
// Owned by a SinkWorker; any thread, and only the methods that wait block.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "kube_events/base/clock.h"
#include "kube_events/forward/record.h"
#include "kube_events/informer/informer_monitor.h"
#include "kube_events/kube/scope.h"

namespace kube_events {

struct SinkQueueOptions {
  std::size_t scopes = 1;
  std::size_t max_records = 10'000;
  std::size_t max_bytes = std::size_t{16} << 20;
};

class SinkQueue {
 public:
  explicit SinkQueue(SinkQueueOptions options);

  // Whether Push may be called.
  bool HasRoom() const;
  bool IsHalfEmpty() const;  // neither records nor bytes are beyond half of their bounds
  // Appends. `position`: the scope's as soon as this record and all before it are safe; empty where there is none (an
  // item of a list that is not complete). A record beyond the bounds is taken all the same.
  void Push(RecordPtr record, ScopeIndex scope, const ScopePosition& position);
  // Nothing is to be sent up to this position of the scope; it is safe with what was pushed before.
  void NotePassed(ScopeIndex scope, std::string_view version, WallTime observed_until);
  // Where the sink begins in a scope.
  void SetPosition(ScopeIndex scope, ScopePosition position);

  struct Batch {
    std::uint64_t first = 0;  // number of its first record
    std::vector<RecordPtr> records;
  };
  // The oldest records that are not removed, at most so many and about so many bytes, at least one if there is one.
  Batch Peek(std::size_t max_records, std::size_t max_bytes) const;
  // These are safe. Returns the number of the oldest record before the call; does nothing where `number` is not
  // beyond it.
  std::uint64_t RemoveBefore(std::uint64_t number);
  // Waits until there are `records` or `bytes`, or at least one that has been there for `wait`, or Wake, or `limit` is
  // over, or `stop`.
  void WaitForRecords(std::size_t records, std::size_t bytes, std::chrono::milliseconds wait,
                      std::chrono::milliseconds limit, const std::stop_token& stop);
  // Waits until IsHalfEmpty. Returns false where `limit` is over or `stop` was requested first.
  bool WaitForRoom(std::chrono::milliseconds limit, const std::stop_token& stop);
  // Waits until it is empty. Returns false where `limit` is over first.
  bool WaitUntilEmpty(std::chrono::milliseconds limit);
  // Waits until it is more than half full, or Wake, or `limit` is over, or `stop`.
  void WaitForPressure(std::chrono::milliseconds limit, const std::stop_token& stop);
  // Ends WaitForRecords and WaitForPressure, or the next call of each, at once.
  void Wake();

  std::vector<ScopePosition> SafePositions() const;
  std::size_t Records() const;
  std::size_t Bytes() const;
  // When the oldest record was observed; none: empty.
  OptionalTime OldestObserved() const;

 private:
  struct Entry {
    RecordPtr record;
    ScopeIndex scope = 0;
    ScopePosition position;
    std::vector<std::pair<ScopeIndex, ScopePosition>> passed;  // by what followed without a record; mostly empty
    MonotonicTime pushed;
  };

  void Settle(Entry& entry);
  bool HalfEmpty() const { return entries_.size() <= options_.max_records / 2 && bytes_ <= options_.max_bytes / 2; }

  const SinkQueueOptions options_;
  mutable std::mutex mutex_;             // guards everything below
  std::condition_variable_any came_;     // the first record, or as much as is wanted, or Wake
  std::condition_variable_any left_;     // half empty, or empty
  std::condition_variable_any pressed_;  // more than half full, or Wake
  std::deque<Entry> entries_;
  std::size_t bytes_ = 0;
  std::uint64_t front_ = 0;         // number of the oldest entry
  std::size_t wanted_records_ = 0;  // by WaitForRecords
  std::size_t wanted_bytes_ = std::numeric_limits<std::size_t>::max();
  bool wake_delivery_ = false, wake_spooling_ = false;
  std::vector<ScopePosition> safe_;
};

}  // namespace kube_events
