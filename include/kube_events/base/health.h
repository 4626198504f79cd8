// What the process knows about itself: readiness conditions and the heartbeats of its loops.
// Owned by the composition root; producers report, the HTTP server asks. Every method may be called from any thread
// and none blocks beyond a short lock.
#pragma once

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "kube_events/base/clock.h"

namespace kube_events {

// One loop's sign of life. Owned by Health; one thread beats.
class Heartbeat {
 public:
  Heartbeat(const Clock& clock, std::string name, std::chrono::milliseconds max_silence);
  // Call at least once per `max_silence` while the loop makes progress, also when it is idle.
  void Beat();
  // Where the loop has been silent for longer than `max_silence`: a sentence that says so; otherwise empty.
  std::string Complaint() const;

 private:
  const Clock& clock_;
  const std::string name_;
  const std::chrono::milliseconds max_silence_;
  std::atomic<MonotonicTime::rep> last_;
};

class Health {
 public:
  explicit Health(const Clock& clock) : clock_(clock) {}

  // A condition that must hold for readiness, e.g. "scope default". Not ready until the first SetReady.
  void SetReady(const std::string& condition);
  // `reason`: one line that names the condition and what is wrong. A condition that was ready stays so for `grace`
  // counted from the first SetNotReady after SetReady, so that a short reconnect does not flap.
  void SetNotReady(const std::string& condition, std::string reason,
                   std::chrono::milliseconds grace = std::chrono::milliseconds{0});
  // From now on not ready, whatever is reported: the first step of an orderly end.
  void SetShuttingDown();

  // One line per reason; empty: ready. Without any condition the answer is "starting".
  std::vector<std::string> NotReadyReasons() const;

  // Registers a loop; the reference stays valid as long as Health lives.
  Heartbeat& AddLoop(std::string name, std::chrono::milliseconds max_silence);
  // One line per loop that is stuck; empty: alive.
  std::vector<std::string> StuckLoops() const;

 private:
  struct Condition {
    bool ready = false;
    std::string reason;
    MonotonicTime grace_until{};
  };

  const Clock& clock_;
  mutable std::mutex mutex_;  // guards everything below
  std::map<std::string, Condition> conditions_;
  std::vector<std::unique_ptr<Heartbeat>> loops_;
  bool shutting_down_ = false;
};

}  // namespace kube_events
