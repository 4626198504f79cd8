// Which of several receivers to use: the first that works. One that failed is tried again later, at growing distances,
// and the batches return to a preferred one that works again.
// Owned by a sink; its delivery thread only.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <vector>

#include "kube_events/base/backoff.h"
#include "kube_events/base/clock.h"

namespace kube_events {

class ServerChoice {
 public:
  // Between two attempts at a receiver that failed, while another one works; stretched by up to a fifth at random.
  static constexpr std::chrono::seconds kFirstPause{10};
  static constexpr std::chrono::seconds kLongestPause{300};

  // Servers are numbered from 0, the most preferred. `clock` must outlive this object.
  ServerChoice(std::size_t servers, const Clock& clock);

  // In which order to try them all: by preference, but those that failed lately last, the earliest due first.
  std::vector<std::size_t> Order() const;
  // The most preferred one before `current` that failed and whose pause is over; nothing where there is none.
  std::optional<std::size_t> BetterThan(std::size_t current) const;
  // No batch could be handed to it.
  void Failed(std::size_t server);
  // A batch was acknowledged by it.
  void Worked(std::size_t server);

 private:
  struct State {
    Backoff backoff;
    MonotonicTime due = {};  // not before then, unless all others fail too
  };
  bool IsDue(std::size_t server) const { return states_[server].due <= clock_.Monotonic(); }

  const Clock& clock_;
  std::vector<State> states_;
};

}  // namespace kube_events
