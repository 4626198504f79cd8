// A receiver of --forward http://… on loopback that acknowledges, remembers what it has acknowledged, and can be away.
// What it does not acknowledge it has not received. Owned by one thread, which may call everything; it serves on a
// thread of its own.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "chaos/receipts.h"

namespace kube_events::chaos {

enum class ReceiverMode {
  kGood,      // acknowledges at once
  kDown,      // refuses connections
  kSilent,    // accepts, reads and never answers
  kSlow,      // acknowledges after a while
  kRefusing,  // answers 503
};
const char* ToString(ReceiverMode mode);

class HttpReceiver {
 public:
  // Listens on a free port, in kGood. `pause`: before an acknowledgement in kSlow.
  explicit HttpReceiver(std::chrono::milliseconds pause = std::chrono::milliseconds{150});
  // Closes all connections.
  ~HttpReceiver();

  // "http://127.0.0.1:40123". Requests tell in a header X-Process: N which process sends them.
  const std::string& Url() const;
  // Requests that are neither acknowledged nor refused yet get no answer any more: their connections are closed.
  // Returns when that is done.
  void SetMode(ReceiverMode mode);
  // What was acknowledged since the last call, in order.
  std::vector<Received> Take();
  // Requests that were no batch of records; one sentence each.
  std::vector<std::string> Faults();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kube_events::chaos
