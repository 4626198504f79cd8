#include "kube_events/supervisor/event_loop.h"

#include <poll.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace kube_events {

class EventLoop::FdWatch final : public EventLoop::Watch {
 public:
  FdWatch(EventLoop& loop, int fd, Ready ready, Handler handler)
      : loop_(loop), fd_(fd), events_(ready == Ready::kToRead ? POLLIN : POLLOUT), handler_(std::move(handler)) {
    loop_.watches_.push_back(this);
  }
  ~FdWatch() override { std::erase(loop_.watches_, this); }

  pollfd Poll() const { return {fd_, events_, 0}; }
  // A copy, since the handler may destroy its watch.
  Handler TakeCall() const { return handler_; }

 private:
  EventLoop& loop_;
  const int fd_;
  const short events_;
  const Handler handler_;
};

class EventLoop::ClockTimer final : public EventLoop::Timer {
 public:
  ClockTimer(EventLoop& loop, Handler handler) : loop_(loop), handler_(std::move(handler)) {
    loop_.timers_.push_back(this);
  }
  ~ClockTimer() override { std::erase(loop_.timers_, this); }

  void Set(std::optional<MonotonicTime> when) override { when_ = when; }
  std::optional<MonotonicTime> When() const { return when_; }
  Handler TakeCall() {
    when_.reset();
    return handler_;
  }

 private:
  EventLoop& loop_;
  const Handler handler_;
  std::optional<MonotonicTime> when_;
};

EventLoop::EventLoop() = default;
EventLoop::~EventLoop() = default;

std::unique_ptr<EventLoop::Watch> EventLoop::WatchFd(int fd, Ready ready, Handler handler) {
  return std::make_unique<FdWatch>(*this, fd, ready, std::move(handler));
}

std::unique_ptr<EventLoop::Timer> EventLoop::MakeTimer(Handler handler) {
  return std::make_unique<ClockTimer>(*this, std::move(handler));
}

int EventLoop::TimeoutMs(MonotonicTime now) const {
  std::optional<MonotonicTime> next;
  for (const ClockTimer* timer : timers_) {
    if (timer->When() && (!next || *timer->When() < *next)) next = timer->When();
  }
  if (!next) return -1;
  // Rounded up, so that the loop does not spin through the last millisecond.
  const auto wait = std::chrono::ceil<std::chrono::milliseconds>(*next - now).count();
  return static_cast<int>(std::clamp<std::int64_t>(wait, 0, std::numeric_limits<int>::max()));
}

void EventLoop::CallDueTimers(MonotonicTime now) {
  std::vector<std::pair<MonotonicTime, ClockTimer*>> due;
  for (ClockTimer* timer : timers_) {
    if (timer->When() && *timer->When() <= now) due.emplace_back(*timer->When(), timer);
  }
  std::stable_sort(due.begin(), due.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& [when, timer] : due) {
    // One called before may have destroyed it.
    if (std::find(timers_.begin(), timers_.end(), timer) == timers_.end()) continue;
    if (!stopped_ && timer->When() && *timer->When() <= now) timer->TakeCall()();
  }
}

void EventLoop::Run() {
  stopped_ = false;
  while (!stopped_) {
    const std::vector<FdWatch*> watches = watches_;
    std::vector<pollfd> fds;
    for (const FdWatch* watch : watches) fds.push_back(watch->Poll());
    poll(fds.data(), fds.size(), TimeoutMs(std::chrono::steady_clock::now()));
    for (std::size_t i = 0; i < watches.size() && !stopped_; ++i) {
      if (fds[i].revents == 0) continue;
      if (std::find(watches_.begin(), watches_.end(), watches[i]) == watches_.end()) continue;
      watches[i]->TakeCall()();
    }
    CallDueTimers(std::chrono::steady_clock::now());
  }
}

}  // namespace kube_events
