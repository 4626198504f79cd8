// The sockets of this process, found from outside of those who made them, and what a test does to them.
// Any thread; the sockets must stay open meanwhile.
#pragma once

#include <arpa/inet.h>
#include <linux/filter.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cstdint>
#include <vector>

namespace kube_events {

inline std::uint16_t PortOf(const sockaddr_storage& address) {
  if (address.ss_family == AF_INET) return ntohs(reinterpret_cast<const sockaddr_in&>(address).sin_port);
  if (address.ss_family == AF_INET6) return ntohs(reinterpret_cast<const sockaddr_in6&>(address).sin6_port);
  return 0;
}

inline std::uint16_t LocalPort(int socket) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  return ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size) == 0 ? PortOf(address) : std::uint16_t{0};
}

// All that are connected to `port`, of whatever host.
inline std::vector<int> SocketsTo(std::uint16_t port) {
  std::vector<int> sockets;
  for (int fd = 0; fd < 1024; ++fd) {
    sockaddr_storage peer{};
    socklen_t size = sizeof peer;
    if (::getpeername(fd, reinterpret_cast<sockaddr*>(&peer), &size) == 0 && PortOf(peer) == port) {
      sockets.push_back(fd);
    }
  }
  return sockets;
}

// -1 where it cannot be read.
inline int SocketOption(int socket, int level, int name) {
  int value = -1;
  socklen_t size = sizeof value;
  ::getsockopt(socket, level, name, &value, &size);
  return value;
}

// From now on the kernel drops every packet that comes to it before TCP sees it: nothing is acknowledged any more, as
// when the network between the two ends is gone. False where the kernel does not allow it.
inline bool DropPackets(int socket) {
  sock_filter nothing = BPF_STMT(BPF_RET | BPF_K, 0);
  sock_fprog program{1, &nothing};
  return ::setsockopt(socket, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program) == 0;
}

// Shortens what the kernel waits for a silent peer from a minute to two seconds; leaves alone what is not on.
inline void NoticeDeadPeerSoon(int socket) {
  const auto shorten = [socket](int name, int value) {
    if (SocketOption(socket, IPPROTO_TCP, name) > 0) ::setsockopt(socket, IPPROTO_TCP, name, &value, sizeof value);
  };
  shorten(TCP_KEEPINTVL, 1);
  shorten(TCP_USER_TIMEOUT, 2000);
  shorten(TCP_KEEPIDLE, 1);  // last: it starts the timer again
}

}  // namespace kube_events
