// From what the HTTP library reports to an Error with a reason, worded for an administrator. Pure, any thread.
#pragma once

#include <chrono>
#include <string>

#include "kube_events/base/error.h"

namespace kube_events {

struct HttpFailure {
  std::string server;        // its address
  std::string library;       // the library's own words
  int code = 0;              // of the library: an errno, or a number of Boost.Asio or OpenSSL squeezed into one
  std::string verification;  // why the server's certificate was refused, if it was
  bool head_seen = false;    // the response had begun
  bool paused = false;       // reading was paused by us
  std::chrono::milliseconds waited{0};  // the limit that was exceeded, for a timeout
};

// kRetry with reason "connect", "tls", "timeout", "reset", "eof" or "protocol".
Error DescribeHttpFailure(const HttpFailure& failure);

}  // namespace kube_events
