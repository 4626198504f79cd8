#include "forward/forward_connection.h"

#include <utility>  // which Boost.Asio 1.74 uses without including it

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <stop_token>

#include "forward/forward_answer.h"
#include "kube_events/net/tls_client.h"

namespace kube_events {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

namespace {

enum class Ended { kDone, kTimeout, kStopped };

struct Outcome {
  Ended ended = Ended::kDone;
  error_code error = {};
  std::size_t bytes = 0;
};

}  // namespace

struct ForwardConnection::State {
  explicit State(std::string name) : server(std::move(name)) {}

  // Runs one asynchronous operation, which `start` begins with the handler that it is given, to its end. One that takes
  // too long or is not wanted any more is ended by closing the socket.
  template <typename Start>
  Outcome Await(const Patience& patience, Start&& start);
  Result<void> Check(ForwardStage stage, const Outcome& outcome, const Patience& patience) const;
  void Close();

  const std::string server;
  asio::io_context io{1};
  tcp::socket socket{io};
  std::unique_ptr<TlsClient> tls_client;  // null: no TLS
  std::optional<asio::ssl::context> tls_context;
  std::optional<asio::ssl::stream<tcp::socket&>> tls;
  bool tls_works = false;
  AnswerReader answers;
  std::array<char, 4096> buffer{};
};

template <typename Start>
Outcome ForwardConnection::State::Await(const Patience& patience, Start&& start) {
  std::optional<Outcome> outcome;
  start([&outcome](const error_code& error, std::size_t bytes = 0) { outcome = Outcome{Ended::kDone, error, bytes}; });
  io.restart();
  // Without something to do the loop below would not look at the token.
  const std::stop_callback wake(patience.stop, [this] { asio::post(io, [] {}); });
  while (!outcome && !patience.stop.stop_requested()) {
    if (io.run_one_until(patience.deadline) == 0) break;
  }
  if (outcome) return *outcome;
  const Ended ended = patience.stop.stop_requested() ? Ended::kStopped : Ended::kTimeout;
  Close();
  return {ended, {}, 0};
}

Result<void> ForwardConnection::State::Check(ForwardStage stage, const Outcome& outcome,
                                             const Patience& patience) const {
  switch (outcome.ended) {
    case Ended::kStopped:
      return Fail(ErrorKind::kCancelled, "sending to " + server + " was ended");
    case Ended::kTimeout:
      return Fail(DescribeForwardTimeout(server, stage, patience.allowed));
    case Ended::kDone:
      break;
  }
  if (!outcome.error) return {};
  return Fail(DescribeForwardFailure(server, stage, outcome.error, tls_client ? tls_client->refusal() : ""));
}

// Ends what is under way too; its handlers are run before this returns.
void ForwardConnection::State::Close() {
  error_code ignored;
  socket.close(ignored);
  tls_works = false;
  io.restart();
  io.run();
}

ForwardConnection::ForwardConnection(std::string server) : state_(std::make_unique<State>(std::move(server))) {}

ForwardConnection::~ForwardConnection() {
  // What the operation begins with is to send what the peer wants to hear. Its answer is not waited for.
  if (state_->tls_works) state_->tls->async_shutdown([](const error_code&) {});
  state_->Close();
}

Result<void> ForwardConnection::Connect(const std::vector<std::string>& addresses, std::uint16_t port,
                                        const Patience& patience) {
  Result<void> result =
      Fail(DescribeForwardFailure(state_->server, ForwardStage::kConnect, asio::error::host_not_found, ""));
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    error_code malformed;
    const tcp::endpoint endpoint(asio::ip::make_address(addresses[i], malformed), port);
    if (malformed) continue;
    const Patience share = patience.Share(addresses.size() - i);
    const Outcome outcome =
        state_->Await(share, [&](auto handler) { state_->socket.async_connect(endpoint, std::move(handler)); });
    result = state_->Check(ForwardStage::kConnect, outcome, share);
    if (result || outcome.ended == Ended::kStopped) break;
    state_->Close();
  }
  error_code ignored;
  if (result) state_->socket.set_option(tcp::no_delay(true), ignored);
  return result;
}

Result<void> ForwardConnection::StartTls(const TlsSettings& settings, const std::string& host,
                                         const Patience& patience) {
  auto client = TlsClient::Create(settings, host);
  if (!client) return Fail(client.error());
  state_->tls_client = std::move(*client);
  state_->tls_context.emplace(asio::ssl::context::tls_client);
  if (auto prepared = state_->tls_client->Prepare(state_->tls_context->native_handle()); !prepared) return prepared;
  state_->tls.emplace(state_->socket, *state_->tls_context);
  state_->tls_client->SendServerName(state_->tls->native_handle());
  const Outcome outcome = state_->Await(patience, [&](auto handler) {
    state_->tls->async_handshake(asio::ssl::stream_base::client, std::move(handler));
  });
  state_->tls_works = outcome.ended == Ended::kDone && !outcome.error;
  return state_->Check(ForwardStage::kTls, outcome, patience);
}

Result<void> ForwardConnection::Write(ForwardStage stage, std::string_view bytes, const Patience& patience) {
  const auto all = asio::buffer(bytes.data(), bytes.size());
  const Outcome outcome = state_->Await(patience, [&](auto handler) {
    if (state_->tls) {
      asio::async_write(*state_->tls, all, std::move(handler));
    } else {
      asio::async_write(state_->socket, all, std::move(handler));
    }
  });
  return state_->Check(stage, outcome, patience);
}

Result<nlohmann::json> ForwardConnection::Read(ForwardStage stage, const Patience& patience) {
  while (true) {
    auto value = state_->answers.Next();
    if (!value) return Fail(DescribeForwardNonsense(state_->server, value.error().message));
    if (*value) return std::move(**value);
    const auto space = asio::buffer(state_->buffer);
    const Outcome outcome = state_->Await(patience, [&](auto handler) {
      if (state_->tls) {
        state_->tls->async_read_some(space, std::move(handler));
      } else {
        state_->socket.async_read_some(space, std::move(handler));
      }
    });
    if (auto checked = state_->Check(stage, outcome, patience); !checked) return Fail(checked.error());
    state_->answers.Append({state_->buffer.data(), outcome.bytes});
  }
}

}  // namespace kube_events
