#include "serve/raw_client.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace kube_events {
namespace {

constexpr int kDeadlineMs = 10'000;

bool IsIpv6(const std::string& host) { return host.find(':') != std::string::npos; }

void Connect(int fd, const std::string& host, std::uint16_t port) {
  sockaddr_storage storage{};
  socklen_t size = 0;
  if (IsIpv6(host)) {
    auto* address = reinterpret_cast<sockaddr_in6*>(&storage);
    address->sin6_family = AF_INET6;
    address->sin6_port = htons(port);
    inet_pton(AF_INET6, host.c_str(), &address->sin6_addr);
    size = sizeof *address;
  } else {
    auto* address = reinterpret_cast<sockaddr_in*>(&storage);
    address->sin_family = AF_INET;
    address->sin_port = htons(port);
    inet_pton(AF_INET, host.c_str(), &address->sin_addr);
    size = sizeof *address;
  }
  if (connect(fd, reinterpret_cast<sockaddr*>(&storage), size) != 0) {
    throw std::runtime_error("cannot connect to " + host + ": " + std::strerror(errno));
  }
}

}  // namespace

std::string RawResponse::Header(std::string_view name) const {
  const auto begin = head.find("\r\n" + std::string(name) + ": ");
  if (begin == std::string::npos) return {};
  const auto value = begin + 2 + name.size() + 2;
  return head.substr(value, head.find("\r\n", value) - value);
}

RawClient::RawClient(std::uint16_t port, const std::string& host)
    : fd_(socket(IsIpv6(host) ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  if (fd_ < 0) throw std::runtime_error(std::string("cannot make a socket: ") + std::strerror(errno));
  Connect(fd_, host, port);
}

RawClient::~RawClient() {
  if (fd_ >= 0) close(fd_);
}

RawClient::RawClient(RawClient&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), received_(std::move(other.received_)) {}

bool RawClient::Send(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto sent = send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

bool RawClient::AwaitReadable(int milliseconds) const {
  pollfd entry{fd_, POLLIN, 0};
  return poll(&entry, 1, milliseconds) > 0;
}

bool RawClient::ReceiveMore() {
  if (!AwaitReadable(kDeadlineMs)) return false;
  char buffer[64 * 1024];
  const auto size = recv(fd_, buffer, sizeof buffer, 0);
  if (size <= 0) return false;
  received_.append(buffer, static_cast<std::size_t>(size));
  return true;
}

RawResponse RawClient::Receive(bool has_body) {
  std::size_t head_end = 0;
  while ((head_end = received_.find("\r\n\r\n")) == std::string::npos) {
    if (!ReceiveMore()) return {};
  }
  RawResponse response;
  response.head = received_.substr(0, head_end + 2);
  response.status = std::stoi(response.head.substr(response.head.find(' ')));
  received_.erase(0, head_end + 4);
  const std::string length = response.Header("Content-Length");
  const std::size_t size = has_body && !length.empty() ? std::stoul(length) : 0;
  while (received_.size() < size) {
    if (!ReceiveMore()) return {};
  }
  response.body = received_.substr(0, size);
  received_.erase(0, size);
  return response;
}

RawResponse RawClient::Get(const std::string& target, const std::string& header_lines) {
  if (!Send("GET " + target + " HTTP/1.1\r\nHost: test\r\n" + header_lines + "\r\n")) return {};
  return Receive();
}

bool RawClient::ClosedWithin(int milliseconds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(milliseconds);
  char buffer[64 * 1024];
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now()).count();
    if (!AwaitReadable(static_cast<int>(std::max<long>(left, 0)))) return false;
    if (recv(fd_, buffer, sizeof buffer, 0) <= 0) return true;
  }
}

bool RawClient::AwaitClosed() { return ClosedWithin(kDeadlineMs); }

void RawClient::Reset() {
  const linger abort{1, 0};
  setsockopt(fd_, SOL_SOCKET, SO_LINGER, &abort, sizeof abort);
  close(std::exchange(fd_, -1));
}

}  // namespace kube_events
