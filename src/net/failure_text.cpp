#include "net/failure_text.h"

#include <openssl/err.h>
#include <openssl/ssl.h>

#include <cerrno>
#include <string_view>

#include "kube_events/base/duration.h"

namespace kube_events {
namespace {

// Numbers of Boost.Asio's own error categories, which the library passes on without their category.
constexpr int kHostNotFound = 1;
constexpr int kEndOfFile = 2;
constexpr int kTlsStreamTruncated = 1;

Error Retry(std::string reason, std::string message) {
  Error error;
  error.kind = ErrorKind::kRetry;
  error.reason = std::move(reason);
  error.message = std::move(message);
  return error;
}

bool Says(const HttpFailure& failure, std::string_view words) {
  return failure.library.find(words) != std::string::npos;
}

// OpenSSL packs its library number into the upper bits, so that its codes are far above every errno.
std::string OpenSslText(int code) {
  if (code < 0x10000) return {};
  OPENSSL_init_ssl(OPENSSL_INIT_LOAD_SSL_STRINGS, nullptr);
  const char* text = ERR_reason_error_string(static_cast<unsigned long>(code));
  return text == nullptr ? "OpenSSL error " + std::to_string(code) : text;
}

Error DescribeTimeout(const HttpFailure& failure) {
  const std::string limit = FormatDuration(failure.waited);
  if (failure.paused) {
    return Retry("timeout", "the response of " + failure.server + " was given up because reading it was paused for " +
                                limit + "; what takes it in is too slow");
  }
  if (failure.head_seen) {
    // The kernel's own limit, for packets that are not acknowledged, shows in the same way.
    return Retry("timeout", failure.server + " fell silent in the middle of a response (for " + limit +
                                ", or the network to it is broken); check the server and the network");
  }
  return Retry("timeout", failure.server + " did not answer within " + limit +
                              "; check that the server is running and that no firewall or network policy drops the "
                              "packets");
}

Error DescribeConnect(const HttpFailure& failure) {
  if (Says(failure, "resolving")) {
    const std::string why = failure.code == kHostNotFound ? "the name does not exist" : "the name server did not help";
    return Retry("connect", "cannot resolve the host of " + failure.server + " (" + why +
                                "); check the address and the DNS of this machine or pod");
  }
  const std::string why = failure.code == EHOSTUNREACH  ? "connection refused, or no route to the host"
                          : failure.code == ENETUNREACH ? "network unreachable"
                          : failure.code == EACCES || failure.code == EPERM
                              ? "not permitted by a local firewall or policy"
                              : "error " + std::to_string(failure.code);
  return Retry("connect", "cannot connect to " + failure.server + ": " + why +
                              "; check that the server is running at this address and port, and firewalls and network "
                              "policies on the way");
}

Error DescribeTls(const HttpFailure& failure) {
  if (!failure.verification.empty()) {
    return Retry("tls", "the TLS certificate of " + failure.server + " was refused: " + failure.verification +
                            "; check the configured CA, the server's address, the name that is configured for its "
                            "certificate, and the clocks");
  }
  std::string why = OpenSslText(failure.code);
  if (why.empty()) why = "the server closed the connection";
  return Retry("tls", "the TLS handshake with " + failure.server + " failed: " + why +
                          "; check that the port speaks TLS and that the server accepts the client certificate");
}

Error DescribeBroken(const HttpFailure& failure) {
  const std::string where = failure.head_seen ? " in the middle of a response" : " before it answered";
  if (failure.code == ECONNRESET || failure.code == EPIPE || (failure.code == EHOSTUNREACH && !failure.head_seen)) {
    return Retry("reset", failure.server + " reset the connection" + where +
                              "; this is normal when the server or a proxy restarts");
  }
  if (failure.code == kEndOfFile || failure.code == kTlsStreamTruncated || failure.code == ECONNABORTED) {
    return Retry("eof", failure.server + " closed the connection" + where +
                            "; this is normal when the server or a proxy restarts");
  }
  return Retry("protocol", failure.server + " sent what is not HTTP (" + failure.library +
                               "); check the address, the port, and whether it is http or https");
}

}  // namespace

Error DescribeHttpFailure(const HttpFailure& failure) {
  if (failure.code == ETIMEDOUT) return DescribeTimeout(failure);
  if (Says(failure, "SSL handshake")) return DescribeTls(failure);
  if (Says(failure, "resolving") || Says(failure, "connect to any")) return DescribeConnect(failure);
  // With TLS 1.3 a server refuses the client certificate only after the handshake.
  if (!OpenSslText(failure.code).empty()) return DescribeTls(failure);
  return DescribeBroken(failure);
}

}  // namespace kube_events
