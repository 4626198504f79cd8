#include "kube_events/net/blocking_call.h"

#include <gtest/gtest.h>

#include <optional>
#include <thread>

#include "support/fake_http_client.h"

namespace kube_events {
namespace {

using std::chrono::milliseconds;

// A call on a thread of its own, since it waits.
class BlockingCallTest : public ::testing::Test {
 protected:
  void Begin(const CallLimits& limits) {
    caller_ = std::jthread([this, limits] { result_ = CallAndWait(client_, {}, limits); });
  }
  const Result<HttpResponse>& End() {
    caller_.join();
    return *result_;
  }

  FakeHttpClient client_;
  std::optional<Result<HttpResponse>> result_;  // the caller's until it is joined
  std::jthread caller_;
};

TEST_F(BlockingCallTest, WaitsForTheWholeAnswerOfWhateverStatus) {
  Begin({.timeout = std::chrono::hours{1}});
  EXPECT_EQ(client_.at(0).request().head_timeout, std::chrono::hours{1});
  EXPECT_EQ(client_.at(0).request().idle_timeout, std::chrono::hours{1});
  client_.at(0).Head(404);
  client_.at(0).Body("not ");
  client_.at(0).Body("there");
  client_.at(0).End();
  const auto& answer = End();
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->head.status, 404);
  EXPECT_EQ(answer->body, "not there");
}

TEST_F(BlockingCallTest, PassesAFailureOn) {
  Begin({.timeout = std::chrono::hours{1}});
  client_.at(0).Fail({ErrorKind::kRetry, "reset by peer"});
  const auto& answer = End();
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().message, "reset by peer");
}

TEST_F(BlockingCallTest, EndsWhenItsTimeIsOverAndCancelsTheRequest) {
  const auto answer = CallAndWait(client_, {}, {.timeout = milliseconds{20}});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().kind, ErrorKind::kRetry);
  EXPECT_EQ(answer.error().reason, "timeout");
  EXPECT_TRUE(client_.at(0).cancelled());
}

TEST_F(BlockingCallTest, AStopEndsItAtOnce) {
  std::stop_source stop;
  Begin({.timeout = std::chrono::hours{1}, .stop = stop.get_token()});
  client_.at(0).Head(200);
  stop.request_stop();
  const auto& answer = End();
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().kind, ErrorKind::kCancelled);
  EXPECT_TRUE(client_.at(0).cancelled());
}

TEST_F(BlockingCallTest, TakesAsMuchOfTheBodyAsTheLimitsSay) {
  Begin({.timeout = std::chrono::hours{1}, .max_bytes = 3});
  client_.at(0).Head(200);
  client_.at(0).Body("four");
  EXPECT_EQ(End().error().kind, ErrorKind::kInvalid);
  Begin({.timeout = std::chrono::hours{1}, .max_bytes = 3, .body = BodyUse::kExcerpt});
  client_.at(1).Head(200);
  client_.at(1).Body("four");
  EXPECT_EQ(End()->body, "fou");
}

}  // namespace
}  // namespace kube_events
