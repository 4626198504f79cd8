// Stands between the network thread, which calls an observer, and the owner of an exchange, who may end that at any
// moment. Call: network thread; Close: any thread.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

#include "kube_events/base/function_ref.h"
#include "kube_events/net/http_client.h"

namespace kube_events {

class ObserverGate {
 public:
  explicit ObserverGate(HttpObserver& observer) : observer_(&observer) {}

  // Runs `call` with the observer, without a lock held; false where the gate is closed. The observer must not throw:
  // there is nobody on the network thread who could handle it.
  bool Call(FunctionRef<void(HttpObserver&)> call) noexcept;

  // No call starts afterwards. Waits for a call in progress, unless it is made from within that call.
  void Close();
  bool closed() const;

 private:
  HttpObserver* const observer_;
  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable call_ended_;
  std::thread::id caller_;  // the thread of the call in progress
  bool closed_ = false;
};

}  // namespace kube_events
