// Whether a batch is under way: handed to a receiver, which has not answered yet. Lets the end of a process wait for
// the answer, without which the batch would have to be sent again. Owned by a SinkWorker; any thread.
#pragma once

#include <condition_variable>
#include <mutex>

#include "kube_events/base/clock.h"

namespace kube_events {

class BatchGate {
 public:
  // Called around each batch by the one thread that sends. False: no more batches are to be begun.
  bool Enter() {
    const std::lock_guard lock(mutex_);
    return under_way_ = !closed_;
  }
  void Leave() {
    {
      const std::lock_guard lock(mutex_);
      under_way_ = false;
    }
    left_.notify_all();
  }
  // Lets no more batches begin, and waits for the one that is under way, or until `until` (std::chrono::steady_clock).
  void Close(MonotonicTime until) {
    std::unique_lock lock(mutex_);
    closed_ = true;
    left_.wait_until(lock, until, [this] { return !under_way_; });
  }

 private:
  std::mutex mutex_;  // guards both
  bool under_way_ = false;
  bool closed_ = false;
  std::condition_variable left_;
};

}  // namespace kube_events
