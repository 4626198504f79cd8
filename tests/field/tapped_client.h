// An HttpClient that notes what passes through it: which requests were made, and whether an answer is still awaited.
// Owned by a test; may be asked from any thread.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "kube_events/net/http_client.h"

namespace kube_events::field {

class TappedClient final : public HttpClient {
 public:
  // `inner` must outlive it.
  explicit TappedClient(HttpClient& inner) : inner_(inner) {}

  std::unique_ptr<HttpExchange> Start(HttpRequest request, HttpObserver& observer) override;

  // Targets of all requests so far, in order.
  std::vector<std::string> targets() const;
  // Requests under way whose answer is not complete (a list) or has not begun (a watch).
  int pending() const { return pending_; }
  // Watches that were granted and have not ended.
  int watching() const { return watching_; }

 private:
  class Tap;

  HttpClient& inner_;
  std::atomic<int> pending_{0};
  std::atomic<int> watching_{0};
  mutable std::mutex mutex_;  // guards targets_
  std::vector<std::string> targets_;
};

}  // namespace kube_events::field
