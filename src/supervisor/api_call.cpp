// One exchange with the child's HTTP server, over a socket that never blocks the loop.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <cerrno>
#include <cstring>
#include <utility>

#include "kube_events/base/file_descriptor.h"
#include "kube_events/supervisor/reload_api.h"

namespace kube_events {
namespace {

namespace http = boost::beast::http;

constexpr std::size_t kMaxAnswerBytes = std::size_t{64} * 1024;

struct Address {
  sockaddr_storage storage{};
  socklen_t size = 0;
};

Address AddressOf(const ServiceSettings& server) {
  Address address;
  auto* v6 = reinterpret_cast<sockaddr_in6*>(&address.storage);
  auto* v4 = reinterpret_cast<sockaddr_in*>(&address.storage);
  if (inet_pton(AF_INET6, server.host.c_str(), &v6->sin6_addr) == 1) {
    v6->sin6_family = AF_INET6;
    v6->sin6_port = htons(server.port);
    address.size = sizeof *v6;
    return address;
  }
  v4->sin_family = AF_INET;
  v4->sin_port = htons(server.port);
  // A name is none that we look up, which may block; whatever it is, the server is in this network namespace.
  if (inet_pton(AF_INET, server.host.c_str(), &v4->sin_addr) != 1) v4->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.size = sizeof *v4;
  return address;
}

std::string RequestText(const ServiceSettings& server, std::string_view method) {
  std::string text(method);
  text += " /api/v2/reload HTTP/1.1\r\nHost: " + server.host + ":" + std::to_string(server.port) +
          "\r\nConnection: close\r\n";
  // Never without a body: the answer would not come.
  text += method == "POST" ? "Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}" : "\r\n";
  return text;
}

class SocketCall final : public ApiCall {
 public:
  SocketCall(EventLoop& loop, const ServiceSettings& server, std::string_view method,
             std::function<void(Result<ApiAnswer>)> handler)
      : loop_(loop),
        server_(server),
        request_(RequestText(server, method)),
        handler_(std::move(handler)),
        timer_(loop.MakeTimer([this] { OnTimer(); })) {
    parser_.eager(true);
    parser_.body_limit(kMaxAnswerBytes);
  }

  void Start(std::chrono::milliseconds timeout) {
    const Address address = AddressOf(server_);
    socket_ = UniqueFd(socket(address.storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    const auto* generic = reinterpret_cast<const sockaddr*>(&address.storage);
    if (!socket_ || (connect(socket_.get(), generic, address.size) != 0 && errno != EINPROGRESS)) {
      failure_ = std::strerror(errno);
      timer_->After(std::chrono::nanoseconds{0});  // the handler is not called from here
      return;
    }
    failure_ = "no answer in time";
    timer_->After(timeout);
    watch_ = loop_.WatchFd(socket_.get(), EventLoop::Ready::kToWrite, [this] { Write(); });
  }

 private:
  // Each ends with at most one call of Finish, after which nothing of this object is touched.
  void OnTimer() { Finish(Failure(failure_)); }

  void Write() {
    int error = 0;
    socklen_t size = sizeof error;
    getsockopt(socket_.get(), SOL_SOCKET, SO_ERROR, &error, &size);
    if (error != 0) return Finish(Failure(std::strerror(error)));
    const ssize_t written = send(socket_.get(), request_.data(), request_.size(), MSG_NOSIGNAL);
    if (written < 0) return errno == EAGAIN ? void() : Finish(Failure(std::strerror(errno)));
    request_.erase(0, static_cast<std::size_t>(written));
    if (!request_.empty()) return;
    watch_ = loop_.WatchFd(socket_.get(), EventLoop::Ready::kToRead, [this] { Read(); });
  }

  void Read() {
    std::array<char, 4'096> buffer;
    const ssize_t size = recv(socket_.get(), buffer.data(), buffer.size(), 0);
    if (size < 0) return errno == EAGAIN ? void() : Finish(Failure(std::strerror(errno)));
    boost::system::error_code error;
    if (size == 0) {
      if (!parser_.got_some()) return Finish(Failure("the connection was closed"));
      parser_.put_eof(error);
    } else {
      received_.append(buffer.data(), static_cast<std::size_t>(size));
      const std::size_t used = parser_.put(boost::asio::buffer(received_), error);
      received_.erase(0, used);
      if (error == http::error::need_more) error = {};
    }
    if (error) return Finish(Failure(error.message()));
    if (parser_.is_done()) {
      return Finish(ApiAnswer{static_cast<int>(parser_.get().result_int()), parser_.get().body()});
    }
    if (size == 0) Finish(Failure("the connection was closed"));
  }

  tl::unexpected<Error> Failure(const std::string& what) const {
    return Fail(ErrorKind::kRetry, server_.host + ":" + std::to_string(server_.port) + ": " + what);
  }

  void Finish(Result<ApiAnswer> answer) {
    watch_.reset();
    timer_->Set(std::nullopt);
    socket_.Reset();  // the server may be waiting for that
    const auto handler = std::move(handler_);
    handler(std::move(answer));
  }

  EventLoop& loop_;
  const ServiceSettings server_;
  std::string request_;
  std::function<void(Result<ApiAnswer>)> handler_;
  std::string failure_;
  UniqueFd socket_;
  std::string received_;
  http::response_parser<http::string_body> parser_;
  std::unique_ptr<EventLoop::Timer> timer_;
  std::unique_ptr<EventLoop::Watch> watch_;
};

}  // namespace

std::unique_ptr<ApiCall> CallReloadApi(EventLoop& loop, const ServiceSettings& server, std::string_view method,
                                       std::chrono::milliseconds timeout,
                                       std::function<void(Result<ApiAnswer>)> handler) {
  auto call = std::make_unique<SocketCall>(loop, server, method, std::move(handler));
  call->Start(timeout);
  return call;
}

}  // namespace kube_events
