// What the relays of tests have in common: one client, where it leads, and the bytes that are carried in between.
// Everything runs on the one thread of the io_context.
#pragma once

#include <utility>  // which Boost.Asio 1.74 uses without including it

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <cstdint>
#include <memory>
#include <string_view>

namespace kube_events {

inline boost::asio::ip::tcp::endpoint Loopback(std::uint16_t port) {
  return {boost::asio::ip::address_v4::loopback(), port};
}

// Lives as long as it carries, or as somebody holds it.
class RelayLink : public std::enable_shared_from_this<RelayLink> {
 public:
  using Socket = boost::asio::ip::tcp::socket;
  using ErrorCode = boost::system::error_code;

  RelayLink(boost::asio::io_context& io, Socket client) : client_(std::move(client)), server_(io) {}
  virtual ~RelayLink() = default;
  RelayLink(const RelayLink&) = delete;
  RelayLink& operator=(const RelayLink&) = delete;

  // Closes both sides.
  void End() {
    ErrorCode ignored;
    client_.close(ignored);
    server_.close(ignored);
  }

 protected:
  ErrorCode Connect(std::uint16_t port) {
    ErrorCode error;
    server_.connect(Loopback(port), error);
    return error;
  }
  // Carries in both directions, until one side ends; then the other one ends too.
  void Carry() {
    Carry(client_, server_, upward_, false);
    Carry(server_, client_, downward_, true);
  }

  // `down`: from the server to the client.
  virtual ErrorCode Pass(Socket& to, std::string_view bytes, bool /*down*/) {
    ErrorCode error;
    boost::asio::write(to, boost::asio::buffer(bytes), error);
    return error;
  }
  // Whether nothing is to be carried any more, nor closed.
  virtual bool Frozen() { return false; }

  Socket client_;
  Socket server_;

 private:
  using Buffer = std::array<char, 65'536>;

  void Carry(Socket& from, Socket& to, Buffer& buffer, bool down) {
    from.async_read_some(boost::asio::buffer(buffer), [this, self = shared_from_this(), &from, &to, &buffer, down](
                                                          ErrorCode error, std::size_t size) {
      if (Frozen()) return;
      if (!error) error = Pass(to, {buffer.data(), size}, down);
      if (error) return End();
      Carry(from, to, buffer, down);
    });
  }

  Buffer upward_{};
  Buffer downward_{};
};

}  // namespace kube_events
