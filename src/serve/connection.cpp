#include "connection.h"

#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <ctime>
#include <optional>

namespace kube_events {
namespace {

namespace beast = boost::beast;
namespace http = boost::beast::http;
using boost::system::error_code;
using Parser = http::request_parser<http::string_body>;
using Response = http::response<http::string_body>;

// How long a client may go on sending after an answer that ends the connection. Closing at once would have its kernel
// throw the answer away (a reset overtakes data that was not read).
constexpr std::chrono::seconds kLingerTimeout{1};

// Pairs the two calls of a RequestObserver, whatever becomes of the request.
class Observation {
 public:
  Observation(RequestObserver* observer, std::string path)
      : observer_(observer), path_(std::move(path)), begin_(std::chrono::steady_clock::now()) {
    if (observer_ != nullptr) observer_->OnRequestBegin(path_);
  }
  ~Observation() {
    if (observer_ != nullptr) observer_->OnRequestEnd(path_, status_, std::chrono::steady_clock::now() - begin_);
  }
  Observation(const Observation&) = delete;
  Observation& operator=(const Observation&) = delete;

  void SetStatus(int status) { status_ = status; }

 private:
  RequestObserver* const observer_;
  const std::string path_;
  const std::chrono::steady_clock::time_point begin_;
  int status_ = 500;
};

std::string HttpDate() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[40];
  return {text, std::strftime(text, sizeof text, "%a, %d %b %Y %H:%M:%S GMT", &parts)};
}

// The status to answer a request with that cannot be read; 0 where the client is gone or was too slow.
int StatusFor(error_code error) {
  if (error == http::error::header_limit || error == http::error::buffer_overflow) return 431;
  if (error == http::error::body_limit) return 413;
  if (error == http::error::end_of_stream || error == http::error::partial_message) return 0;
  const bool parse_error = error.category() == http::make_error_code(http::error::bad_target).category();
  return parse_error ? 400 : 0;
}

HttpReply Refusal(int status) {
  const http::status known = http::int_to_status(static_cast<unsigned>(status));
  return {.status = status, .body = std::string(http::obsolete_reason(known)) + "\n"};
}

bool HasBody(const Parser& parser) {
  const auto length = parser.content_length();
  return parser.chunked() || (length && *length > 0);
}

HttpQuery MakeQuery(const Parser::value_type& request, RequestTarget target) {
  HttpQuery query;
  query.method = request.method() == http::verb::head ? "GET" : std::string(request.method_string());
  query.path = std::move(target.path);
  query.query = std::move(target.query);
  for (const auto& field : request) query.headers.emplace_back(field.name_string(), field.value());
  return query;
}

class BeastConnection final : public Connection, public std::enable_shared_from_this<BeastConnection> {
 public:
  BeastConnection(boost::asio::ip::tcp::socket socket, const Router& router, ConnectionContext& context)
      : stream_(std::move(socket)),
        router_(router),
        context_(context),
        buffer_(context.options.max_header_bytes + std::size_t{4096}) {}
  ~BeastConnection() override { context_.table.Remove(entry_); }

  void Start() {
    context_.table.MarkWaiting(*this, entry_);
    ReadHeader();
  }

  void Close() override {
    context_.table.Remove(entry_);
    stream_.close();
  }

 private:
  // A handler that keeps this connection alive until the operation has ended.
  template <typename Member>
  auto Then(Member member) {
    return [self = shared_from_this(), member](error_code error, std::size_t) { (*self.*member)(error); };
  }

  // Between two requests a client may be silent for longer than in the middle of one.
  void AwaitRequest() {
    if (context_.stopping) return Close();
    context_.table.MarkWaiting(*this, entry_);
    if (buffer_.size() > 0) return ReadHeader();
    stream_.expires_after(context_.options.idle_timeout);
    stream_.async_read_some(buffer_.prepare(1024), [self = shared_from_this()](error_code error, std::size_t bytes) {
      if (error) return self->Close();
      self->buffer_.commit(bytes);
      self->ReadHeader();
    });
  }

  void ReadHeader() {
    parser_.emplace();
    parser_->header_limit(context_.options.max_header_bytes);
    parser_->body_limit(context_.options.max_body_bytes);
    stream_.expires_after(context_.options.header_timeout);
    http::async_read_header(stream_, buffer_, *parser_, Then(&BeastConnection::OnHeader));
  }

