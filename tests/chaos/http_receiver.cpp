#include "chaos/http_receiver.h"

#include <sys/socket.h>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <cstdlib>
#include <future>
#include <iterator>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <utility>

namespace kube_events::chaos {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using Tcp = asio::ip::tcp;
using Code = boost::system::error_code;

constexpr std::uint64_t kMaxBody = std::uint64_t{64} << 20;

}  // namespace

const char* ToString(ReceiverMode mode) {
  switch (mode) {
    case ReceiverMode::kGood:
      return "good";
    case ReceiverMode::kDown:
      return "down";
    case ReceiverMode::kSilent:
      return "silent";
    case ReceiverMode::kSlow:
      return "slow";
    case ReceiverMode::kRefusing:
      return "503";
  }
  return "";
}

struct HttpReceiver::Impl {
  class Session;

  explicit Impl(std::chrono::milliseconds slow_pause) : pause(slow_pause) {
    Open();
    acceptor.listen();
    port = acceptor.local_endpoint().port();
    url = "http://127.0.0.1:" + std::to_string(port);
    Accept();
    thread = std::jthread([this] { io.run(); });
  }
  ~Impl() {
    io.stop();
    thread.join();
  }

  void Open() {
    acceptor.open(Tcp::v4());
    acceptor.set_option(asio::socket_base::reuse_address(true));
    acceptor.bind({asio::ip::address_v4::loopback(), port});
  }
  void Accept();
  void SetMode(ReceiverMode wanted);

  const std::chrono::milliseconds pause;
  std::uint16_t port = 0;
  std::string url;
  ReceiverMode mode = ReceiverMode::kGood;  // used by the server thread, like the next three
  std::set<Session*> sessions;
  asio::io_context io{1};  // destroyed before what its sessions refer to
  asio::executor_work_guard<asio::io_context::executor_type> work{io.get_executor()};  // while nobody listens
  Tcp::acceptor acceptor{io};
  std::mutex mutex;  // guards the next two
  std::vector<Received> received;
  std::vector<std::string> faults;
  std::jthread thread;
};

class HttpReceiver::Impl::Session : public std::enable_shared_from_this<Session> {
 public:
  Session(Impl& server, Tcp::socket socket)
      : server_(server), socket_(std::move(socket)), timer_(socket_.get_executor()) {
    server_.sessions.insert(this);
  }
  ~Session() { server_.sessions.erase(this); }

  void Read() {
    writing_ = false;
    parser_.emplace();
    parser_->body_limit(kMaxBody);
    http::async_read(socket_, buffer_, *parser_, [self = shared_from_this()](Code error, std::size_t) {
      if (error) return self->Close();
      self->OnRequest();
    });
  }

  void Close() {
    Code ignored;
    timer_.cancel();
    socket_.close(ignored);
  }

  // What is being answered is answered.
  void CloseUnlessAnswering() {
    if (!writing_) return Close();
    last_ = true;
  }

 private:
  void OnRequest() {
    switch (server_.mode) {
      case ReceiverMode::kGood:
        return Acknowledge();
      case ReceiverMode::kSlow:
        return AcknowledgeLater();
      case ReceiverMode::kRefusing:
        return Answer(http::status::service_unavailable);
      case ReceiverMode::kSilent:
        return AwaitLeaving();
      case ReceiverMode::kDown:
        return Close();
    }
  }

  void AcknowledgeLater() {
    timer_.expires_after(server_.pause);
    timer_.async_wait([self = shared_from_this()](Code error) {
      if (error) return;
      if (self->HasLeft()) return self->Close();
      self->Acknowledge();
    });
  }

  void AwaitLeaving() {
    socket_.async_wait(Tcp::socket::wait_read, [self = shared_from_this()](Code) { self->Close(); });
  }

  // A client that does not wait any more will send the batch again.
  bool HasLeft() {
    char byte = 0;
    return ::recv(socket_.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
  }

  void Acknowledge() {
    const auto& request = parser_->get();
    const std::string process(request["X-Process"]);
    auto records = ReadRecords(request.body(), std::atoi(process.c_str()));
    {
      const std::lock_guard lock(server_.mutex);
      if (records) {
        std::move(records->begin(), records->end(), std::back_inserter(server_.received));
      } else {
        server_.faults.push_back("no batch of records: " + request.body().substr(0, 200));
      }
    }
    Answer(http::status::ok);
  }

  void Answer(http::status status) {
    writing_ = true;
    response_ = {};
    response_.result(status);
    response_.keep_alive(parser_->get().keep_alive());
    response_.prepare_payload();
    http::async_write(socket_, response_, [self = shared_from_this()](Code error, std::size_t) {
      if (error || self->last_ || !self->response_.keep_alive()) return self->Close();
      self->Read();
    });
  }

  Impl& server_;
  Tcp::socket socket_;
  asio::steady_timer timer_;
  boost::beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::string_body>> parser_;
  http::response<http::empty_body> response_;
  bool writing_ = false;
  bool last_ = false;
};

void HttpReceiver::Impl::Accept() {
  acceptor.async_accept([this](Code error, Tcp::socket socket) {
    if (error) return;  // SetMode begins anew
    std::make_shared<Session>(*this, std::move(socket))->Read();
    Accept();
  });
}

void HttpReceiver::Impl::SetMode(ReceiverMode wanted) {
  const std::set<Session*> open = sessions;
  for (Session* session : open) session->CloseUnlessAnswering();
  const bool was_down = std::exchange(mode, wanted) == ReceiverMode::kDown;
  const bool is_down = mode == ReceiverMode::kDown;
  if (is_down && !was_down) {
    // The port stays ours, and nobody listens.
    acceptor.close();
    Open();
  }
  if (was_down && !is_down) {
    acceptor.listen();
    Accept();
  }
}

HttpReceiver::HttpReceiver(std::chrono::milliseconds pause) : impl_(std::make_unique<Impl>(pause)) {}
HttpReceiver::~HttpReceiver() = default;

const std::string& HttpReceiver::Url() const { return impl_->url; }

void HttpReceiver::SetMode(ReceiverMode mode) {
  std::packaged_task<void()> task([this, mode] { impl_->SetMode(mode); });
  auto done = task.get_future();
  asio::post(impl_->io, std::move(task));
  done.get();
}

std::vector<Received> HttpReceiver::Take() {
  const std::lock_guard lock(impl_->mutex);
  return std::exchange(impl_->received, {});
}

std::vector<std::string> HttpReceiver::Faults() {
  const std::lock_guard lock(impl_->mutex);
  return impl_->faults;
}

}  // namespace kube_events::chaos
