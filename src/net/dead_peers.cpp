#include "net/dead_peers.h"

#include <dlfcn.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cerrno>

namespace {

using Connect = int(int, const sockaddr*, socklen_t);

// A peer that lost its network is noticed within 60 s, whether or not there is anything to be sent to it: tcp(7).
constexpr int kKeepAliveIdleSeconds = 30;
constexpr int kKeepAliveIntervalSeconds = 10;
constexpr int kKeepAliveProbes = 3;
constexpr int kUserTimeoutMilliseconds = 60'000;

void SetOption(int socket, int level, int name, int value) {
  // Without them a dead peer is noticed by the idle timeout, only later; so a failure is no error.
  static_cast<void>(::setsockopt(socket, level, name, &value, sizeof value));
}

void ProbeSilentPeer(int socket) {
  SetOption(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
  SetOption(socket, IPPROTO_TCP, TCP_KEEPIDLE, kKeepAliveIdleSeconds);
  SetOption(socket, IPPROTO_TCP, TCP_KEEPINTVL, kKeepAliveIntervalSeconds);
  SetOption(socket, IPPROTO_TCP, TCP_KEEPCNT, kKeepAliveProbes);
  SetOption(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, kUserTimeoutMilliseconds);
}

}  // namespace

// The HTTP library shows its sockets before they are opened, replaces them when the first of several addresses does not
// answer, and with a proxy shows another kind of object; so no option can be set through it that stays.
extern "C" int connect(int socket, const sockaddr* address, socklen_t size) {
  static auto* const next = reinterpret_cast<Connect*>(::dlsym(RTLD_NEXT, "connect"));
  if (next == nullptr) {
    errno = ENOSYS;
    return -1;
  }
  if (address != nullptr && (address->sa_family == AF_INET || address->sa_family == AF_INET6)) ProbeSilentPeer(socket);
  return next(socket, address, size);
}

namespace kube_events {

void ProbeSilentPeers() {}

}  // namespace kube_events
