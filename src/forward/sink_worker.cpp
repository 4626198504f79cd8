#include "kube_events/forward/sink_worker.h"

#include <algorithm>
#include <exception>
#include <utility>

namespace kube_events {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kFirstRetry{200}, kLastRetry{30'000};
// A thread that waits beats at least this often.
constexpr milliseconds kBeat{2'000};
// While the receiver is away: how long a record may be in memory only.
constexpr milliseconds kSpoolEvery{200};
constexpr milliseconds kSpoolRetry{1'000};
// Written and flushed at once.
constexpr std::size_t kSpoolRecords = 1'000;
constexpr std::size_t kSpoolBytes = std::size_t{4} << 20;
// Beyond the time that a batch may take, a loop is stuck.
constexpr milliseconds kMaxSilence{60'000};

// A marker that is dropped in its turn leaves what it told of to the next one.
WallTime MissingFrom(const std::vector<RecordPtr>& dropped) {
  WallTime from = dropped.front()->observed;
  for (const RecordPtr& record : dropped) {
    if (record->gap_from) from = std::min(from, *record->gap_from);
  }
  return from;
}

}  // namespace

SinkWorker::SinkWorker(SinkWorkerOptions options, SinkWorkerParts parts)
    : options_(std::move(options)),
      parts_(std::move(parts)),
      queue_(options_.queue),
      delivery_heartbeat_(parts_.health.AddLoop("delivery to " + options_.id, options_.timeout + kMaxSilence)),
      limit_(options_.batch_records),
      backoff_(BackoffOptions{.initial = kFirstRetry, .max = kLastRetry, .max_floor = kMaxReceiverPause}),
      trouble_(parts_.log, parts_.clock),
      spool_trouble_(parts_.log, parts_.clock) {
  if (parts_.spool) {
    spooling_heartbeat_ = &parts_.health.AddLoop("spool of " + options_.id, kMaxSilence);
    spooling_ =
        std::jthread([this](const std::stop_token& stop) { Guarded("spooling", stop, &SinkWorker::SpoolAway); });
  }
  delivery_ = std::jthread([this](const std::stop_token& stop) { Guarded("delivery", stop, &SinkWorker::Deliver); });
}

SinkWorker::~SinkWorker() = default;

// What is thrown here (memory, nothing else) must not end the process, which counts; nor must the sink stand still.
void SinkWorker::Guarded(std::string_view what, const std::stop_token& stop,
                         void (SinkWorker::*body)(const std::stop_token&)) {
  while (!stop.stop_requested()) {
    try {
      (this->*body)(stop);
    } catch (const std::exception& error) {
      parts_.log.Error(std::string(what) + " failed and begins anew: " + error.what(), {{"sink", options_.id}});
      std::unique_lock lock(pause_mutex_);
      pause_.wait_for(lock, stop, kSpoolRetry, [] { return false; });
    }
  }
}

OptionalTime SinkWorker::MakeRoom() {
  OptionalTime from;
  if (spool_dropped_from_ != 0) from = WallTime{WallTime::duration{spool_dropped_from_.exchange(0)}};
  if (!options_.drop_oldest || queue_.HasRoom()) return from;
  const SinkQueue::Batch oldest = queue_.Peek(std::max<std::size_t>(options_.queue.max_records / 100, 1), kSpoolBytes);
  const std::uint64_t front = queue_.RemoveBefore(oldest.first + oldest.records.size());
  const auto dropped = static_cast<std::size_t>(oldest.first + oldest.records.size() - front);
  if (dropped == 0) return from;
  parts_.monitor.OnDropped(options_.id, "overflow", dropped);
  return std::min(from.value_or(WallTime::max()), MissingFrom(oldest.records));
}

// ---- the delivery thread ---------------------------------------------------------------------------------------

void SinkWorker::Deliver(const std::stop_token& stop) {
  gate_.Leave();  // where an exception left one
  while (!stop.stop_requested()) {
    delivery_heartbeat_.Beat();
    if (const auto shipment = Next(stop)) Send(*shipment, stop);
  }
}

std::optional<SinkWorker::Shipment> SinkWorker::Next(const std::stop_token& stop) {
  if (parts_.spool && parts_.spool->Front() != parts_.spool->End()) return FromSpool(stop);
  oldest_in_spool_ = 0;
  const milliseconds wait = finishing_ ? milliseconds{0} : options_.batch_wait;
  queue_.WaitForRecords(limit_, options_.batch_bytes, wait, kBeat, stop);
  if (stop.stop_requested()) return std::nullopt;
  return FromMemory();
}

std::optional<SinkWorker::Shipment> SinkWorker::FromSpool(const std::stop_token& stop) {
  const std::uint64_t front = parts_.spool->Front();
  auto records = parts_.spool->Peek(front, limit_, options_.batch_bytes);
  if (!records) {
    Retry(records.error(), stop);
    return std::nullopt;
  }
  if (records->empty()) return std::nullopt;
  oldest_in_spool_ = records->front()->observed.time_since_epoch().count();
  return Shipment{.from_spool = true, .first = front, .records = std::move(*records)};
}

std::optional<SinkWorker::Shipment> SinkWorker::FromMemory() {
  const std::uint64_t end = parts_.spool ? parts_.spool->End() : 0;
  SinkQueue::Batch batch = queue_.Peek(limit_, options_.batch_bytes);
  // Spooled just now: that is older than what is in memory.
  if (parts_.spool && (parts_.spool->End() != end || parts_.spool->Front() != end)) return std::nullopt;
  if (batch.records.empty()) return std::nullopt;
  return Shipment{.first = batch.first, .spool_end = end, .records = std::move(batch.records)};
}

void SinkWorker::Send(const Shipment& shipment, const std::stop_token& stop) {
  if (reopen_.exchange(false)) parts_.sink->Reopen();
  if (!gate_.Enter()) return;
  const MonotonicTime began = parts_.clock.Monotonic();
  const auto sent = parts_.sink->Send(shipment.records, {.timeout = options_.timeout, .stop = stop});
  gate_.Leave();  // what follows does not look at `stop`
  if (!sent) return Refused(shipment, sent.error(), stop);
  down_ = false;
  backoff_.Reset();
  limit_ = std::min(limit_ * 2, options_.batch_records);
  trouble_.Over("records are delivered again", {"sink", options_.id});
  Acknowledge(shipment);
  NoteTold(shipment);
  parts_.monitor.OnRecords(options_.id, "sent", shipment.records.size());
  parts_.monitor.OnSent(options_.id,
                        std::chrono::duration_cast<std::chrono::microseconds>(parts_.clock.Monotonic() - began));
}

void SinkWorker::Acknowledge(const Shipment& shipment) {
  const std::uint64_t end = shipment.first + shipment.records.size();
  if (shipment.from_spool) return parts_.spool->RemoveBefore(end);
  const std::uint64_t front = queue_.RemoveBefore(end);
  // What is not in memory any more was spooled meanwhile, or dropped. Too little may be taken off the spool here, which
  // then comes twice, but never too much.
  if (!parts_.spool || front <= shipment.first || parts_.spool->End() == shipment.spool_end) return;
  const std::int64_t done = static_cast<std::int64_t>(std::min(front, end)) + spool_shift_;
  if (done > 0) parts_.spool->RemoveBefore(static_cast<std::uint64_t>(done));
}

void SinkWorker::Refused(const Shipment& shipment, const Error& error, const std::stop_token& stop) {
  if (error.kind == ErrorKind::kCancelled) return;
  if (error.kind != ErrorKind::kInvalid) return Retry(error, stop);
  if (shipment.records.size() > 1) {
    limit_ = shipment.records.size() / 2;
    return;
  }
  Bury(shipment, error, stop);
}

void SinkWorker::Bury(const Shipment& shipment, const Error& error, const std::stop_token& stop) {
  const Record& record = *shipment.records.front();
  trouble_.Note("a record is rejected for ever: " + error.message, {{"sink", options_.id}});
  if (!parts_.dead_letters) {
    parts_.monitor.OnDropped(options_.id, "rejected", 1);
  } else if (const auto kept = parts_.dead_letters->Append(options_.id, error, record, parts_.clock.Wall()); !kept) {
    return Retry(kept.error(), stop);
  }
  parts_.monitor.OnRecords(options_.id, "rejected", 1);  // not before: until then it is still to come
  Acknowledge(shipment);
}

void SinkWorker::Retry(const Error& error, const std::stop_token& stop) {
  const MonotonicTime until = parts_.clock.Monotonic() + backoff_.Next(error.retry_after.value_or(milliseconds{0}));
  trouble_.Note("delivery fails and is tried again: " + error.message, {{"sink", options_.id}});
  parts_.monitor.OnRetry(options_.id);
  down_ = true;
  queue_.Wake();  // the spooling thread has work now
  PauseUntil(until, stop, delivery_heartbeat_);
}

void SinkWorker::PauseUntil(MonotonicTime until, const std::stop_token& stop, Heartbeat& heartbeat) {
  const bool was_finishing = finishing_;
  std::unique_lock lock(pause_mutex_);
  while (!stop.stop_requested() && finishing_ == was_finishing) {
    const MonotonicTime::duration left = until - parts_.clock.Monotonic();
    if (left <= left.zero()) return;
    heartbeat.Beat();
    pause_.wait_for(lock, stop, std::min<MonotonicTime::duration>(left, kBeat),
                    [&] { return finishing_ != was_finishing; });
  }
}

// ---- the spooling thread ---------------------------------------------------------------------------------------

void SinkWorker::SpoolAway(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    spooling_heartbeat_->Beat();
    queue_.WaitForPressure(down_ ? kSpoolEvery : kBeat, stop);
    while (!stop.stop_requested() && queue_.Records() > 0 && (down_ || !queue_.IsHalfEmpty())) {
      spooling_heartbeat_->Beat();
      if (!SpoolSome(kSpoolRecords)) {
        PauseUntil(parts_.clock.Monotonic() + kSpoolRetry, stop, *spooling_heartbeat_);
        break;
      }
    }
  }
}

bool SinkWorker::SpoolSome(std::size_t max_records) {
  const std::uint64_t end = parts_.spool->End();
  const SinkQueue::Batch batch = queue_.Peek(max_records, kSpoolBytes);
  if (batch.records.empty()) return true;
  spool_shift_ = static_cast<std::int64_t>(end) - static_cast<std::int64_t>(batch.first);
  if (const auto kept = parts_.spool->Append(batch.records); !kept) {
    if (kept.error().reason == "full") {
      if (options_.drop_oldest && DropFromSpool(batch.records)) return true;
      // There may be room for some of them.
      return batch.records.size() > 1 && SpoolSome(batch.records.size() / 2);
    }
    spool_trouble_.Note(kept.error().message, {{"sink", options_.id}});
    return false;
  }
  spool_trouble_.Over("the spool can be written again", {"sink", options_.id});
  const std::uint64_t front = queue_.RemoveBefore(batch.first + batch.records.size());
  // Acknowledged while they were being written.
  if (front > batch.first) parts_.spool->RemoveBefore(end + front - batch.first);
  parts_.monitor.OnRecords(options_.id, "spooled", batch.records.size());
  return true;
}

bool SinkWorker::DropFromSpool(std::span<const RecordPtr> newer) {
  // The delivery thread has seen the oldest, unless it is still busy with what was in memory.
  const WallTime::rep oldest = oldest_in_spool_;
  WallTime::rep from =
      std::max<WallTime::rep>(oldest != 0 ? oldest : newer.front()->observed.time_since_epoch().count(), 1);
  if (spool_lost_from_ != 0) from = std::min<WallTime::rep>(from, spool_lost_from_);
  const std::uint64_t dropped = parts_.spool->DropOldestFor(newer);
  if (dropped == 0) return false;
  WallTime::rep nothing = 0;
  spool_lost_from_ = from;
  spool_dropped_from_.compare_exchange_strong(nothing, from);
  parts_.monitor.OnDropped(options_.id, "overflow", static_cast<std::size_t>(dropped));
  spool_trouble_.Note("the spool is full and its oldest records are dropped; raise --forward-spool-max-bytes",
                      {{"sink", options_.id}});
  return true;
}

void SinkWorker::NoteTold(const Shipment& shipment) {
  if (spool_lost_from_ == 0 || spool_dropped_from_ != 0) return;
  const bool told = std::any_of(shipment.records.begin(), shipment.records.end(),
                                [](const RecordPtr& record) { return record->gap_reason == "overflow"; });
  if (told) spool_lost_from_ = 0;
}

// ---- the end ---------------------------------------------------------------------------------------------------

std::size_t SinkWorker::Finish(milliseconds timeout) {
  const MonotonicTime until = std::chrono::steady_clock::now() + timeout;
  {
    const std::lock_guard lock(pause_mutex_);
    finishing_ = true;
  }
  pause_.notify_all();
  queue_.Wake();
  // A receiver that is away is not waited for where there is a better place.
  if (!(parts_.spool && down_)) queue_.WaitUntilEmpty(timeout);
  gate_.Close(until);
  for (std::jthread* thread : {&delivery_, &spooling_}) {
    thread->request_stop();
    if (thread->joinable()) thread->join();
  }
  while (parts_.spool && queue_.Records() > 0 && SpoolSome(kSpoolRecords)) {
  }
  return queue_.Records();
}

SinkWorkerStats SinkWorker::Stats() const {
  SinkWorkerStats stats;
  stats.queue_records = queue_.Records();
  OptionalTime oldest = queue_.OldestObserved();
  if (parts_.spool) {
    const SpoolStats spool = parts_.spool->Stats();
    stats.spool_records = spool.records;
    stats.spool_bytes = spool.bytes;
    const WallTime in_spool{WallTime::duration{oldest_in_spool_.load()}};
    if (spool.records > 0 && in_spool.time_since_epoch().count() > 0) oldest = in_spool;
  }
  if (oldest) {
    stats.oldest_unsent =
        std::max(milliseconds{0}, std::chrono::duration_cast<milliseconds>(parts_.clock.Wall() - *oldest));
  }
  return stats;
}

}  // namespace kube_events
