// Where the network thread leaves what a response brings and the informer thread picks it up: the only place in the
// informer where the two meet. While the informer works on one batch the next gathers, so a busy stream costs few
// wake-ups. Owned by a ScopeSession; the observer methods belong to the network thread, Take to the informer thread.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <optional>
#include <string>

#include "kube_events/base/clock.h"
#include "kube_events/net/http_client.h"

namespace kube_events {

// Wakes the informer thread. Owned by the Informer, outlives every inbox.
class Doorbell {
 public:
  void Ring();
  // Waits until somebody rang since the last Wait, or until `deadline`.
  void WaitUntil(MonotonicTime deadline);

 private:
  std::mutex mutex_;
  std::condition_variable rung_;
  bool ringing_ = false;
};

class StreamInbox final : public HttpObserver {
 public:
  // Beyond this many bytes not yet taken, reading from the network pauses.
  static constexpr std::size_t kMaxBuffered = std::size_t{8} << 20;

  explicit StreamInbox(Doorbell& doorbell) : doorbell_(doorbell) {}

  void OnHead(const HttpHead& head) override;
  bool OnBody(std::string_view bytes) override;
  void OnEnd(const Result<void>& result) override;

  struct Batch {
    std::optional<HttpHead> head;
    std::string bytes;
    std::optional<Result<void>> end;
    bool paused = false;  // the exchange waits for Resume
  };
  // Moves what has arrived since the last call into `batch`, whose buffer is used again. Returns whether there was
  // anything. Never blocks beyond a short lock.
  bool Take(Batch& batch);

 private:
  Doorbell& doorbell_;
  std::mutex mutex_;  // guards pending_
  Batch pending_;
};

}  // namespace kube_events
