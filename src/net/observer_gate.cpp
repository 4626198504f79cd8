#include "net/observer_gate.h"

namespace kube_events {

bool ObserverGate::Call(FunctionRef<void(HttpObserver&)> call) noexcept {
  {
    const std::lock_guard lock(mutex_);
    if (closed_) return false;
    caller_ = std::this_thread::get_id();
  }
  call(*observer_);
  const std::lock_guard lock(mutex_);
  caller_ = {};
  call_ended_.notify_all();
  return true;
}

void ObserverGate::Close() {
  std::unique_lock lock(mutex_);
  closed_ = true;
  if (caller_ == std::this_thread::get_id()) return;
  call_ended_.wait(lock, [this] { return caller_ == std::thread::id{}; });
}

bool ObserverGate::closed() const {
  const std::lock_guard lock(mutex_);
  return closed_;
}

}  // namespace kube_events
