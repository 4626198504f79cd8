// SIGTERM and SIGINT as something to wait for, so that no handler runs in the middle of other code, and as a promise
// that the process then ends in time; SIGHUP as something to be told of.
#pragma once

#include <chrono>
#include <condition_variable>
#include <csignal>
#include <functional>
#include <mutex>
#include <thread>

namespace kube_events {

// Owned by main, before anything else: threads that were started earlier would still be interrupted.
class Termination {
 public:
  // Blocks the signals for this thread and all that are started later, and ignores SIGPIPE. From the first signal to
  // end on the process has `grace` to end by itself; then, or at a second one, it exits with 1, whatever its threads
  // are stuck in: a write to a log that nobody reads, a file system that hangs. SIGHUP does nothing without OnHangup.
  explicit Termination(std::chrono::milliseconds grace);
  // The process is ending by itself, or does not want to end in time.
  ~Termination();
  Termination(const Termination&) = delete;
  Termination& operator=(const Termination&) = delete;

  // Blocks until a signal to end has come.
  void Wait();
  // More time to end, where there is something to flush.
  void SetGrace(std::chrono::milliseconds grace);
  // `reopen` is called at each SIGHUP, on the thread of this object; must not block. An empty one: not any more, and no
  // call is under way.
  void OnHangup(std::function<void()> reopen);

 private:
  void Watch();
  bool AwaitEnd();

  sigset_t signals_{};
  std::mutex mutex_;  // guards what follows
  std::condition_variable came_;
  bool has_come_ = false;
  bool over_ = false;
  std::chrono::milliseconds grace_;
  std::mutex hangup_mutex_;  // guards hangup_, also while it is called
  std::function<void()> hangup_;
  std::thread thread_;  // last: it uses the others
};

// Has the effect of SIGTERM: the way for a loop that failed to end the process in good order. Any thread.
void RequestTermination();

}  // namespace kube_events
