#include "chaos/fast_receiver.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace kube_events::chaos {
namespace {

struct Gone {};  // the client is

class Input {
 public:
  explicit Input(int socket) : socket_(socket) {}

  std::uint8_t Byte() {
    if (at_ == end_) Fill();
    return static_cast<std::uint8_t>(buffer_[at_++]);
  }

  void Skip(std::uint64_t bytes) {
    while (bytes > 0) {
      if (at_ == end_) Fill();
      const auto some = static_cast<std::size_t>(std::min<std::uint64_t>(bytes, end_ - at_));
      at_ += some;
      bytes -= some;
    }
  }

  std::uint64_t Number(int bytes) {  // big-endian
    std::uint64_t number = 0;
    for (int i = 0; i < bytes; ++i) number = number << 8 | Byte();
    return number;
  }

  std::string Text(std::uint64_t bytes) {
    std::string text;
    for (std::uint64_t i = 0; i < bytes; ++i) text += static_cast<char>(Byte());
    return text;
  }

 private:
  void Fill() {
    const ssize_t size = ::recv(socket_, buffer_.data(), buffer_.size(), 0);
    if (size <= 0) throw Gone{};
    at_ = 0;
    end_ = static_cast<std::size_t>(size);
  }

  const int socket_;
  std::array<char, 256 * 1024> buffer_;
  std::size_t at_ = 0;
  std::size_t end_ = 0;
};

// MessagePack: how long a text or binary is that begins with `type`; nothing where it is something else.
std::optional<std::uint64_t> LengthOf(Input& in, std::uint8_t type) {
  if (type >= 0xa0 && type <= 0xbf) return type - 0xa0U;
  if (type >= 0xc4 && type <= 0xc6) return in.Number(1 << (type - 0xc4));
  if (type >= 0xd9 && type <= 0xdb) return in.Number(1 << (type - 0xd9));
  return std::nullopt;
}

void SkipValue(Input& in) {
  const std::uint8_t type = in.Byte();
  if (const auto length = LengthOf(in, type)) return in.Skip(*length);
  if (type <= 0x7f || type >= 0xe0 || (type >= 0xc0 && type <= 0xc3)) return;        // small numbers, nil, booleans
  if (type >= 0xcc && type <= 0xd3) return in.Skip(std::uint64_t{1} << (type % 4));  // numbers
  throw std::runtime_error("unexpected in options: " + std::to_string(type));
}

// One batch; what acknowledges it.
std::string ReadForward(Input& in) {
  if (in.Byte() != 0x93) throw std::runtime_error("no message of a tag, entries and options");
  SkipValue(in);
  SkipValue(in);
  const unsigned options = in.Byte() - 0x80U;
  std::string chunk;
  for (unsigned i = 0; i < options; ++i) {
    const auto name = in.Text(LengthOf(in, in.Byte()).value());
    if (name != "chunk") {
      SkipValue(in);
      continue;
    }
    chunk = in.Text(LengthOf(in, in.Byte()).value());
  }
  return std::string("\x81\xa3") + "ack" + '\xd9' + static_cast<char>(chunk.size()) + chunk;
}

std::string ReadHttp(Input& in) {
  std::uint64_t length = 0;
  for (std::string line = "x"; !line.empty();) {
    line.clear();
    for (char c = static_cast<char>(in.Byte()); c != '\n'; c = static_cast<char>(in.Byte())) {
      if (c != '\r') line += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    constexpr std::string_view kLength = "content-length:";
    if (line.starts_with(kLength)) length = std::strtoull(line.c_str() + kLength.size(), nullptr, 10);
  }
  in.Skip(length);
  return "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
}

int Listen() {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (socket < 0 || ::bind(socket, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(socket, 16) != 0) {
    throw std::runtime_error("cannot listen on loopback");
  }
  return socket;
}

std::uint16_t PortOf(int socket) {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size);
  return ntohs(address.sin_port);
}

}  // namespace

FastReceiver::FastReceiver(ReceiverProtocol protocol)
    : protocol_(protocol), listener_(Listen()), port_(PortOf(listener_)) {
  accepting_ = std::jthread([this] { Accept(); });
}

FastReceiver::~FastReceiver() {
  ::shutdown(listener_, SHUT_RDWR);
  accepting_.join();
  {
    const std::lock_guard lock(mutex_);
    for (const int socket : sockets_) ::shutdown(socket, SHUT_RDWR);
  }
  serving_.clear();
  for (const int socket : sockets_) ::close(socket);
  ::close(listener_);
}

void FastReceiver::Accept() {
  while (true) {
    const int socket = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (socket < 0) return;
    const std::lock_guard lock(mutex_);
    sockets_.push_back(socket);
    serving_.emplace_back([this, socket] { Serve(socket); });
  }
}

void FastReceiver::Serve(int socket) {
  const auto input = std::make_unique<Input>(socket);
  try {
    while (true) {
      const std::string answer = protocol_ == ReceiverProtocol::kHttp ? ReadHttp(*input) : ReadForward(*input);
      ++batches_;
      last_ = std::chrono::steady_clock::now().time_since_epoch().count();
      if (::send(socket, answer.data(), answer.size(), MSG_NOSIGNAL) < 0) return;
    }
  } catch (const Gone&) {
  } catch (const std::exception& error) {
    // The exporter then waits in vain, which ends the measurement.
    std::fprintf(stderr, "fast receiver: %s\n", error.what());
  }
}

}  // namespace kube_events::chaos
