// An http proxy on loopback that carries connections asked for with CONNECT to wherever a test wants. Link
// kube_events::scripted_server.
// Owned by a test. The destructor breaks the connections.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace kube_events {

class ConnectProxy {
 public:
  // Listens on a free port of 127.0.0.1. Whatever is asked for, connections lead to `port` of 127.0.0.1; 0: CONNECT is
  // refused with `refusal`, a whole response.
  explicit ConnectProxy(std::uint16_t port, std::string refusal = {});
  ~ConnectProxy();
  ConnectProxy(const ConnectProxy&) = delete;
  ConnectProxy& operator=(const ConnectProxy&) = delete;

  std::uint16_t port() const;
  // The heads of all CONNECT requests so far, in order.
  std::vector<std::string> requests() const;
  // Breaks the connections that are being carried.
  void Break();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kube_events
