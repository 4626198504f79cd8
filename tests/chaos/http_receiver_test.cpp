#include "chaos/http_receiver.h"

#include <gtest/gtest.h>

#include <future>

#include "support/eventually.h"
#include "support/http_fetch.h"

namespace kube_events::chaos {
namespace {

using namespace std::chrono_literals;

const std::string kBatch = R"([{"type":"ADDED","id":"a/7","object":{"metadata":{"uid":"a","resourceVersion":"7"}}}])";

FetchResponse Send(const HttpReceiver& receiver, const std::string& batch) {
  return Post(receiver.Url() + "/events", batch, {.headers = {{"X-Process", "3"}}});
}

TEST(HttpReceiver, RemembersWhatItAcknowledgesAndNothingElse) {
  HttpReceiver receiver(1ms);
  const std::vector<std::pair<ReceiverMode, int>> modes = {{ReceiverMode::kGood, 200},
                                                           {ReceiverMode::kSlow, 200},
                                                           {ReceiverMode::kRefusing, 503},
                                                           {ReceiverMode::kDown, 0},
                                                           {ReceiverMode::kGood, 200}};
  for (const auto& [mode, status] : modes) {
    receiver.SetMode(mode);
    EXPECT_EQ(Send(receiver, kBatch).status, status) << ToString(mode);
    const auto received = receiver.Take();
    ASSERT_EQ(received.size(), status == 200 ? 1U : 0U) << ToString(mode);
    if (received.empty()) continue;
    EXPECT_EQ(received.front().version, 7U);
    EXPECT_EQ(received.front().process, 3);
  }
  EXPECT_TRUE(receiver.Faults().empty());
  Send(receiver, "[17]");
  EXPECT_EQ(receiver.Faults().size(), 1U);
}

TEST(HttpReceiver, NeverAnswersWhatItWasSilentAbout) {
  HttpReceiver receiver;
  receiver.SetMode(ReceiverMode::kSilent);
  auto answer = std::async(std::launch::async, [&] { return Send(receiver, kBatch).status; });
  EXPECT_EQ(answer.wait_for(50ms), std::future_status::timeout);
  // Repeated, since the request may not have arrived before the first.
  EXPECT_TRUE(Eventually([&] {
    receiver.SetMode(ReceiverMode::kRefusing);
    return answer.wait_for(0ms) == std::future_status::ready;
  }));
  EXPECT_NE(answer.get(), 200);
  EXPECT_TRUE(receiver.Take().empty());
}

}  // namespace
}  // namespace kube_events::chaos
