// Waits until changes have come to rest, but not for ever. Pure; a value of its owner's thread.
#pragma once

#include <algorithm>
#include <chrono>
#include <optional>

#include "kube_events/base/clock.h"

namespace kube_events {

class Debouncer {
 public:
  // `quiet`: this long without a change, 0 or more; `longest`: but at most this long after the first one.
  Debouncer(std::chrono::milliseconds quiet, std::chrono::milliseconds longest)
      : quiet_(quiet), longest_(std::max(quiet, longest)) {}

  void OnChange(MonotonicTime now) {
    if (!first_) first_ = now;
    last_ = now;
  }

  // When the changes are due to be looked at; nothing: there are none.
  std::optional<MonotonicTime> Due() const {
    if (!first_) return std::nullopt;
    return std::min(last_ + quiet_, *first_ + longest_);
  }

  // Whether they are due now. If so they count as looked at.
  bool Take(MonotonicTime now) {
    if (!first_ || now < *Due()) return false;
    first_.reset();
    return true;
  }

 private:
  const std::chrono::milliseconds quiet_;
  const std::chrono::milliseconds longest_;
  std::optional<MonotonicTime> first_;
  MonotonicTime last_{};
};

}  // namespace kube_events
