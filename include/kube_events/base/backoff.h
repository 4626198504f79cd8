// The pauses between attempts, with the numbers of client-go's reflector: 0.8 s doubled up to 30 s, each drawn from
// [d, 2d) so that many clients of a restarted API server do not come back at the same moment.
// Owned by one state machine; not for several threads.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <random>

namespace kube_events {

struct BackoffOptions {
  std::chrono::milliseconds initial{800};
  std::chrono::milliseconds max{30'000};
  double factor = 2.0;
  double jitter = 1.0;  // 0: none; 1: up to twice the pause
  // The longest Retry-After that is obeyed, so that no server can park us.
  std::chrono::milliseconds max_floor{60'000};
  std::optional<std::uint64_t> seed = {};  // of the jitter; none: a random one, so that no two wait alike
};

class Backoff {
 public:
  explicit Backoff(BackoffOptions options);

  // The next pause, never below `floor` (a Retry-After), of which at most `max_floor` counts.
  std::chrono::milliseconds Next(std::chrono::milliseconds floor = std::chrono::milliseconds{0});
  // Call after proven success: the next pause is the initial one again.
  void Reset();

 private:
  std::chrono::milliseconds Jittered(std::chrono::milliseconds pause);

  BackoffOptions options_;
  std::chrono::milliseconds current_;
  std::mt19937_64 random_;
};

}  // namespace kube_events
