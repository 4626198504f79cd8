// SIGTERM and SIGINT as something to wait for, so that no handler runs in the middle of other code, and as a promise
// that the process then ends in time.
#pragma once

#include <chrono>
#include <condition_variable>
#include <csignal>
#include <mutex>
#include <thread>

namespace kube_events {

// Owned by main, before anything else: threads that were started earlier would still be interrupted.
class Termination {
 public:
  // Blocks both signals for this thread and all that are started later, and ignores SIGPIPE. From the first signal on
  // the process has `grace` to end by itself; then, or at a second signal, it exits with 1, whatever its threads are
  // stuck in: a write to a log that nobody reads, a file system that hangs.
  explicit Termination(std::chrono::milliseconds grace);
  // The process is ending by itself, or does not want to end in time.
  ~Termination();
  Termination(const Termination&) = delete;
  Termination& operator=(const Termination&) = delete;

  // Blocks until one of the signals has come.
  void Wait();

 private:
  void Watch(std::chrono::milliseconds grace);

  sigset_t signals_{};
  std::mutex mutex_;  // guards what follows
  std::condition_variable came_;
  bool has_come_ = false;
  bool over_ = false;
  std::thread thread_;  // last: it uses the others
};

// Has the effect of SIGTERM: the way for a loop that failed to end the process in good order. Any thread.
void RequestTermination();

}  // namespace kube_events
