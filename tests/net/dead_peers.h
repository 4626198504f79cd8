// What every connection of the HTTP client has to have: the kernel looks after its peer. Any thread.
#pragma once

#include <gtest/gtest.h>

#include "support/sockets.h"

namespace kube_events {

inline void ExpectProbed(int socket) {
  EXPECT_EQ(SocketOption(socket, SOL_SOCKET, SO_KEEPALIVE), 1);
  EXPECT_EQ(SocketOption(socket, IPPROTO_TCP, TCP_KEEPIDLE), 30);
  EXPECT_EQ(SocketOption(socket, IPPROTO_TCP, TCP_KEEPINTVL), 10);
  EXPECT_EQ(SocketOption(socket, IPPROTO_TCP, TCP_KEEPCNT), 3);
  EXPECT_EQ(SocketOption(socket, IPPROTO_TCP, TCP_USER_TIMEOUT), 60'000);
}

// All connections of this process to `port`, of which there must be `count`.
inline void ExpectProbed(std::uint16_t port, std::size_t count) {
  const auto sockets = SocketsTo(port);
  EXPECT_EQ(sockets.size(), count);
  for (const int socket : sockets) ExpectProbed(socket);
}

}  // namespace kube_events
