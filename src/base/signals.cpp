#include "kube_events/base/signals.h"

#include <pthread.h>
#include <unistd.h>

#include <cstdlib>
#include <utility>

namespace kube_events {

Termination::Termination(std::chrono::milliseconds grace) : grace_(grace) {
  sigemptyset(&signals_);
  for (const int number : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&signals_, number);
  pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  thread_ = std::thread([this] { Watch(); });
}

Termination::~Termination() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  pthread_kill(thread_.native_handle(), SIGINT);  // ends its waiting
  thread_.join();
}

void Termination::Wait() {
  std::unique_lock lock(mutex_);
  came_.wait(lock, [this] { return has_come_; });
}

void Termination::SetGrace(std::chrono::milliseconds grace) {
  const std::lock_guard lock(mutex_);
  grace_ = grace;
}

void Termination::OnHangup(std::function<void()> reopen) {
  const std::lock_guard lock(hangup_mutex_);
  hangup_ = std::move(reopen);
}

// Whether a signal to end has come, rather than the end of this object.
bool Termination::AwaitEnd() {
  while (true) {
    int number = 0;
    if (sigwait(&signals_, &number) != 0) continue;
    if (number == SIGHUP) {
      const std::lock_guard lock(hangup_mutex_);
      if (hangup_) hangup_();
      continue;
    }
    const std::lock_guard lock(mutex_);
    if (over_) return false;
    has_come_ = true;
    came_.notify_all();
    return true;
  }
}

void Termination::Watch() {
  if (!AwaitEnd()) return;
  sigdelset(&signals_, SIGHUP);  // stays blocked
  std::chrono::milliseconds grace{0};
  {
    const std::lock_guard lock(mutex_);
    grace = grace_;
  }
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(grace);
  const std::chrono::nanoseconds rest = grace - seconds;
  const timespec patience{static_cast<std::time_t>(seconds.count()), static_cast<long>(rest.count())};
  sigtimedwait(&signals_, nullptr, &patience);
  const std::lock_guard lock(mutex_);
  if (!over_) std::_Exit(1);
}

void RequestTermination() { kill(getpid(), SIGTERM); }

}  // namespace kube_events
