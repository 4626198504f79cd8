#include "kube_events/net/body_collector.h"

#include <gtest/gtest.h>

#include <optional>

#include "support/fake_http_client.h"

namespace kube_events {
namespace {

class BodyCollectorTest : public ::testing::Test {
 protected:
  BodyCollector Make(std::size_t max_bytes, BodyUse use = BodyUse::kWhole) {
    const auto tell = [this](Result<HttpResponse> response) {
      EXPECT_FALSE(told_) << "told twice";
      told_ = std::move(response);
    };
    return BodyCollector(max_bytes, tell, use);
  }

  FakeHttpClient client_;
  std::optional<Result<HttpResponse>> told_;
};

TEST_F(BodyCollectorTest, JoinsThePiecesAndKeepsTheHead) {
  BodyCollector collector = Make(100);
  const auto exchange = client_.Start({}, collector);
  client_.last().Head(404);
  client_.last().Body("not ");
  client_.last().Body("there");
  EXPECT_FALSE(told_);
  client_.last().End();
  ASSERT_TRUE(told_ && *told_);
  EXPECT_EQ((*told_)->head.status, 404);
  EXPECT_EQ((*told_)->body, "not there");
}

TEST_F(BodyCollectorTest, PassesAFailureOn) {
  BodyCollector collector = Make(100);
  const auto exchange = client_.Start({}, collector);
  client_.last().Head(200);
  client_.last().Body("half");
  client_.last().Fail({ErrorKind::kRetry, "gone"});
  ASSERT_TRUE(told_ && !*told_);
  EXPECT_EQ(told_->error().message, "gone");
}

TEST_F(BodyCollectorTest, TakesABodyOfExactlyTheLimit) {
  BodyCollector collector = Make(4);
  const auto exchange = client_.Start({}, collector);
  client_.last().Respond(200, "four");
  ASSERT_TRUE(told_ && *told_);
  EXPECT_EQ((*told_)->body, "four");
}

TEST_F(BodyCollectorTest, FailsOnceAndAtOnceBeyondTheLimit) {
  BodyCollector collector = Make(4);
  const auto exchange = client_.Start({}, collector);
  client_.last().Head(200);
  client_.last().Body("thr");
  client_.last().Body("ee");
  ASSERT_TRUE(told_ && !*told_);
  EXPECT_EQ(told_->error().kind, ErrorKind::kInvalid);
  EXPECT_NE(told_->error().message.find("4 bytes"), std::string::npos);
  client_.last().Body("more");
  client_.last().End();
}

TEST_F(BodyCollectorTest, OfAnExcerptTheBeginningComesAtOnce) {
  BodyCollector collector = Make(4, BodyUse::kExcerpt);
  const auto exchange = client_.Start({}, collector);
  client_.last().Head(503);
  client_.last().Body("too");
  EXPECT_FALSE(told_);
  client_.last().Body(" much to read");
  ASSERT_TRUE(told_ && *told_);
  EXPECT_EQ((*told_)->head.status, 503);
  EXPECT_EQ((*told_)->body, "too ");
  client_.last().Body("more");
  client_.last().End();
}

TEST_F(BodyCollectorTest, AnExcerptMayBreakOffButHasAStatus) {
  BodyCollector collector = Make(100, BodyUse::kExcerpt);
  const auto exchange = client_.Start({}, collector);
  client_.last().Head(201);
  client_.last().Body("half");
  client_.last().Fail({ErrorKind::kRetry, "gone"});
  ASSERT_TRUE(told_ && *told_);
  EXPECT_EQ((*told_)->head.status, 201);
  EXPECT_EQ((*told_)->body, "half");
  told_.reset();
  BodyCollector other = Make(100, BodyUse::kExcerpt);
  const auto refused = client_.Start({}, other);
  client_.last().Fail({ErrorKind::kRetry, "refused"});
  ASSERT_TRUE(told_ && !*told_);
  EXPECT_EQ(told_->error().message, "refused");
}

}  // namespace
}  // namespace kube_events
