#include "stub_fluent_bit/stub_http.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cstdint>
#include <sstream>

namespace stub {
namespace {

std::string ReadRequest(int client) {
  const timeval patience{1, 0};
  setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  std::string text;
  char buffer[2048];
  while (text.find("\r\n\r\n") == std::string::npos) {
    const ssize_t size = recv(client, buffer, sizeof buffer, 0);
    if (size <= 0) return {};
    text.append(buffer, static_cast<std::size_t>(size));
  }
  return text;
}

Request Parse(const std::string& text) {
  Request request;
  std::istringstream(text) >> request.method >> request.path;
  const auto length = text.find("Content-Length: ");
  request.has_body = length != std::string::npos && text[length + 16] != '0';
  return request;
}

}  // namespace

bool Http::Open(int port) {
  Close();
  fd_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int on = 1;
  setsockopt(fd_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (bind(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 || listen(fd_, 16) != 0) {
    Close();
    return false;
  }
  port_ = port;
  return true;
}

void Http::Close() {
  if (fd_ >= 0) close(fd_);
  for (const int client : unanswered_) close(client);
  unanswered_.clear();
  fd_ = -1;
}

void Http::Serve() {
  const int client = accept4(fd_, nullptr, nullptr, SOCK_CLOEXEC);
  if (client < 0) return;
  const std::string text = ReadRequest(client);
  const Reply reply = text.empty() ? Reply{} : handler_(Parse(text));
  if (reply.none) {
    unanswered_.push_back(client);
    return;
  }
  const std::string answer =
      "HTTP/1.1 " + std::to_string(reply.status) +
      " Stub\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(reply.body.size()) +
      "\r\nConnection: close\r\n\r\n" + reply.body;
  if (!text.empty()) send(client, answer.data(), answer.size(), MSG_NOSIGNAL);
  // What was sent must not be overtaken by a reset, which unread data would bring.
  shutdown(client, SHUT_WR);
  char rest[256];
  while (recv(client, rest, sizeof rest, 0) > 0) {
  }
  close(client);
}

}  // namespace stub
