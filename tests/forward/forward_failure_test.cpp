#include "forward/forward_failure.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <boost/asio/error.hpp>
#include <string>
#include <vector>

namespace kube_events {
namespace {

using ::testing::HasSubstr;
namespace asio = boost::asio;

constexpr ForwardStage kStages[] = {ForwardStage::kConnect, ForwardStage::kTls,  ForwardStage::kHelo,
                                    ForwardStage::kPong,    ForwardStage::kSend, ForwardStage::kAck};

TEST(ForwardFailureTest, EachStageHasItsOwnWordsAndAdvice) {
  std::vector<std::string> told;
  for (const ForwardStage stage : kStages) {
    const Error error = DescribeForwardTimeout("the receiver", stage, std::chrono::seconds(30));
    EXPECT_EQ(error.kind, ErrorKind::kRetry);
    EXPECT_EQ(error.reason, "timeout");
    EXPECT_THAT(error.message, HasSubstr("the receiver did not "));
    EXPECT_THAT(error.message, HasSubstr(" within 30s; "));
    EXPECT_EQ(std::count(told.begin(), told.end(), error.message), 0);
    told.push_back(error.message);
  }
}

TEST(ForwardFailureTest, OnlyWhatThePeerClosedIsABrokenConnection) {
  for (const ForwardStage stage : {ForwardStage::kHelo, ForwardStage::kSend, ForwardStage::kAck}) {
    EXPECT_TRUE(IsBrokenConnection(DescribeForwardFailure("r", stage, asio::error::eof, "")));
    EXPECT_TRUE(IsBrokenConnection(DescribeForwardFailure("r", stage, asio::error::connection_reset, "")));
    EXPECT_FALSE(IsBrokenConnection(DescribeForwardTimeout("r", stage, std::chrono::seconds(1))));
  }
  EXPECT_FALSE(
      IsBrokenConnection(DescribeForwardFailure("r", ForwardStage::kConnect, asio::error::connection_refused, "")));
  EXPECT_FALSE(IsBrokenConnection(DescribeForwardFailure("r", ForwardStage::kTls, asio::error::eof, "")));
  EXPECT_FALSE(IsBrokenConnection(DescribeForwardNonsense("r", "nonsense")));
}

TEST(ForwardFailureTest, ARefusedCertificateIsExplained) {
  const Error error = DescribeForwardFailure("the receiver", ForwardStage::kTls, asio::error::eof, "it has expired");
  EXPECT_EQ(error.reason, "tls");
  EXPECT_THAT(error.message, HasSubstr("the TLS certificate of the receiver was refused: it has expired"));
}

TEST(ForwardFailureTest, AConnectionClosedInTheHandshakeIsAboutTheKey) {
  const Error error = DescribeForwardFailure("the receiver", ForwardStage::kPong, asio::error::eof, "");
  EXPECT_EQ(error.kind, ErrorKind::kUnauthenticated);
}

}  // namespace
}  // namespace kube_events
