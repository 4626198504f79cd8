#include "net/failure_text.h"

#include <gtest/gtest.h>

#include <cerrno>

namespace kube_events {
namespace {

struct Row {
  const char* name;
  const char* library;
  int code;
  bool head_seen;
  const char* reason;
  const char* words;  // that the message must hold
};

class FailureText : public ::testing::TestWithParam<Row> {};

TEST_P(FailureText, NamesReasonServerAndCause) {
  HttpFailure failure;
  failure.server = "https://10.0.0.1:6443";
  failure.library = GetParam().library;
  failure.code = GetParam().code;
  failure.head_seen = GetParam().head_seen;
  failure.waited = std::chrono::seconds(30);
  const Error error = DescribeHttpFailure(failure);
  EXPECT_EQ(error.kind, ErrorKind::kRetry);
  EXPECT_EQ(error.reason, GetParam().reason);
  EXPECT_NE(error.message.find(GetParam().words), std::string::npos) << error.message;
  EXPECT_NE(error.message.find("https://10.0.0.1:6443"), std::string::npos) << error.message;
}

// The words and numbers are those of cpprestsdk 2.10.18: 2 is Boost.Asio's end of file, 1 its "host not found" and
// its "stream truncated", and OpenSSL's codes come as they are.
INSTANTIATE_TEST_SUITE_P(
    Rows, FailureText,
    ::testing::Values(
        Row{"Refused", "Failed to connect to any resolved endpoint", EHOSTUNREACH, false, "connect", "refused"},
        Row{"Unreachable", "Failed to connect to any resolved endpoint", ENETUNREACH, false, "connect", "unreachable"},
        Row{"Forbidden", "Failed to connect to any resolved endpoint", EACCES, false, "connect", "firewall"},
        Row{"NoSuchHost", "Error resolving address", 1, false, "connect", "does not exist"},
        Row{"NameServerDown", "Error resolving address", 2, false, "connect", "name server"},
        Row{"ConnectTimeout", "Failed to connect to any resolved endpoint", ETIMEDOUT, false, "timeout", "within 30s"},
        Row{"HandshakeTimeout", "Error in SSL handshake", ETIMEDOUT, false, "timeout", "within 30s"},
        Row{"SilentBody", "Retrieving message chunk header", ETIMEDOUT, true, "timeout", "(for 30s"},
        Row{"NoTls", "Error in SSL handshake", 0x0A00010B, false, "tls", "wrong version number"},
        Row{"HandshakeCut", "Error in SSL handshake", 2, false, "tls", "closed the connection"},
        Row{"ClientCertificateWanted", "Failed to read HTTP status line", 0x0A00045C, false, "tls",
            "certificate required"},
        Row{"ResetBeforeHead", "Failed to read HTTP status line", ECONNRESET, false, "reset", "before it answered"},
        Row{"BrokenPipe", "Failed to write request headers", EHOSTUNREACH, false, "reset", "before it answered"},
        Row{"ResetInBody", "Failed to read chunked response part", ECONNRESET, true, "reset", "in the middle"},
        Row{"EofBeforeHead", "Failed to read HTTP status line", ECONNABORTED, false, "eof", "before it answered"},
        Row{"EofInBody", "Failed to read response body", 2, true, "eof", "in the middle"},
        Row{"TlsTruncated", "Retrieving message chunk header", 1, true, "eof", "in the middle"},
        Row{"NoHttp", "Invalid HTTP status line", 0, false, "protocol", "not HTTP"},
        Row{"BadChunk", "Invalid chunked response header", 0, true, "protocol", "not HTTP"}),
    [](const auto& row) { return row.param.name; });

TEST(FailureTextMore, GivesTheReasonOfARefusedCertificate) {
  HttpFailure failure;
  failure.server = "https://h:1";
  failure.library = "Error in SSL handshake";
  failure.code = 0x0A000086;
  failure.verification = "certificate verify failed: unable to get local issuer certificate";
  const Error error = DescribeHttpFailure(failure);
  EXPECT_EQ(error.reason, "tls");
  EXPECT_NE(error.message.find("unable to get local issuer certificate"), std::string::npos);
  EXPECT_NE(error.message.find("check the configured CA"), std::string::npos);
}

TEST(FailureTextMore, BlamesTheReaderForATimeoutWhilePaused) {
  HttpFailure failure;
  failure.code = ETIMEDOUT;
  failure.head_seen = true;
  failure.paused = true;
  EXPECT_NE(DescribeHttpFailure(failure).message.find("paused"), std::string::npos);
}

}  // namespace
}  // namespace kube_events
