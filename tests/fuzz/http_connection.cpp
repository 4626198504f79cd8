// A client's bytes through the HTTP server's connection: every answer is well-formed, no input keeps the connection
// busy, and how the bytes are cut changes no answer to what can be read.
//   byte: seed for the cuts; the rest is what the client sends before it closes its side
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <random>
#include <string>

#include "fuzz/check.h"
#include "kube_events/serve/routes.h"
#include "serve/connection.h"

namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using kube_events::fuzz::Check;

class PlainMetrics final : public kube_events::MetricSource {
 public:
  void AppendTo(std::string& page, kube_events::ExpositionFormat) const override { page += "up 1\n"; }
};

kube_events::Router MakeRouter(const kube_events::Health& health) {
  static const PlainMetrics metrics;
  kube_events::Router router;
  router.Add(kube_events::MetricsRoute({&metrics}));
  router.Add(kube_events::HealthRoutes(health));
  router.Add(kube_events::IndexRoute({"product", "version", {"/metrics"}}));
  router.Add(kube_events::Route{"GET", "/throw", [](const auto&) -> kube_events::HttpReply { throw 42; }});
  return router;
}

// One end of a pair of sockets of the machine itself: no network, no port, and the end of the input is an end of file.
class Client {
 public:
  explicit Client(asio::io_context& io) : server_(io) {
    std::array<int, 2> ends{};
    Check(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends.data()) == 0, "a pair of sockets can be made");
    end_ = ends[0];
    server_.assign(asio::ip::tcp::v4(), ends[1]);
  }
  ~Client() { close(end_); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  asio::ip::tcp::socket TakeServerSide() { return std::move(server_); }
  // Returns how much the server's buffer took.
  std::size_t Send(std::string_view bytes) const {
    const ssize_t sent = send(end_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    return sent > 0 ? static_cast<std::size_t>(sent) : 0;
  }
  void EndInput() const { shutdown(end_, SHUT_WR); }
  void Receive(std::string& out) const {
    std::array<char, 65536> buffer{};
    for (ssize_t got = 1; got > 0;) {
      got = recv(end_, buffer.data(), buffer.size(), 0);
      if (got > 0) out.append(buffer.data(), static_cast<std::size_t>(got));
    }
  }

 private:
  int end_ = -1;
  asio::ip::tcp::socket server_;
};

// What the server sends back to `input`, in pieces of up to `largest` bytes, until it closes.
std::string Converse(std::string_view input, std::size_t largest, unsigned seed) {
  static const kube_events::SystemClock clock;
  static const kube_events::Health health(clock);
  static const kube_events::Router router = MakeRouter(health);
  kube_events::ConnectionContext context{.options = {}, .table = {}};
  context.options.max_header_bytes = 1024;
  context.options.max_body_bytes = 64;
  asio::io_context io{1};  // after the context, to which connections refer until their end
  std::minstd_rand random(seed);
  std::string output;
  Client client(io);
  kube_events::ServeConnection(client.TakeServerSide(), router, context);
  bool ended = false;
  int idle_rounds = 0;
  while (context.table.Size() > 0) {
    const std::size_t before = output.size();
    const std::size_t sent = client.Send(input.substr(0, 1 + random() % largest));
    input.remove_prefix(std::min(sent, input.size()));
    if (input.empty() && !ended) client.EndInput();
    ended = ended || input.empty();
    const std::size_t handled = io.poll();
    client.Receive(output);
    idle_rounds = sent == 0 && handled == 0 && output.size() == before ? idle_rounds + 1 : 0;
    Check(idle_rounds < 100, "nothing is left to wait for", output);
  }
  io.poll();  // ends what was cancelled
  client.Receive(output);
  return output;
}

// The statuses of all answers. Bodies are skipped by looking for the next status line, which none of them contains: an
// answer to HEAD has a length but no body.
std::string CheckAnswers(std::string_view output) {
  std::string statuses;
  while (!output.empty()) {
    const std::size_t end = output.find("\r\n\r\n");
    Check(end != output.npos, "every answer has a whole head", output);
    const std::string_view head = output.substr(0, end + 4);
    http::response_parser<http::string_body> parser;
    boost::system::error_code error;
    parser.skip(true);
    parser.put(asio::buffer(head.data(), head.size()), error);
    Check(!error && parser.is_header_done(), "every head is well-formed", head);
    const unsigned status = parser.get().result_int();
    Check(status >= 200 && status < 600, "every status is a final one", head);
    statuses += std::to_string(status) + " ";
    output.remove_prefix(head.size());
    const std::size_t next = output.find("HTTP/1.");
    output.remove_prefix(next == output.npos ? output.size() : next);
  }
  return statuses;
}

// What cannot be read is refused once, or, where the parser still waits for more when the client ends, not at all.
std::string WithoutLastRefusal(std::string statuses) {
  if (statuses.ends_with("400 ") || statuses.ends_with("431 ")) statuses.resize(statuses.size() - 4);
  return statuses;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  kube_events::fuzz::Bytes bytes(data, size);
  const unsigned seed = bytes.Byte();
  const std::string whole = CheckAnswers(Converse(bytes.Rest(), bytes.Rest().size() + 1, 1));
  const std::string cut = CheckAnswers(Converse(bytes.Rest(), 1 + seed, seed));
  Check(WithoutLastRefusal(whole) == WithoutLastRefusal(cut), "the answers do not depend on how the request is cut",
        whole + "\n" + cut);
  return 0;
}
