#include "support/connect_proxy.h"

#include <utility>  // which Boost.Asio 1.74 uses without including it

#include <boost/asio/post.hpp>
#include <boost/asio/read_until.hpp>
#include <mutex>
#include <set>
#include <thread>

#include "support/relay.h"

namespace kube_events {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

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

class ConnectProxy::Impl::Link : public RelayLink {
 public:
  Link(Impl& proxy, tcp::socket client) : RelayLink(proxy.io, std::move(client)), proxy_(proxy) {
    proxy_.links.insert(this);
  }
  ~Link() override { proxy_.links.erase(this); }

  void Start() {
    asio::async_read_until(client_, asio::dynamic_buffer(head_), "\r\n\r\n",
                           [this, self = shared_from_this()](error_code error, std::size_t) {
                             if (!error) OnRequest();
                           });
  }

 private:
  void OnRequest() {
    {
      const std::lock_guard lock(proxy_.mutex);
      proxy_.requests.push_back(head_);
    }
    const bool carried = proxy_.target != 0 && !Connect(proxy_.target);
    const std::string answer = carried ? "HTTP/1.1 200 Connection established\r\n\r\n" : proxy_.refusal;
    error_code error;
    asio::write(client_, asio::buffer(answer), error);
    if (carried && !error) Carry();
  }

  Impl& proxy_;
  std::string head_;
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
    for (Impl::Link* link : impl->links) link->End();
  });
}

}  // namespace kube_events
