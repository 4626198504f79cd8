// Receivers of --forward that do as little as possible but acknowledge: what is measured against them is the exporter.
// Owned by one thread, which may call everything; each connection has a thread of its own.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

namespace kube_events::chaos {

enum class ReceiverProtocol { kHttp, kForward };

class FastReceiver {
 public:
  // Listens on a free port of 127.0.0.1. Throws std::runtime_error where that is not possible.
  explicit FastReceiver(ReceiverProtocol protocol);
  // Closes all connections.
  ~FastReceiver();
  FastReceiver(const FastReceiver&) = delete;
  FastReceiver& operator=(const FastReceiver&) = delete;

  std::uint16_t port() const { return port_; }
  std::uint64_t batches() const { return batches_; }
  // When the last batch was acknowledged.
  std::chrono::steady_clock::time_point last() const {
    return std::chrono::steady_clock::time_point{std::chrono::steady_clock::duration{last_}};
  }

 private:
  void Accept();
  void Serve(int socket);

  const ReceiverProtocol protocol_;
  const int listener_;
  std::uint16_t port_ = 0;
  std::atomic<std::uint64_t> batches_{0};
  std::atomic<std::chrono::steady_clock::rep> last_{0};
  std::mutex mutex_;  // guards sockets_
  std::vector<int> sockets_;
  std::vector<std::jthread> serving_;  // only the accepting thread adds
  std::jthread accepting_;
};

}  // namespace kube_events::chaos
