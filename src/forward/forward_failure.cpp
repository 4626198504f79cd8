#include "forward/forward_failure.h"

#include <boost/asio/error.hpp>
#include <boost/asio/ssl/error.hpp>
#include <utility>

#include "kube_events/base/duration.h"

namespace kube_events {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;

Error Retry(std::string reason, std::string message) {
  return {.kind = ErrorKind::kRetry, .message = std::move(message), .reason = std::move(reason)};
}

bool IsEnd(const error_code& error) { return error == asio::error::eof || error == asio::ssl::error::stream_truncated; }

bool IsReset(const error_code& error) {
  return error == asio::error::connection_reset || error == asio::error::broken_pipe ||
         error == asio::error::connection_aborted;
}

Error DescribeConnect(const std::string& server, const error_code& error) {
  return Retry("connect", "cannot connect to " + server + ": " + error.message() +
                              "; check that it is running at this address and port, and firewalls and network policies "
                              "on the way");
}

Error DescribeTls(const std::string& server, const error_code& error, const std::string& refusal) {
  if (!refusal.empty()) {
    return Retry("tls", "the TLS certificate of " + server + " was refused: " + refusal +
                            "; check ca-file, the address or server-name, and the clocks");
  }
  const std::string why = IsEnd(error) || IsReset(error) ? "it closed the connection" : error.message();
  return Retry("tls", "TLS with " + server + " failed: " + why +
                          "; check that the port speaks TLS and that the receiver accepts the client certificate");
}

// During the handshake a receiver has no other way to say that it does not want this client.
Error DescribeClosedHandshake(const std::string& server) {
  Error error = Retry("eof", server +
                                 " closed the connection in the middle of the handshake, as Fluent Bit does where "
                                 "the shared key is wrong; check that it is the same on both sides");
  error.kind = ErrorKind::kUnauthenticated;
  return error;
}

Error DescribeClosed(const std::string& server, ForwardStage stage, std::string reason) {
  const std::string verb = reason == "reset" ? " reset the connection " : " closed the connection ";
  if (stage == ForwardStage::kHelo) {
    return Retry(std::move(reason), server + verb + "before it began the handshake; check its log");
  }
  const std::string when = stage == ForwardStage::kSend ? "while records were sent" : "before it acknowledged";
  return Retry(
      std::move(reason),
      server + verb + when +
          "; this is normal when it restarts; if it repeats, check its log: it may want TLS or a shared key, or "
          "refuse messages of this size");
}

std::string WhatTookTooLong(ForwardStage stage) {
  switch (stage) {
    case ForwardStage::kConnect:
      return "did not accept the connection";
    case ForwardStage::kTls:
      return "did not answer the TLS handshake";
    case ForwardStage::kHelo:
      return "did not begin the handshake";
    case ForwardStage::kPong:
      return "did not answer the handshake";
    case ForwardStage::kSend:
      return "did not read what was sent";
    case ForwardStage::kAck:
      return "did not acknowledge the records";
  }
  return "did not answer";
}

std::string AdviceForTimeout(ForwardStage stage) {
  switch (stage) {
    case ForwardStage::kConnect:
      return "check that it is running and that no firewall or network policy drops the packets";
    case ForwardStage::kTls:
      return "check that the port speaks TLS";
    case ForwardStage::kHelo:
      return "check that it has a shared key (<security> of Fluentd, shared_key of Fluent Bit), or remove the shared "
             "key "
             "here, and that TLS is on at both ends or at none";
    case ForwardStage::kPong:
      return "check its log and its load";
    case ForwardStage::kSend:
      return "it is overloaded, paused, or its buffer is full; check its log and the outputs behind it";
    case ForwardStage::kAck:
      return "check that it is a receiver of the forward protocol that acknowledges chunks, that TLS is on at both "
             "ends or "
             "at none, and whether its buffer is full";
  }
  return "check its log";
}

}  // namespace

Error DescribeForwardTimeout(std::string_view server, ForwardStage stage, std::chrono::milliseconds allowed) {
  return Retry("timeout", std::string(server) + " " + WhatTookTooLong(stage) + " within " + FormatDuration(allowed) +
                              "; " + AdviceForTimeout(stage));
}

Error DescribeForwardFailure(std::string_view server, ForwardStage stage, const error_code& error,
                             const std::string& refusal) {
  const std::string name(server);
  if (stage == ForwardStage::kConnect) return DescribeConnect(name, error);
  // With TLS 1.3 a server refuses the client certificate only after the handshake.
  const bool of_tls = error.category() == asio::error::get_ssl_category();
  if (stage == ForwardStage::kTls || of_tls) return DescribeTls(name, error, refusal);
  if (!IsEnd(error) && !IsReset(error)) {
    return Retry("reset", "the connection to " + name + " broke: " + error.message() + "; check the network to it");
  }
  if (stage == ForwardStage::kPong) return DescribeClosedHandshake(name);
  return DescribeClosed(name, stage, IsReset(error) ? "reset" : "eof");
}

Error DescribeForwardNonsense(std::string_view server, std::string_view what) {
  return Retry("protocol", std::string(server) + " sent " + std::string(what) +
                               "; check that a receiver of the forward protocol listens at this address and port");
}

bool IsBrokenConnection(const Error& error) {
  return error.kind == ErrorKind::kRetry && (error.reason == "eof" || error.reason == "reset");
}

}  // namespace kube_events
