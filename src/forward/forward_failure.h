// What went wrong on a connection to a receiver of the forward protocol, as an Error worded for an administrator. Pure
// functions, any thread.
#pragma once

#include <boost/system/error_code.hpp>
#include <chrono>
#include <string>
#include <string_view>

#include "kube_events/base/error.h"

namespace kube_events {

// What was being done.
enum class ForwardStage {
  kConnect,
  kTls,
  kHelo,  // waiting for the server to begin the handshake
  kPong,  // sending PING and waiting for the answer
  kSend,
  kAck,  // waiting for an acknowledgement
};

// All of these are kRetry, with a word of the network as reason, except that a connection closed in the middle of the
// handshake is kUnauthenticated: Fluent Bit closes it where the shared key is wrong. `server` is "the forward receiver
// host:port".

// "timeout": it took longer than `allowed`.
Error DescribeForwardTimeout(std::string_view server, ForwardStage stage, std::chrono::milliseconds allowed);

// "connect", "tls", "reset" or "eof". `refusal`: why the server's certificate was refused; empty where it was not.
Error DescribeForwardFailure(std::string_view server, ForwardStage stage, const boost::system::error_code& error,
                             const std::string& refusal);

// "protocol": it sent what is no answer.
Error DescribeForwardNonsense(std::string_view server, std::string_view what);

// Whether the peer closed or broke the connection, as it does when it restarts or keeps connections only for so long.
bool IsBrokenConnection(const Error& error);

}  // namespace kube_events
