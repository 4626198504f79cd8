// A client connection, plain or with TLS, whose every operation has a deadline. Private to http_fetch.
#pragma once

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl.hpp>
#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

#include "support/http_fetch.h"

namespace kube_events {

// Where a request goes.
struct FetchTarget {
  bool tls = false;
  std::string host;
  std::string port;
  std::string path;
};

// Throws std::invalid_argument where `url` is not absolute.
FetchTarget ParseUrl(const std::string& url);

class FetchConnection {
 public:
  using Code = boost::system::error_code;
  using Milliseconds = std::chrono::milliseconds;

  explicit FetchConnection(const FetchOptions& options);
  // Each blocks for at most `timeout`, which ends it with timed_out.
  Code Open(const FetchTarget& target, Milliseconds timeout);
  Code Write(const std::string& text, Milliseconds timeout);
  // Appends what comes next.
  Code Read(std::string& out, Milliseconds timeout);

 private:
  template <typename Start>
  Code Wait(Milliseconds timeout, Start start);

  boost::asio::io_context io_{1};
  boost::asio::ssl::context tls_;
  std::optional<boost::asio::ssl::stream<boost::asio::ip::tcp::socket>> stream_;
  bool encrypted_ = false;
  std::array<char, 16'384> buffer_;
  std::size_t transferred_ = 0;
};

}  // namespace kube_events
