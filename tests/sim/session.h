// One accepted connection: reads requests, asks the handler, delivers replies, disturbed where a fault says so.
// Private to the server (the one place where Boost.Beast appears). The template is instantiated for plain TCP in
// session_plain.cpp and for TLS in session_tls.cpp. Everything happens on the server thread; a session lives as long
// as an operation of it is pending.
#pragma once

#include <sys/socket.h>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "sim/http_text.h"
#include "sim/session_factory.h"

namespace kube_events::sim {

template <typename Stream>
class Session final : public SessionBase, public std::enable_shared_from_this<Session<Stream>> {
 public:
  using Tcp = boost::asio::ip::tcp;
  using Ssl = boost::asio::ssl::stream<Tcp::socket>;
  using Code = boost::system::error_code;
  static constexpr bool kTls = std::is_same_v<Stream, Ssl>;

  Session(Stream stream, SessionContext& context)
      : stream_(std::move(stream)), context_(context), timer_(stream_.get_executor()) {
    context_.sessions.insert(this);
  }
  ~Session() override { context_.sessions.erase(this); }

  void Start() override {
    if constexpr (kTls) {
      stream_.async_handshake(boost::asio::ssl::stream_base::server, [self = this->shared_from_this()](Code error) {
        if (error) return self->Close();
        self->client_name_ = VerifiedClientName(self->stream_.native_handle());
        self->ReadRequest();
      });
    } else {
      ReadRequest();
    }
  }

  void Close() override {
    Code ignored;
    timer_.cancel();
    Socket().close(ignored);
    reply_.stream.reset();
  }

 private:
  static constexpr std::uint64_t kMaxBody = 16U << 20U;
  static constexpr std::uint32_t kMaxHeader = 64U << 10U;
  static constexpr std::size_t kWriteBytes = 64U << 10U;

  Tcp::socket& Socket() {
    if constexpr (kTls) {
      return stream_.next_layer();
    } else {
      return stream_;
    }
  }

  void Reset() {
    Code ignored;
    Socket().set_option(boost::asio::socket_base::linger(true, 0), ignored);
    Close();
  }

  void ReadRequest() {
    parser_.emplace();
    parser_->body_limit(kMaxBody);
    parser_->header_limit(kMaxHeader);
    boost::beast::http::async_read(stream_, buffer_, *parser_,
                                   [self = this->shared_from_this()](Code error, std::size_t) {
                                     if (error) return self->Close();
                                     self->OnRequest();
                                   });
  }

  void OnRequest() {
    namespace http = boost::beast::http;
    http::request<http::string_body> message = parser_->release();
    keep_alive_ = message.keep_alive();
    Request request;
    request.method = std::string(message.method_string());
    request.target = std::string(message.target());
    request.content_type = std::string(message[http::field::content_type]);
    request.authorization = std::string(message[http::field::authorization]);
    request.user_agent = std::string(message[http::field::user_agent]);
    request.accept_encoding = std::string(message[http::field::accept_encoding]);
    request.client_name = client_name_;
    request.body = std::move(message.body());
    ParseTarget(request);
    reply_ = context_.handle(request);
    const std::int64_t delay = reply_.fault ? reply_.fault->delay_ms : 0;
    if (delay == 0) return Answer();
    timer_.expires_after(std::chrono::milliseconds{delay});
    timer_.async_wait([self = this->shared_from_this()](Code error) {
      if (!error) self->Answer();
    });
  }

  void Answer() {
    std::string text = HttpHead(reply_, context_.clock.Wall(), keep_alive_);
    if (reply_.stream != nullptr) return StartStream(std::move(text));
    AppendBody(text, reply_.body);
    if (!reply_.fault || reply_.fault->action == FaultAction::kDelay) return Send(std::move(text), Ending::kKeep);
    text.resize(std::min(text.size(), reply_.fault->after_bytes));
    const FaultAction action = reply_.fault->action;
    Send(std::move(text), action == FaultAction::kReset     ? Ending::kReset
                          : action == FaultAction::kSilence ? Ending::kSilence
                                                            : Ending::kClose);
  }

  enum class Ending { kKeep, kClose, kReset, kSilence };

  // Sends a whole response, or as much of it as a fault leaves.
  void Send(std::string text, Ending ending) {
    out_ = std::move(text);
    boost::asio::async_write(stream_, boost::asio::buffer(out_),
                             [self = this->shared_from_this(), ending](Code error, std::size_t) {
                               if (error) return self->Close();
                               self->EndResponse(ending);
                             });
  }

