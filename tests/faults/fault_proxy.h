// A relay on loopback that does to connections what no well-behaved server does.
// Owned by a test; methods may be called from its thread. One thread of its own carries the bytes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace kube_events {

class FaultProxy {
 public:
  // Carries connections to a free port of 127.0.0.1 on to `port` there.
  explicit FaultProxy(std::uint16_t port);
  ~FaultProxy();
  FaultProxy(const FaultProxy&) = delete;
  FaultProxy& operator=(const FaultProxy&) = delete;

  // "http://127.0.0.1:PORT".
  std::string Url() const;
  std::uint16_t Port() const;

  // From now on new connections are accepted, and nothing more happens to them until Heal.
  void Ignore();
  // Connections are refused until Heal: nobody listens.
  void Refuse();
  // The present connections carry nothing any more, in either direction, and stay open: the peer hangs, and its kernel
  // still answers.
  void Freeze();
  // The same, and nothing that the clients of the present connections send is acknowledged: the network is gone.
  void DropPackets();
  // What the server sends arrives in pieces of so many bytes; 0: as it comes.
  void Split(std::size_t bytes);
  // After so many more bytes from the server its connection is reset; what comes before is carried.
  void ResetAfter(std::size_t bytes);
  // Back to normal for new connections.
  void Heal();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kube_events
