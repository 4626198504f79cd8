#include "chaos/fast_receiver.h"

#include <gtest/gtest.h>

#include "support/http_fetch.h"

namespace kube_events::chaos {
namespace {

TEST(FastReceiver, AcknowledgesEveryRequest) {
  const FastReceiver receiver(ReceiverProtocol::kHttp);
  const std::string url = "http://127.0.0.1:" + std::to_string(receiver.port()) + "/";
  EXPECT_EQ(Post(url, std::string(1'000'000, 'x')).status, 200);
  EXPECT_EQ(Post(url, "").status, 200);
  EXPECT_EQ(receiver.batches(), 2U);
}

}  // namespace
}  // namespace kube_events::chaos
