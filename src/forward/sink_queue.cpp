#include "kube_events/forward/sink_queue.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace kube_events {
namespace {

// What a record takes beside its text.
constexpr std::size_t kRecordOverhead = 256;

std::size_t SizeOf(const Record& record) { return record.object.size() + record.id.size() + kRecordOverhead; }

}  // namespace

SinkQueue::SinkQueue(SinkQueueOptions options) : options_(options), safe_(options.scopes) {}

bool SinkQueue::HasRoom() const {
  const std::lock_guard lock(mutex_);
  return entries_.size() < options_.max_records && bytes_ < options_.max_bytes;
}

bool SinkQueue::IsHalfEmpty() const {
  const std::lock_guard lock(mutex_);
  return HalfEmpty();
}

void SinkQueue::Push(RecordPtr record, ScopeIndex scope, const ScopePosition& position) {
  bool came = false;
  bool pressed = false;
  {
    const std::lock_guard lock(mutex_);
    const bool was_half_empty = HalfEmpty();
    bytes_ += SizeOf(*record);
    entries_.push_back({std::move(record), scope, position, {}, std::chrono::steady_clock::now()});
    // A notification for each record would be a system call for each.
    came = entries_.size() == 1 || entries_.size() == wanted_records_ || bytes_ >= wanted_bytes_;
    pressed = was_half_empty && !HalfEmpty();
  }
  if (came) came_.notify_all();
  if (pressed) pressed_.notify_all();
}

void SinkQueue::NotePassed(ScopeIndex scope, std::string_view version, WallTime observed_until) {
  const std::lock_guard lock(mutex_);
  if (entries_.empty()) {
    safe_[scope].version = version;
    safe_[scope].observed_until = observed_until;
    return;
  }
  Entry& last = entries_.back();
  const auto same = [scope](const auto& passed) { return passed.first == scope; };
  auto found = std::find_if(last.passed.begin(), last.passed.end(), same);
  if (found == last.passed.end()) found = last.passed.insert(found, {scope, ScopePosition{}});
  found->second.version = version;
  found->second.observed_until = observed_until;
}

void SinkQueue::SetPosition(ScopeIndex scope, ScopePosition position) {
  const std::lock_guard lock(mutex_);
  safe_[scope] = std::move(position);
}

SinkQueue::Batch SinkQueue::Peek(std::size_t max_records, std::size_t max_bytes) const {
  const std::lock_guard lock(mutex_);
  Batch batch;
  batch.first = front_;
  std::size_t bytes = 0;
  for (const Entry& entry : entries_) {
    if (batch.records.size() >= max_records) break;
    if (!batch.records.empty() && bytes + entry.record->object.size() > max_bytes) break;
    bytes += entry.record->object.size();
    batch.records.push_back(entry.record);
  }
  return batch;
}

void SinkQueue::Settle(Entry& entry) {
  if (!entry.position.version.empty()) safe_[entry.scope] = std::move(entry.position);
  for (auto& [scope, position] : entry.passed) safe_[scope] = std::move(position);
}

std::uint64_t SinkQueue::RemoveBefore(std::uint64_t number) {
  std::uint64_t before = 0;
  bool left = false;
  {
    const std::lock_guard lock(mutex_);
    before = front_;
    for (; front_ < number && !entries_.empty(); ++front_) {
      bytes_ -= SizeOf(*entries_.front().record);
      Settle(entries_.front());
      entries_.pop_front();
    }
    left = HalfEmpty();
  }
  if (left) left_.notify_all();
  return before;
}

void SinkQueue::WaitForRecords(std::size_t records, std::size_t bytes, std::chrono::milliseconds wait,
                               std::chrono::milliseconds limit, const std::stop_token& stop) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  std::unique_lock lock(mutex_);
  came_.wait_until(lock, stop, deadline, [&] { return wake_delivery_ || !entries_.empty(); });
  if (!entries_.empty()) {
    wanted_records_ = records;
    wanted_bytes_ = bytes;
    came_.wait_until(lock, stop, std::min(deadline, entries_.front().pushed + wait),
                     [&] { return wake_delivery_ || entries_.size() >= records || bytes_ >= bytes; });
    wanted_records_ = 0;
    wanted_bytes_ = std::numeric_limits<std::size_t>::max();
  }
  wake_delivery_ = false;
}

bool SinkQueue::WaitForRoom(std::chrono::milliseconds limit, const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  return left_.wait_for(lock, stop, limit, [this] { return HalfEmpty(); });
}

bool SinkQueue::WaitUntilEmpty(std::chrono::milliseconds limit) {
  std::unique_lock lock(mutex_);
  return left_.wait_for(lock, limit, [this] { return entries_.empty(); });
}

void SinkQueue::WaitForPressure(std::chrono::milliseconds limit, const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  pressed_.wait_for(lock, stop, limit, [this] { return wake_spooling_ || !HalfEmpty(); });
  wake_spooling_ = false;
}

void SinkQueue::Wake() {
  {
    const std::lock_guard lock(mutex_);
    wake_delivery_ = true;
    wake_spooling_ = true;
  }
  came_.notify_all();
  pressed_.notify_all();
}

std::vector<ScopePosition> SinkQueue::SafePositions() const {
  const std::lock_guard lock(mutex_);
  return safe_;
}

std::size_t SinkQueue::Records() const {
  const std::lock_guard lock(mutex_);
  return entries_.size();
}

std::size_t SinkQueue::Bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

OptionalTime SinkQueue::OldestObserved() const {
  const std::lock_guard lock(mutex_);
  if (entries_.empty()) return std::nullopt;
  return entries_.front().record->observed;
}

}  // namespace kube_events
