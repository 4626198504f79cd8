// Delivers the records of one sink: memory first, the disk where the receiver is away, and for ever again what failed.
//
//   Push ─► SinkQueue ──────────────────────────► delivery thread ─► Sink
//                 └─ spooling thread ─► Spool ─►──┘
//
// Everything in the spool is older than everything in memory, so the order is kept. Owned by a SinkFeed; queue() and
// Stats() may be used from any thread, the rest belongs to the owner's.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>

#include "kube_events/base/backoff.h"
#include "kube_events/base/clock.h"
#include "kube_events/base/health.h"
#include "kube_events/base/logging.h"
#include "kube_events/base/trouble_log.h"
#include "kube_events/forward/batch_gate.h"
#include "kube_events/forward/dead_letter.h"
#include "kube_events/forward/sink.h"
#include "kube_events/forward/sink_queue.h"
#include "kube_events/forward/spool.h"

namespace kube_events {

// What is told about deliveries. Implemented by the composition root; any thread, must not block. `sink`: its id.
class ForwardMonitor {
 public:
  virtual ~ForwardMonitor() = default;
  // `result`: sent, spooled, rejected. A record that is spooled is told again when it is sent.
  virtual void OnRecords(std::string_view sink, std::string_view result, std::size_t count) = 0;
  virtual void OnRetry(std::string_view sink) = 0;
  // For ever. `reason`: overflow, rejected, spool.
  virtual void OnDropped(std::string_view sink, std::string_view reason, std::size_t count) = 0;
  // One batch was acknowledged after so long.
  virtual void OnSent(std::string_view sink, std::chrono::microseconds took) = 0;
};

struct SinkWorkerOptions {
  std::string id;
  std::size_t batch_records = 500;
  std::size_t batch_bytes = std::size_t{1} << 20;
  std::chrono::milliseconds batch_wait{200};
  std::chrono::milliseconds timeout{30'000};
  bool drop_oldest = false;  // else whoever pushes has to wait for room
  SinkQueueOptions queue;
};

struct SinkWorkerParts {
  std::unique_ptr<Sink> sink;
  std::unique_ptr<Spool> spool;                  // may be null
  std::unique_ptr<DeadLetterFile> dead_letters;  // may be null
  const Clock& clock;
  Health& health;
  ForwardMonitor& monitor;
  Logger log;
};

struct SinkWorkerStats {
  std::size_t queue_records = 0;
  std::uint64_t spool_records = 0;
  std::uint64_t spool_bytes = 0;
  std::chrono::milliseconds oldest_unsent{0};
};

class SinkWorker {
 public:
  // Starts the threads. clock, health and monitor must outlive the worker.
  SinkWorker(SinkWorkerOptions options, SinkWorkerParts parts);
  // Drops what is neither sent nor in the spool; see Finish. Waits for a disk, never for the network.
  ~SinkWorker();

  // Where records are put.
  SinkQueue& queue() { return queue_; }
  const SinkQueue& queue() const { return queue_; }
  // Makes room by dropping the oldest, where the queue is full and the sink is to do so. Returns from when on records
  // are missing, where any were dropped since the last call, here or from a full spool.
  OptionalTime MakeRoom();
  // SIGHUP.
  void Reopen() { reopen_ = true; }
  // Nothing is pushed any more: sends what is in memory, waits for the answer to what is under way, so that it need not
  // be sent again, and puts the rest into the spool. Blocks for at most about `timeout`, or longer where a disk is
  // slow. Returns how many records are left unsafe.
  std::size_t Finish(std::chrono::milliseconds timeout);

  SinkWorkerStats Stats() const;

 private:
  // What is being sent: from the spool, or from memory; the latter may be spooled meanwhile.
  struct Shipment {
    bool from_spool = false;
    std::uint64_t first = 0;      // its number in the spool or in memory
    std::uint64_t spool_end = 0;  // from memory: where the spool ended then
    std::vector<RecordPtr> records;
  };

  void Guarded(std::string_view what, const std::stop_token& stop, void (SinkWorker::*body)(const std::stop_token&));
  void Deliver(const std::stop_token& stop);
  std::optional<Shipment> Next(const std::stop_token& stop);
  std::optional<Shipment> FromSpool(const std::stop_token& stop);
  std::optional<Shipment> FromMemory();
  void Send(const Shipment& shipment, const std::stop_token& stop);
  void Acknowledge(const Shipment& shipment);
  void Refused(const Shipment& shipment, const Error& error, const std::stop_token& stop);
  void Bury(const Shipment& shipment, const Error& error, const std::stop_token& stop);
  void Retry(const Error& error, const std::stop_token& stop);
  void PauseUntil(MonotonicTime until, const std::stop_token& stop, Heartbeat& heartbeat);

  void SpoolAway(const std::stop_token& stop);
  bool SpoolSome(std::size_t max_records);
  bool DropFromSpool(std::span<const RecordPtr> newer);
  void NoteTold(const Shipment& shipment);

  const SinkWorkerOptions options_;
  SinkWorkerParts parts_;
  SinkQueue queue_;
  Heartbeat& delivery_heartbeat_;
  Heartbeat* spooling_heartbeat_ = nullptr;

  // Delivery thread.
  std::size_t limit_;  // of records in a batch; smaller while a receiver refuses large ones
  Backoff backoff_;
  TroubleLog trouble_;
  // Spooling thread, then Finish.
  TroubleLog spool_trouble_;

  std::atomic<bool> down_{false};  // the last batch failed
  std::atomic<bool> finishing_{false};
  std::atomic<bool> reopen_{false};
  std::atomic<WallTime::rep> oldest_in_spool_{0};
  std::atomic<std::int64_t> spool_shift_{0};          // of what is spooled last: its number there less that in memory
  std::atomic<WallTime::rep> spool_dropped_from_{0};  // what MakeRoom has to tell; 0: nothing
  std::atomic<WallTime::rep> spool_lost_from_{0};     // the same, until a receiver has got the marker

  std::mutex pause_mutex_;
  std::condition_variable_any pause_;  // notified by Finish
  BatchGate gate_;

  std::jthread spooling_;
  std::jthread delivery_;
};

}  // namespace kube_events
