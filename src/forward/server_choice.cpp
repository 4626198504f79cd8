#include "forward/server_choice.h"

#include <algorithm>
#include <numeric>

namespace kube_events {

ServerChoice::ServerChoice(std::size_t servers, const Clock& clock) : clock_(clock) {
  for (std::size_t i = 0; i < servers; ++i) {
    states_.push_back({Backoff({.initial = kFirstPause, .max = kLongestPause, .jitter = 0.2})});
  }
}

std::vector<std::size_t> ServerChoice::Order() const {
  std::vector<std::size_t> order(states_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto waiting = std::stable_partition(order.begin(), order.end(), [this](std::size_t i) { return IsDue(i); });
  std::stable_sort(waiting, order.end(),
                   [this](std::size_t a, std::size_t b) { return states_[a].due < states_[b].due; });
  return order;
}

std::optional<std::size_t> ServerChoice::BetterThan(std::size_t current) const {
  for (std::size_t i = 0; i < current; ++i) {
    if (IsDue(i)) return i;
  }
  return std::nullopt;
}

void ServerChoice::Failed(std::size_t server) {
  State& state = states_[server];
  state.due = clock_.Monotonic() + state.backoff.Next();
}

void ServerChoice::Worked(std::size_t server) {
  states_[server].backoff.Reset();
  states_[server].due = {};
}

}  // namespace kube_events
