#include "kube_events/base/backoff.h"

#include <algorithm>

namespace kube_events {

Backoff::Backoff(BackoffOptions options)
    : options_(options),
      current_(options.initial),
      random_(options.seed ? *options.seed : std::uint64_t{std::random_device{}()} << 32 | std::random_device{}()) {}

std::chrono::milliseconds Backoff::Next(std::chrono::milliseconds floor) {
  const auto pause = Jittered(current_);
  const auto grown = std::chrono::duration<double, std::milli>(current_) * options_.factor;
  current_ = std::min(options_.max, std::chrono::duration_cast<std::chrono::milliseconds>(grown));
  return std::max(pause, std::min(floor, options_.max_floor));
}

void Backoff::Reset() { current_ = options_.initial; }

std::chrono::milliseconds Backoff::Jittered(std::chrono::milliseconds pause) {
  if (options_.jitter <= 0) return pause;
  const double extra = std::uniform_real_distribution<double>(0, options_.jitter)(random_);
  return pause + std::chrono::duration_cast<std::chrono::milliseconds>(
                     std::chrono::duration<double, std::milli>(pause) * extra);
}

}  // namespace kube_events
