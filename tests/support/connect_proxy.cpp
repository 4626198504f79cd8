#include "support/connect_proxy.h"

#include <utility>  // which Boost.Asio 1.74 uses without including it

#include <array>
#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>
#include <mutex>
#include <set>
#include <thread>

namespace kube_events {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

tcp::endpoint Loopback(std::uint16_t port) { return {asio::ip::address_v4::loopback(), port}; }

}  // namespace

// All of it runs on one thread, but for what the mutex guards.
struct ConnectProxy::Impl {
  class Link;

  Impl(std::uint16_t to, std::string refused) : target(to), refusal(std::move(refused)) {
    Accept();
    thread = std::jthread([this] { io.run(); });
  }
  ~Impl() { io.stop(); }

  void Accept();

  const std::uint16_t target;
  const std::string refusal;
  std::set<Link*> links;  // before io: its handlers own the links, which leave this set at their end
  asio::io_context io{1};
  tcp::acceptor acceptor{io, Loopback(0)};
  std::mutex mutex;  // guards requests
  std::vector<std::string> requests;
  std::jthread thread;
};

// One client and where it leads.
class ConnectProxy::Impl::Link : public std::enable_shared_from_this<Link> {
 public:
  Link(Impl& proxy, tcp::socket client) : proxy_(proxy), client_(std::move(client)), server_(proxy.io) {
    proxy_.links.insert(this);
  }
  ~Link() { proxy_.links.erase(this); }

  void Start() {
    asio::async_read_until(client_, asio::dynamic_buffer(head_), "\r\n\r\n",
                           [self = shared_from_this()](error_code error, std::size_t) {
                             if (!error) self->OnRequest();
                           });
  }

  void Break() {
    error_code ignored;
    client_.close(ignored);
    server_.close(ignored);
  }

 private:
  void OnRequest() {
    {
      const std::lock_guard lock(proxy_.mutex);
      proxy_.requests.push_back(head_);
    }
    const bool carried = proxy_.target != 0;
    error_code error;
    if (carried) server_.connect(Loopback(proxy_.target), error);
    const std::string answer = carried ? "HTTP/1.1 200 Connection established\r\n\r\n" : proxy_.refusal;
    asio::write(client_, asio::buffer(answer), error);
    if (!carried || error) return;
    Carry(client_, server_, upward_);
    Carry(server_, client_, downward_);
  }

  using Buffer = std::array<char, 16384>;

  void Carry(tcp::socket& from, tcp::socket& to, Buffer& buffer) {
    from.async_read_some(asio::buffer(buffer),
                         [this, self = shared_from_this(), &from, &to, &buffer](error_code error, std::size_t size) {
                           if (!error) asio::write(to, asio::buffer(buffer, size), error);
                           if (error) return Break();
                           Carry(from, to, buffer);
                         });
  }

  Impl& proxy_;
  tcp::socket client_;
  tcp::socket server_;
  std::string head_;
  Buffer upward_{};
  Buffer downward_{};
};

void ConnectProxy::Impl::Accept() {
  acceptor.async_accept([this](error_code error, tcp::socket socket) {
    if (error) return;
    std::make_shared<Link>(*this, std::move(socket))->Start();
    Accept();
  });
}

ConnectProxy::ConnectProxy(std::uint16_t port, std::string refusal)
    : impl_(std::make_unique<Impl>(port, std::move(refusal))) {}
ConnectProxy::~ConnectProxy() = default;

std::uint16_t ConnectProxy::port() const { return impl_->acceptor.local_endpoint().port(); }

std::vector<std::string> ConnectProxy::requests() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->requests;
}

void ConnectProxy::Break() {
  asio::post(impl_->io, [impl = impl_.get()] {
    for (Impl::Link* link : impl->links) link->Break();
  });
}

}  // namespace kube_events
