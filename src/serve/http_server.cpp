#include "kube_events/serve/http_server.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <optional>
#include <stop_token>
#include <thread>

#include "connection.h"
#include "listen.h"

namespace kube_events {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

constexpr std::chrono::seconds kBeatInterval{1};
constexpr std::chrono::milliseconds kStopPoll{2};
constexpr int kAcceptsPerRound = 16;
constexpr std::chrono::minutes kComplaintInterval{1};

// One listening socket and what answers there.
struct Listening {
  Listening(tcp::acceptor a, Router r) : acceptor(std::move(a)), router(std::move(r)), pause(acceptor.get_executor()) {}
  tcp::acceptor acceptor;
  const Router router;
  asio::steady_timer pause;
};

// Whether accepting failed because something ran out, file descriptors as a rule; not because a client was gone again.
bool IsShortage(error_code error) {
  return error && error != asio::error::would_block && error != asio::error::try_again &&
         error != asio::error::connection_aborted && error != asio::error::interrupted;
}

}  // namespace

struct HttpServer::Impl {
  explicit Impl(HttpServerOptions options) : context{.options = std::move(options), .table = {}} {}

  void Run(const std::stop_token& stop);
  void AwaitClient(Listening& listening);
  error_code Accept(Listening& listening);
  void Serve(Listening& listening, tcp::socket socket);
  void PauseAccepting(Listening& listening);
  void Complain(error_code error);
  void Beat();
  void BeginStop();
  void AwaitWriters(std::chrono::steady_clock::time_point deadline);

  ConnectionContext context;  // before io: connections refer to it until the very end
  asio::io_context io{1};
  std::vector<std::unique_ptr<Listening>> listenings;
  std::vector<std::uint16_t> ports;
  asio::steady_timer timer{io};  // beats; later the wait for the last answers
  std::optional<std::chrono::steady_clock::time_point> last_complaint;
  std::jthread thread;
};

// What a connection's handler throws ends that connection only: its owner is gone with the handler.
void HttpServer::Impl::Run(const std::stop_token& stop) {
  const std::stop_callback on_stop(stop, [this] { asio::post(io, [this] { BeginStop(); }); });
  Beat();
  for (const auto& listening : listenings) AwaitClient(*listening);
  for (;;) {
    try {
      io.run();
      return;
    } catch (const std::exception& error) {
      context.options.logger.Error("a connection failed", {{"error", error.what()}});
    }
  }
}

void HttpServer::Impl::AwaitClient(Listening& listening) {
  listening.acceptor.async_wait(tcp::acceptor::wait_read, [this, &listening](error_code error) {
    if (context.stopping || error == asio::error::operation_aborted) return;
    // Several: a round of the loop is long where many connections are busy, and a newcomer should wait for one only.
    for (int i = 0; i < kAcceptsPerRound && !error; ++i) error = Accept(listening);
    if (IsShortage(error)) return PauseAccepting(listening);
    AwaitClient(listening);
  });
}

// Asks whether a client is there before it accepts: accept() fails for want of a file descriptor even if nobody is, and
// then there is nobody to make room for.
error_code HttpServer::Impl::Accept(Listening& listening) {
  error_code error;
  listening.acceptor.wait(tcp::acceptor::wait_read, error);
  if (error) return error;
  tcp::socket socket(io);
  listening.acceptor.accept(socket, error);
  if (IsShortage(error)) {
    Complain(error);
    context.table.CloseOldest();
    listening.acceptor.accept(socket, error);
  }
  if (!error) Serve(listening, std::move(socket));
  return error;
}

// Nothing that goes wrong with one client may end the accepting of others.
void HttpServer::Impl::Serve(Listening& listening, tcp::socket socket) try {
  SetCloseOnExec(socket.native_handle());
  error_code ignored;
  socket.set_option(tcp::no_delay(true), ignored);
  socket.set_option(tcp::socket::send_buffer_size(context.options.socket_send_buffer), ignored);
  while (context.table.Size() >= context.options.max_connections && context.table.Size() > 0) {
    context.table.CloseOldest();
  }
  ServeConnection(std::move(socket), listening.router, context);
} catch (const std::exception& error) {
  context.options.logger.Error("a connection failed", {{"error", error.what()}});
}

// What does not pass by itself fails again at once: trying without a pause would keep a core busy.
void HttpServer::Impl::PauseAccepting(Listening& listening) {
  listening.pause.expires_after(context.options.accept_pause);
  listening.pause.async_wait([this, &listening](error_code cancelled) {
    if (!cancelled && !context.stopping) AwaitClient(listening);
  });
}

void HttpServer::Impl::Complain(error_code error) {
  const auto now = std::chrono::steady_clock::now();
  if (last_complaint && now - *last_complaint < kComplaintInterval) return;
  last_complaint = now;
  context.options.logger.Warn("cannot accept connections; raise the limit of open files if this stays",
                              {{"error", error.message()}});
}

void HttpServer::Impl::Beat() {
  if (context.options.heartbeat != nullptr) context.options.heartbeat->Beat();
  timer.expires_after(kBeatInterval);
  timer.async_wait([this](error_code cancelled) {
    if (!cancelled && !context.stopping) Beat();
  });
}

void HttpServer::Impl::BeginStop() {
  context.stopping = true;
  for (const auto& listening : listenings) {
    error_code ignored;
    listening->acceptor.close(ignored);
    listening->pause.cancel();
  }
  context.table.CloseWaiting();
  AwaitWriters(std::chrono::steady_clock::now() + context.options.stop_grace);
}

void HttpServer::Impl::AwaitWriters(std::chrono::steady_clock::time_point deadline) {
  if (std::chrono::steady_clock::now() >= deadline) context.table.CloseAll();
  if (context.table.Size() == 0) {
    timer.cancel();
    return;
  }
  timer.expires_after(kStopPoll);
  timer.async_wait([this, deadline](error_code) { AwaitWriters(deadline); });
}

HttpServer::HttpServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
HttpServer::~HttpServer() = default;

Result<std::unique_ptr<HttpServer>> HttpServer::Start(std::vector<HttpListener> listeners, HttpServerOptions options) {
  auto impl = std::make_unique<Impl>(std::move(options));
  for (HttpListener& listener : listeners) {
    auto acceptor = Listen(impl->io, listener);
    if (!acceptor) return tl::unexpected(std::move(acceptor.error()));
    const auto endpoint = acceptor->local_endpoint();
    impl->ports.push_back(endpoint.port());
    impl->context.options.logger.Info(
        "listening", {{"address", endpoint.address().to_string()}, {"port", unsigned{endpoint.port()}}});
    impl->listenings.push_back(std::make_unique<Listening>(std::move(*acceptor), std::move(listener.router)));
  }
  impl->thread = std::jthread([server = impl.get()](const std::stop_token& stop) { server->Run(stop); });
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(impl)));
}

std::uint16_t HttpServer::Port(std::size_t listener) const { return impl_->ports.at(listener); }

std::size_t HttpServer::Connections() const { return impl_->context.table.Size(); }

}  // namespace kube_events
