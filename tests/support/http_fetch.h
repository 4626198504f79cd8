// A small blocking HTTP client for tests, independent of the client under test: whole responses, and streams read line
// by line as they come. One connection per request. Objects belong to one thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kube_events {

struct FetchOptions {
  std::vector<std::pair<std::string, std::string>> headers = {};
  std::chrono::milliseconds timeout{10'000};  // of connecting and of each read
  // For https: PEM texts. Without a CA the server's certificate is not checked.
  std::string ca_pem = {};
  std::string certificate_pem = {};
  std::string key_pem = {};
};

// How a response ended.
enum class FetchEnd {
  kOpen,      // not yet
  kComplete,  // whole: Content-Length reached or last chunk seen
  kClosed,    // the peer closed before that
  kReset,     // TCP reset, or another failure of the connection
  kTimeout,
};

struct FetchResponse {
  int status = 0;                              // 0: no response came
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;
  FetchEnd end = FetchEnd::kOpen;
};

// `url`: "http://127.0.0.1:8080/path?query" or https. Blocks until the response is complete or has failed.
FetchResponse Fetch(const std::string& method, const std::string& url, const std::string& body = "",
                    const FetchOptions& options = {});
inline FetchResponse Get(const std::string& url, const FetchOptions& options = {}) {
  return Fetch("GET", url, "", options);
}
// `body` is sent as application/json unless the options have a Content-Type.
inline FetchResponse Post(const std::string& url, const std::string& body, const FetchOptions& options = {}) {
  return Fetch("POST", url, body, options);
}

// A GET whose body is read line by line.
class FetchStream {
 public:
  // Blocks until the head of the response is there; status() is 0 where none came.
  explicit FetchStream(const std::string& url, const FetchOptions& options = {});
  ~FetchStream();
  FetchStream(FetchStream&&) noexcept;

  int status() const;
  const std::map<std::string, std::string>& headers() const;
  // The next line without its newline; nothing at the end of the stream or when `timeout` is over. What follows the
  // last newline is a line too.
  std::optional<std::string> NextLine(std::chrono::milliseconds timeout = std::chrono::seconds{10});
  // Why NextLine had nothing; kOpen after a line.
  FetchEnd end() const;
  // Sizes of the chunks that came so far.
  const std::vector<std::size_t>& chunks() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kube_events
