#include "sim/sim_test_support.h"

namespace kube_events::sim {
namespace {

using nlohmann::json;
using namespace std::chrono_literals;

class Faults : public ::testing::Test {
 protected:
  void SetUp() override {
    for (int i = 0; i < 5; ++i) server_.Create(MakeEvent("shop", "e" + std::to_string(i)));
  }
  FetchResponse ListEvents(const FetchOptions& options = {}) { return Get(server_.Url() + "/api/v1/events", options); }

  SimServer server_;
};

TEST_F(Faults, StatusIsAnsweredAsOftenAsAskedFor) {
  server_.AddFault(
      {.verb = "list", .skip = 1, .times = 2, .action = FaultAction::kStatus, .status = 429, .retry_after_seconds = 7});
  EXPECT_EQ(ListEvents().status, 200);
  const auto refused = ListEvents();
  EXPECT_EQ(refused.status, 429);
  EXPECT_EQ(refused.headers.at("retry-after"), "7");
  const json status = ParseJson(refused.body);
  EXPECT_EQ(status["reason"], "TooManyRequests");
  EXPECT_EQ(status["details"]["retryAfterSeconds"], 7);
  EXPECT_EQ(ListEvents().status, 429);
  EXPECT_EQ(ListEvents().status, 200);
}

TEST_F(Faults, MatchByVerbGroupAndNamespace) {
  server_.AddFault({.verb = "list", .group = "core", .namespace_name = "shop", .action = FaultAction::kStatus});
  EXPECT_EQ(ListEvents().status, 200);
  EXPECT_EQ(Get(server_.Url() + "/apis/events.k8s.io/v1/namespaces/shop/events").status, 200);
  EXPECT_EQ(Get(server_.Url() + "/api/v1/namespaces/shop/events").status, 500);
}

TEST_F(Faults, TooLargeResourceVersionHasThreeSpellings) {
  server_.AddFault({.action = FaultAction::kStatus, .status = 504, .reason = "ResourceVersionTooLarge"});
  server_.AddFault({.action = FaultAction::kStatus, .status = 504, .reason = "TooLargeCauseMessage"});
  server_.AddFault({.action = FaultAction::kStatus, .status = 504, .reason = "TooLargeMessageOnly"});
  EXPECT_EQ(ParseJson(ListEvents().body)["details"]["causes"][0]["reason"], "ResourceVersionTooLarge");
  const json second = ParseJson(ListEvents().body);
  EXPECT_EQ(second["details"]["causes"][0], (json{{"message", "Too large resource version"}}));
  const json third = ParseJson(ListEvents().body);
  EXPECT_FALSE(third.contains("details"));
  EXPECT_NE(third["message"].get<std::string>().find("Too large resource version"), std::string::npos);
}

TEST_F(Faults, ResponsesCanBeCutAndReset) {
  server_.AddFault({.action = FaultAction::kReset});
  EXPECT_EQ(ListEvents().end, FetchEnd::kReset);
  server_.AddFault({.action = FaultAction::kClose});
  const auto nothing = ListEvents();
  EXPECT_EQ(nothing.status, 0);
  EXPECT_EQ(nothing.end, FetchEnd::kClosed);
  server_.AddFault({.action = FaultAction::kTruncate, .after_bytes = 600});
  const auto part = ListEvents();
  EXPECT_EQ(part.status, 200);
  EXPECT_EQ(part.end, FetchEnd::kClosed);
  EXPECT_FALSE(part.body.empty());
}

TEST_F(Faults, SilenceNeverAnswers) {
  server_.AddFault({.action = FaultAction::kSilence});
  EXPECT_EQ(ListEvents({.timeout = 100ms}).end, FetchEnd::kTimeout);
}

TEST_F(Faults, DelayComesBeforeTheAnswer) {
  server_.AddFault({.action = FaultAction::kDelay, .delay_ms = 150});
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(ListEvents().status, 200);
  EXPECT_GE(std::chrono::steady_clock::now() - begin, 150ms);
}

TEST_F(Faults, BodyReplacesTheAnswer) {
  server_.AddFault({.action = FaultAction::kBody, .text = "<html>a proxy</html>"});
  EXPECT_EQ(ListEvents().body, "<html>a proxy</html>");
}

TEST_F(Faults, WatchEndsAfterSoManyFrames) {
  const std::pair<FaultAction, FetchEnd> cases[] = {{FaultAction::kEnd, FetchEnd::kComplete},
                                                    {FaultAction::kClose, FetchEnd::kClosed},
                                                    {FaultAction::kReset, FetchEnd::kReset}};
  for (const auto& [action, end] : cases) {
    server_.AddFault({.verb = "watch", .action = action, .after_frames = 3});
    FetchStream stream(WatchUrl(server_, 1));
    int frames = 0;
    while (NextFrame(stream).is_object()) ++frames;
    // A reset may overtake what was sent before it.
    EXPECT_TRUE(frames == 3 || action == FaultAction::kReset) << frames;
    EXPECT_EQ(stream.end(), end);
  }
}

TEST_F(Faults, WatchBreaksOffInTheMiddleOfAFrame) {
  server_.AddFault({.verb = "watch", .action = FaultAction::kTruncate, .after_frames = 1});
  FetchStream stream(WatchUrl(server_, 1));
  EXPECT_TRUE(NextFrame(stream).is_object());
  const auto half = stream.NextLine();
  ASSERT_TRUE(half);
  EXPECT_TRUE(json::parse(*half, nullptr, false).is_discarded());
  EXPECT_EQ(stream.end(), FetchEnd::kClosed);
}

TEST_F(Faults, WatchSendsAnErrorFrame) {
  server_.AddFault(
      {.verb = "watch", .action = FaultAction::kError, .after_frames = 1, .status = 500, .message = "etcd is gone"});
  FetchStream stream(WatchUrl(server_, 1));
  NextFrame(stream);
  const json frame = NextFrame(stream);
  EXPECT_EQ(frame["type"], "ERROR");
  EXPECT_EQ(frame["object"]["code"], 500);
  EXPECT_EQ(frame["object"]["message"], "etcd is gone");
  EXPECT_EQ(stream.NextLine(), std::nullopt);
  EXPECT_EQ(stream.end(), FetchEnd::kComplete);
}

TEST_F(Faults, WatchFallsSilentButStaysOpen) {
  server_.AddFault({.verb = "watch", .action = FaultAction::kSilence, .after_frames = 2});
  FetchStream stream(WatchUrl(server_, 1));
  EXPECT_TRUE(NextFrame(stream).is_object());
  EXPECT_TRUE(NextFrame(stream).is_object());
  EXPECT_TRUE(NextFrame(stream, 100ms).is_null());
  EXPECT_EQ(stream.end(), FetchEnd::kTimeout);
}

TEST_F(Faults, WatchSendsForeignFramesInBetween) {
  server_.AddFault({.verb = "watch", .action = FaultAction::kFrame, .after_frames = 1, .text = R"({"type":"NEW"})"});
  FetchStream stream(WatchUrl(server_, 1));
  NextFrame(stream);
  EXPECT_EQ(stream.NextLine(), R"({"type":"NEW"})");
  EXPECT_EQ(NextFrame(stream)["type"], "ADDED");
}

TEST_F(Faults, CountAsMetWhenTheyHaveHappenedAndNoSooner) {
  server_.AddFault({.verb = "list", .skip = 1, .times = 2, .action = FaultAction::kStatus});
  server_.AddFault({.verb = "watch", .action = FaultAction::kEnd, .after_frames = 6});
  EXPECT_EQ(server_.State().faults_added, 3U);
  ListEvents();
  EXPECT_EQ(server_.State().faults_met, 0U);
  ListEvents();
  ListEvents();
  EXPECT_EQ(server_.State().faults_met, 2U);
  FetchStream stream(WatchUrl(server_, 1));
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(NextFrame(stream).is_object());
  EXPECT_EQ(server_.State().faults_met, 2U);
  server_.Create(MakeEvent("shop", "last"));
  EXPECT_TRUE(NextFrame(stream).is_object());
  EXPECT_EQ(stream.NextLine(), std::nullopt);
  EXPECT_EQ(server_.State().faults_met, 3U);
}

TEST_F(Faults, AreSetListedAndClearedOverTheControlRequests) {
  const std::string url = server_.Url() + "/sim/v1/faults";
  EXPECT_EQ(Post(url, R"([{"verb":"list","action":"status","status":503},{"action":"reset","times":-1}])").status, 200);
  EXPECT_EQ(GetJson(url).size(), 2U);
  EXPECT_EQ(ListEvents().status, 503);
  EXPECT_EQ(GetJson(url).size(), 1U);
  EXPECT_EQ(Fetch("DELETE", url).status, 200);
  EXPECT_EQ(ListEvents().status, 200);
  const auto refused = Post(url, R"({"action":"explode"})");
  EXPECT_EQ(refused.status, 400);
  EXPECT_NE(refused.body.find("action"), std::string::npos);
}

}  // namespace
}  // namespace kube_events::sim
