// The stub's HTTP server: one request per connection, answered at once.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace stub {

struct Request {
  std::string method;
  std::string path;
  bool has_body = false;
};
struct Reply {
  int status = 200;
  std::string body;
  bool none = false;  // the connection stays open without an answer
};

class Http {
 public:
  using Handler = std::function<Reply(const Request&)>;
  explicit Http(Handler handler) : handler_(std::move(handler)) {}
  ~Http() { Close(); }

  // False where the port is in use.
  bool Open(int port);
  void Close();
  int port() const { return port_; }
  int fd() const { return fd_; }  // -1: closed
  void Serve();                   // a connection is there

 private:
  const Handler handler_;
  int fd_ = -1;
  int port_ = 0;
  std::vector<int> unanswered_;
};

}  // namespace stub
