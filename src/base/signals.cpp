#include "kube_events/base/signals.h"

#include <pthread.h>
#include <unistd.h>

#include <cstdlib>

namespace kube_events {

Termination::Termination(std::chrono::milliseconds grace) {
  sigemptyset(&signals_);
  sigaddset(&signals_, SIGTERM);
  sigaddset(&signals_, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  thread_ = std::thread([this, grace] { Watch(grace); });
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

void Termination::Watch(std::chrono::milliseconds grace) {
  int number = 0;
  while (sigwait(&signals_, &number) != 0) {
  }
  {
    const std::lock_guard lock(mutex_);
    if (over_) return;
    has_come_ = true;
    came_.notify_all();
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