  void OnHeader(error_code error) {
    if (error) return OnBadRequest(error);
    const auto& request = parser_->get();
    const bool host_missing = request.version() >= 11 && request.count(http::field::host) == 0;
    if (host_missing) return Send(Refusal(400), false);
    if (request.count(http::field::expect) > 0) return Send(Refusal(417), false);
    const bool reads_body = request.method() == http::verb::get || request.method() == http::verb::head;
    if (!HasBody(*parser_)) return Answer(request.keep_alive());
    if (!reads_body) return Answer(false);
    http::async_read(stream_, buffer_, *parser_, Then(&BeastConnection::OnBody));
  }

  void OnBody(error_code error) {
    if (error) return OnBadRequest(error);
    Answer(parser_->get().keep_alive());
  }

  void OnBadRequest(error_code error) {
    const int status = StatusFor(error);
    if (status == 0) return Close();
    Send(Refusal(status), false);
  }

  void Answer(bool keep_alive) {
    const auto& request = parser_->get();
    auto target = ParseRequestTarget(std::string_view(request.target().data(), request.target().size()));
    if (!target) return Send(Refusal(400), false);
    const HttpQuery query = MakeQuery(request, std::move(*target));
    observation_.emplace(context_.options.observer, query.path);
    Send(Dispatch(query), keep_alive);
  }

  HttpReply Dispatch(const HttpQuery& query) {
    try {
      return router_.Dispatch(query);
    } catch (const std::exception& error) {
      context_.options.logger.Error("a request failed", {{"path", query.path}, {"error", error.what()}});
    } catch (...) {
      context_.options.logger.Error("a request failed", {{"path", query.path}});
    }
    return Refusal(500);
  }

  void Send(HttpReply reply, bool keep_alive) {
    const auto& request = parser_->get();
    if (observation_) observation_->SetStatus(reply.status);
    keep_alive_ = keep_alive && !context_.stopping;
    response_.emplace();
    response_->result(static_cast<unsigned>(reply.status));
    response_->version(request.version() == 10 ? 10 : 11);
    response_->set(http::field::date, HttpDate());
    response_->set(http::field::content_type, reply.content_type);
    response_->set(http::field::cache_control, "no-store");
    response_->set("X-Content-Type-Options", "nosniff");
    for (const auto& [name, value] : reply.headers) response_->set(name, value);
    response_->keep_alive(keep_alive_);
    response_->content_length(reply.body.size());
    if (request.method() != http::verb::head) response_->body() = std::move(reply.body);
    Write();
  }

  void Write() {
    context_.table.MarkWriting(*this, entry_, response_->body().capacity());
    context_.table.LimitPending(context_.options.max_pending_bytes);
    stream_.expires_after(context_.options.write_timeout);
    http::async_write(stream_, *response_, Then(&BeastConnection::OnWritten));
  }

  void OnWritten(error_code error) {
    observation_.reset();
    response_.reset();
    if (error) return Close();
    if (keep_alive_) return AwaitRequest();
    error_code ignored;
    stream_.socket().shutdown(boost::asio::ip::tcp::socket::shutdown_send, ignored);
    if (context_.stopping) return Close();
    context_.table.MarkWaiting(*this, entry_);
    stream_.expires_after(kLingerTimeout);
    Drain();
  }

  void Drain() {
    buffer_.clear();
    stream_.async_read_some(buffer_.prepare(4096), [self = shared_from_this()](error_code error, std::size_t) {
      if (error) return self->Close();
      self->Drain();
    });
  }

  beast::tcp_stream stream_;
  const Router& router_;
  ConnectionContext& context_;
  ConnectionTable::Entry entry_;
  beast::flat_buffer buffer_;
  std::optional<Parser> parser_;
  std::optional<Observation> observation_;
  std::optional<Response> response_;
  bool keep_alive_ = false;
};

}  // namespace

void ServeConnection(boost::asio::ip::tcp::socket socket, const Router& router, ConnectionContext& context) {
  std::make_shared<BeastConnection>(std::move(socket), router, context)->Start();
}

}  // namespace kube_events
