#include "faults/fault_proxy.h"

#include <gtest/gtest.h>

#include <utility>  // which Boost.Asio 1.74 uses without including it

#include <algorithm>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <future>
#include <optional>
#include <set>
#include <thread>

#include "support/relay.h"
#include "support/sockets.h"

namespace kube_events {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

}  // namespace

// All of it lives on one thread.
struct FaultProxy::Impl {
  class Link;

  explicit Impl(std::uint16_t to) : target(to), port(Listen(0)) {
    thread = std::jthread([this] { io.run(); });
  }
  ~Impl() { io.stop(); }

  std::uint16_t Listen(std::uint16_t wanted) {
    acceptor.emplace(io, Loopback(wanted));
    Accept();
    return acceptor->local_endpoint().port();
  }
  void Accept();
  // Runs it on the thread and waits for it.
  template <typename Task>
  void Do(Task task) {
    std::promise<void> done;
    asio::post(io, [&] {
      task();
      done.set_value();
    });
    done.get_future().wait();
  }

  const std::uint16_t target;
  std::set<Link*> links;  // before io: its handlers own the links, which leave this set at their end
  asio::io_context io{1};
  // It goes on also while nothing is carried and nobody listens.
  const asio::executor_work_guard<asio::io_context::executor_type> work{io.get_executor()};
  std::set<std::shared_ptr<tcp::socket>> ignored;
  std::optional<tcp::acceptor> acceptor;
  const std::uint16_t port;
  bool ignoring = false;
  std::size_t piece = 0;
  std::optional<std::size_t> bytes_to_reset;
  std::jthread thread;
};

class FaultProxy::Impl::Link : public RelayLink {
 public:
  Link(Impl& proxy, tcp::socket client) : RelayLink(proxy.io, std::move(client)), proxy_(proxy) {
    proxy_.links.insert(this);
  }
  ~Link() override { proxy_.links.erase(this); }

  void Start() {
    if (Connect(proxy_.target)) return;
    error_code ignored;
    client_.set_option(tcp::no_delay(true), ignored);
    Carry();
  }

  void Freeze() { frozen_ = true; }
  void DropPackets() {
    Freeze();
    EXPECT_TRUE(kube_events::DropPackets(client_.native_handle()));
  }

 private:
  error_code Pass(tcp::socket& to, std::string_view bytes, bool down) override {
    if (down && proxy_.bytes_to_reset) {
      const bool last = bytes.size() >= *proxy_.bytes_to_reset;
      bytes = bytes.substr(0, *proxy_.bytes_to_reset);
      *proxy_.bytes_to_reset -= bytes.size();
      if (last) return Reset(to, bytes);
    }
    error_code error;
    const std::size_t piece = down && proxy_.piece > 0 ? proxy_.piece : bytes.size();
    for (; !bytes.empty() && !error; bytes.remove_prefix(std::min(piece, bytes.size()))) {
      asio::write(to, asio::buffer(bytes.substr(0, piece)), error);
    }
    return error;
  }

  error_code Reset(tcp::socket& to, std::string_view last_bytes) {
    proxy_.bytes_to_reset.reset();
    error_code ignored;
    asio::write(to, asio::buffer(last_bytes), ignored);
    to.set_option(asio::socket_base::linger(true, 0), ignored);
    return asio::error::connection_reset;
  }

  // Keeps both sockets open without a word, as long as the proxy lives.
  bool Frozen() override {
    if (!frozen_) return false;
    proxy_.ignored.insert(std::shared_ptr<tcp::socket>(shared_from_this(), &client_));
    proxy_.ignored.insert(std::shared_ptr<tcp::socket>(shared_from_this(), &server_));
    return true;
  }

  Impl& proxy_;
  bool frozen_ = false;
};

void FaultProxy::Impl::Accept() {
  acceptor->async_accept([this](error_code error, tcp::socket socket) {
    if (error) return;
    if (ignoring) {
      ignored.insert(std::make_shared<tcp::socket>(std::move(socket)));
    } else {
      std::make_shared<Link>(*this, std::move(socket))->Start();
    }
    Accept();
  });
}

FaultProxy::FaultProxy(std::uint16_t port) : impl_(std::make_unique<Impl>(port)) {}
FaultProxy::~FaultProxy() = default;

std::string FaultProxy::Url() const { return "http://127.0.0.1:" + std::to_string(impl_->port); }

std::uint16_t FaultProxy::Port() const { return impl_->port; }

void FaultProxy::Ignore() {
  impl_->Do([this] { impl_->ignoring = true; });
}

void FaultProxy::Refuse() {
  impl_->Do([this] { impl_->acceptor.reset(); });
}

void FaultProxy::Freeze() {
  impl_->Do([this] {
    for (Impl::Link* link : impl_->links) link->Freeze();
  });
}

void FaultProxy::DropPackets() {
  impl_->Do([this] {
    for (Impl::Link* link : impl_->links) link->DropPackets();
  });
}

void FaultProxy::Split(std::size_t bytes) {
  impl_->Do([this, bytes] { impl_->piece = bytes; });
}

void FaultProxy::ResetAfter(std::size_t bytes) {
  impl_->Do([this, bytes] { impl_->bytes_to_reset = bytes; });
}

void FaultProxy::Heal() {
  impl_->Do([this] {
    impl_->ignoring = false;
    impl_->piece = 0;
    impl_->bytes_to_reset.reset();
    if (!impl_->acceptor) impl_->Listen(impl_->port);
  });
}

}  // namespace kube_events