  void EndResponse(Ending ending) {
    switch (ending) {
      case Ending::kKeep:
        return keep_alive_ ? ReadRequest() : Finish();
      case Ending::kClose:
        return Finish();
      case Ending::kReset:
        return Reset();
      case Ending::kSilence:
        return MonitorPeer();
    }
  }

  // Closes in good order: TLS peers are told.
  void Finish() {
    if constexpr (kTls) {
      timer_.expires_after(std::chrono::seconds{1});
      timer_.async_wait([self = this->shared_from_this()](Code error) {
        if (!error) self->Close();
      });
      stream_.async_shutdown([self = this->shared_from_this()](Code) { self->Close(); });
    } else {
      Code ignored;
      Socket().shutdown(Tcp::socket::shutdown_send, ignored);
      Close();
    }
  }

  void StartStream(std::string head) {
    head_ = std::move(head);
    writer_.emplace(context_.chunk_bytes);
    over_ = false;
    reply_.stream->SetWake([weak = this->weak_from_this()] {
      if (auto self = weak.lock()) self->PostPump();
    });
    if (reply_.deadline) {
      timer_.expires_after(*reply_.deadline);
      timer_.async_wait([self = this->shared_from_this()](Code error) {
        if (error || self->reply_.stream == nullptr) return;
        self->over_ = true;
        self->Pump();
      });
    }
    MonitorPeer();
    Pump();
  }

  // Notices a peer that goes away while nothing is being sent.
  void MonitorPeer() {
    monitoring_ = true;
    Socket().async_wait(Tcp::socket::wait_read, [self = this->shared_from_this()](Code error) {
      if (error || !self->monitoring_) return;
      char byte = 0;
      const auto peeked = ::recv(self->Socket().native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
      // Over TLS, bytes in the middle of a response announce the end; over TCP they are the next request.
      if (peeked <= 0 || kTls) self->Close();
    });
  }

  // Later and once, so that many changes at a time become one write.
  void PostPump() {
    if (pump_posted_) return;
    pump_posted_ = true;
    boost::asio::post(stream_.get_executor(), [self = this->shared_from_this()] {
      self->pump_posted_ = false;
      self->Pump();
    });
  }

  void Pump() {
    if (writing_ || reply_.stream == nullptr) return;
    StreamSource::State state = reply_.stream->Fill(*writer_, kWriteBytes);
    if (state == StreamSource::State::kIdle && over_) state = StreamSource::State::kEnd;
    if (state == StreamSource::State::kEnd) writer_->LastChunk();
    writer_->Take(out_);
    if (!head_.empty()) out_.insert(0, std::exchange(head_, std::string()));
    if (out_.empty()) return OnPumped(state);
    writing_ = true;
    boost::asio::async_write(stream_, boost::asio::buffer(out_),
                             [self = this->shared_from_this(), state](Code error, std::size_t) {
                               self->writing_ = false;
                               if (error) return self->Close();
                               self->OnPumped(state);
                             });
  }

  void OnPumped(StreamSource::State state) {
    switch (state) {
      case StreamSource::State::kIdle:
        if (!out_.empty()) Pump();
        return;
      case StreamSource::State::kMore:
        return Pump();
      case StreamSource::State::kEnd:
        return EndStream();
      case StreamSource::State::kClose:
        return Finish();
      case StreamSource::State::kReset:
        return Reset();
    }
  }

  void EndStream() {
    Code ignored;
    timer_.cancel();
    // The monitor may have fired already: the peer's next request must not look like its end.
    monitoring_ = false;
    Socket().cancel(ignored);
    reply_.stream.reset();
    if (keep_alive_) {
      ReadRequest();
    } else {
      Finish();
    }
  }

  Stream stream_;
  SessionContext& context_;
  boost::asio::steady_timer timer_;
  boost::beast::flat_buffer buffer_;
  std::optional<boost::beast::http::request_parser<boost::beast::http::string_body>> parser_;
  std::string client_name_;
  bool keep_alive_ = true;
  Reply reply_;
  std::string head_;
  std::string out_;
  std::optional<ChunkWriter> writer_;
  bool writing_ = false;
  bool pump_posted_ = false;
  bool monitoring_ = false;
  bool over_ = false;  // the deadline of the stream
};

}  // namespace kube_events::sim
