// One thread that waits for file descriptors and times, and calls whoever waits for them. No handler runs in the middle
// of another one, so nothing that lives on a loop needs a lock.
// Owned by the Supervisor; everything but Stop() is for the thread that calls Run().
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "kube_events/base/clock.h"

namespace kube_events {

class EventLoop {
 public:
  using Handler = std::function<void()>;
  enum class Ready { kToRead, kToWrite };

  EventLoop();
  ~EventLoop();
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;

  // Calls back as long as it exists; may be destroyed within any handler, also its own. Must not outlive the loop.
  class Watch {
   public:
    virtual ~Watch() = default;
  };
  // Calls `handler` whenever `fd`, which must stay open, can be read or written without blocking, or has failed.
  [[nodiscard]] std::unique_ptr<Watch> WatchFd(int fd, Ready ready, Handler handler);

  // One time to be called at. Must not outlive the loop.
  class Timer {
   public:
    virtual ~Timer() = default;
    // Replaces the time that was set before; nothing: never. Calls back once, on the loop.
    virtual void Set(std::optional<MonotonicTime> when) = 0;
    void After(std::chrono::nanoseconds delay) { Set(std::chrono::steady_clock::now() + delay); }
  };
  [[nodiscard]] std::unique_ptr<Timer> MakeTimer(Handler handler);

  // Handles what comes until Stop. Blocks.
  void Run();
  // Ends Run after the handler under way.
  void Stop() { stopped_ = true; }

 private:
  class FdWatch;
  class ClockTimer;
  int TimeoutMs(MonotonicTime now) const;
  void CallDueTimers(MonotonicTime now);

  std::vector<FdWatch*> watches_;
  std::vector<ClockTimer*> timers_;
  bool stopped_ = false;
};

}  // namespace kube_events
