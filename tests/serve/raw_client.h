// A client that sends exactly what a test says, also what no decent client would send.
// Owned and used by one thread. Every wait has a deadline of 10 s, which only matters for a failing test.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kube_events {

struct RawResponse {
  int status = 0;    // 0: the connection ended before a whole response
  std::string head;  // status line and header lines, each ended by CRLF
  std::string body;

  // The value of a header; empty where it is missing.
  std::string Header(std::string_view name) const;
  explicit operator bool() const { return status != 0; }
};

class RawClient {
 public:
  // Connects to 127.0.0.1 or, as `host`, another literal address. Throws where it cannot.
  explicit RawClient(std::uint16_t port, const std::string& host = "127.0.0.1");
  ~RawClient();
  RawClient(RawClient&& other) noexcept;
  RawClient& operator=(RawClient&&) = delete;

  // Sends all bytes; false where the server has closed the connection. Blocks while the server does not read.
  bool Send(std::string_view bytes);
  // The next response, with a body as its Content-Length says (`has_body`: false after a HEAD). Status 0
  // where the connection ends before.
  RawResponse Receive(bool has_body = true);
  // Send and Receive of a GET with these header lines ("Accept: x\r\n").
  RawResponse Get(const std::string& target, const std::string& header_lines = {});
  // Waits until the server has closed the connection, dropping what it sends. False at the deadline.
  bool AwaitClosed();
  // Whether the server has closed it by now, or does so within `milliseconds`; drops what it sends.
  bool ClosedWithin(int milliseconds);
  // Waits for the first bytes of an answer without taking them.
  bool AwaitReadable(int milliseconds = 10'000) const;
  // Ends the connection with a reset, as a killed client's kernel may do.
  void Reset();

 private:
  bool ReceiveMore();

  int fd_ = -1;
  std::string received_;
};

}  // namespace kube_events
