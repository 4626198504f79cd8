#include "kube_events/informer/stream_inbox.h"

#include <utility>

namespace kube_events {

void Doorbell::Ring() {
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(ringing_, true)) return;
  }
  rung_.notify_one();
}

void Doorbell::WaitUntil(MonotonicTime deadline) {
  std::unique_lock lock(mutex_);
  rung_.wait_until(lock, deadline, [this] { return ringing_; });
  ringing_ = false;
}

void StreamInbox::OnHead(const HttpHead& head) {
  {
    const std::lock_guard lock(mutex_);
    pending_.head = head;
  }
  doorbell_.Ring();
}

bool StreamInbox::OnBody(std::string_view bytes) {
  bool pause = false;
  {
    const std::lock_guard lock(mutex_);
    pending_.bytes.append(bytes);
    pause = pending_.bytes.size() >= kMaxBuffered;
    pending_.paused = pause;
  }
  doorbell_.Ring();
  return !pause;
}

void StreamInbox::OnEnd(const Result<void>& result) {
  {
    const std::lock_guard lock(mutex_);
    pending_.end = result;
  }
  doorbell_.Ring();
}

bool StreamInbox::Take(Batch& batch) {
  batch.head.reset();
  batch.bytes.clear();
  batch.end.reset();
  batch.paused = false;
  const std::lock_guard lock(mutex_);
  std::swap(batch, pending_);
  return batch.head || !batch.bytes.empty() || batch.end;
}

}  // namespace kube_events
