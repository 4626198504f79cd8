// What ends a batch whatever the receiver does: its timeout, and the stop token, at every point.
#include <gmock/gmock.h>

#include <atomic>
#include <functional>
#include <optional>
#include <thread>

#include "forward/forward_fixture.h"
#include "forward/forward_receiver.h"
#include "kube_events/base/duration.h"
#include "support/eventually.h"
#include "support/sanitizers.h"
#include "support/test_resolver.h"

namespace kube_events {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;
using ::testing::HasSubstr;

// Far below kLongTimeout, far above what a busy machine needs.
constexpr milliseconds kPrompt{5000};

void StaySilent(ForwardPeer& peer) { peer.connection().WaitUntilClosed(); }

// A receiver that leaves the client waiting at one point.
struct Stuck {
  std::string name;
  std::string told;  // at the timeout
  ForwardReceiver::Script script = StaySilent;
  bool with_tls = false;
  bool with_key = false;
};

std::vector<Stuck> Points() {
  return {
      {.name = "TlsHandshake", .told = "did not answer the TLS handshake", .with_tls = true},
      {.name = "Helo", .told = "did not begin the handshake", .with_key = true},
      {.name = "Pong",
       .told = "did not answer the handshake",
       .script =
           [](ForwardPeer& peer) {
             peer.Send(nlohmann::json::array({"HELO", {{"nonce", "n"}, {"auth", ""}}}));
             StaySilent(peer);
           },
       .with_key = true},
      {.name = "Acknowledgement", .told = "did not acknowledge the records"},
  };
}

class ForwardLimitsTest : public ForwardSinkFixture, public ::testing::WithParamInterface<Stuck> {
 protected:
  void UseStuck(const ForwardReceiver& receiver) {
    Use(receiver.port());
    if (GetParam().with_key) UseKey("secret");
    settings_.forward.use_tls = GetParam().with_tls;
    settings_.forward.tls.insecure_skip_verify = GetParam().with_tls;
  }
};

TEST_P(ForwardLimitsTest, TheTimeoutEndsIt) {
  ForwardReceiver receiver(GetParam().script);
  UseStuck(receiver);
  const auto sent = Send({MakeEventRecord(1)}, milliseconds(200));
  ASSERT_FALSE(sent);
  EXPECT_EQ(sent.error().kind, ErrorKind::kRetry);
  EXPECT_EQ(sent.error().reason, "timeout");
  EXPECT_THAT(sent.error().message, HasSubstr(GetParam().told));
}

TEST_P(ForwardLimitsTest, TheStopTokenEndsItAtOnce) {
  ForwardReceiver receiver(GetParam().script);
  UseStuck(receiver);
  sink();
  std::stop_source source;
  std::jthread stopper([&] {
    EXPECT_TRUE(Eventually([&] { return receiver.connections() == 1; }));
    source.request_stop();
  });
  const auto begin = steady_clock::now();
  const auto sent = sink().Send(Batch{MakeEventRecord(1)}, {kLongTimeout, source.get_token()});
  ASSERT_FALSE(sent);
  EXPECT_EQ(sent.error().kind, ErrorKind::kCancelled);
  EXPECT_LT(steady_clock::now() - begin, kPrompt);
}

INSTANTIATE_TEST_SUITE_P(Points, ForwardLimitsTest, ::testing::ValuesIn(Points()),
                         [](const auto& point) { return point.param.name; });

class ForwardStopTest : public ForwardSinkFixture {
 protected:
  // Sends on a thread of its own until the token ends it, when `ready` holds.
  void ExpectPromptEnd(const Batch& batch, const std::function<bool()>& ready) {
    sink();
    std::stop_source source;
    std::optional<Result<void>> sent;
    std::jthread sender([&] { sent = sink().Send(batch, {kLongTimeout, source.get_token()}); });
    EXPECT_TRUE(Eventually(ready));
    const auto begin = steady_clock::now();
    source.request_stop();
    sender.join();
    EXPECT_LT(steady_clock::now() - begin, kPrompt);
    ASSERT_TRUE(sent.has_value());
    ASSERT_FALSE(*sent);
    EXPECT_EQ(sent->error().kind, ErrorKind::kCancelled);
  }

  // More than fits into the buffers of both ends.
  static Batch LargeBatch() {
    Batch batch;
    const std::string message(1'000'000, 'm');
    for (int i = 0; i < 12; ++i) batch.push_back(MakeEventRecord(i, "shop", "Pulled", message));
    return batch;
  }
};

TEST_F(ForwardStopTest, ATokenThatIsSetAlreadyEndsItBeforeItBegins) {
  ForwardReceiver receiver;
  Use(receiver.port());
  std::stop_source source;
  source.request_stop();
  const auto sent = sink().Send(Batch{MakeEventRecord(1)}, {kLongTimeout, source.get_token()});
  ASSERT_FALSE(sent);
  EXPECT_EQ(sent.error().kind, ErrorKind::kCancelled);
  EXPECT_TRUE(receiver.messages().empty());
}

TEST_F(ForwardStopTest, WhileConnecting) {
  HangingAddress hanging;
  Use(hanging.port());
  ExpectPromptEnd({MakeEventRecord(1)}, [] { return true; });
}

TEST_F(ForwardStopTest, WhileWritingToAPeerThatDoesNotRead) {
  std::atomic<bool> accepted = false;
  std::atomic<bool> over = false;
  ForwardReceiver receiver([&](ForwardPeer&) {
    accepted = true;
    static_cast<void>(Eventually([&] { return over.load(); }, kLongTimeout));
  });
  Use(receiver.port());
  ExpectPromptEnd(LargeBatch(), [&] { return accepted.load(); });
  over = true;
}

TEST_F(ForwardStopTest, APeerThatDoesNotReadIsNamedAtTheTimeout) {
  std::atomic<bool> over = false;
  ForwardReceiver receiver(
      [&](ForwardPeer&) { static_cast<void>(Eventually([&] { return over.load(); }, kLongTimeout)); });
  Use(receiver.port());
  const Batch batch = LargeBatch();
  sink();
  // Writing so much takes a while itself.
  const milliseconds timeout(kUnderSanitizer ? 10'000 : 2'000);
  EXPECT_THAT(Told(batch, timeout), HasSubstr("did not read what was sent within " + FormatDuration(timeout)));
  over = true;
}

TEST_F(ForwardStopTest, AConnectionThatHangsIsNamedAtTheTimeout) {
  HangingAddress hanging;
  Use(hanging.port());
  EXPECT_THAT(Told({MakeEventRecord(1)}, milliseconds(200)), HasSubstr("did not accept the connection within 200ms"));
}

class ForwardNamesTest : public ForwardStopTest {
 protected:
  ~ForwardNamesTest() override { SetTestResolution(TestResolution::kWorks); }
};

TEST_F(ForwardNamesTest, ANameIsLookedUp) {
  SetTestResolution(TestResolution::kWorks);
  ForwardReceiver receiver;
  Use(receiver.port(), "receiver.test");
  EXPECT_EQ(Told({MakeEventRecord(1)}), "ok");
}

TEST_F(ForwardNamesTest, ANameThatCannotBeResolvedIsTriedAgain) {
  SetTestResolution(TestResolution::kFails);
  ForwardReceiver receiver;
  Use(receiver.port(), "receiver.test");
  EXPECT_THAT(Told({MakeEventRecord(1)}), HasSubstr("cannot resolve the host receiver.test"));
  SetTestResolution(TestResolution::kWorks);
  EXPECT_EQ(Told({MakeEventRecord(1)}), "ok");
}

TEST_F(ForwardNamesTest, ALookupThatHangsEndsAtTheTimeoutAndIsTakenUpLater) {
  SetTestResolution(TestResolution::kHangs);
  ForwardReceiver receiver;
  Use(receiver.port(), "receiver.test");
  EXPECT_THAT(Told({MakeEventRecord(1)}, milliseconds(100)), HasSubstr("name server did not answer within 100ms"));
  EXPECT_THAT(Told({MakeEventRecord(1)}, milliseconds(100)), HasSubstr("name server did not answer within 100ms"));
  SetTestResolution(TestResolution::kWorks);
  EXPECT_EQ(Told({MakeEventRecord(1)}), "ok");
}

TEST_F(ForwardNamesTest, ALookupThatHangsIsLeftAloneAtTheEnd) {
  SetTestResolution(TestResolution::kHangs);
  Use(1, "receiver.test");
  ExpectPromptEnd({MakeEventRecord(1)}, [] { return true; });
  const auto begin = steady_clock::now();
  sink_.reset();
  EXPECT_LT(steady_clock::now() - begin, kPrompt);
}

}  // namespace
}  // namespace kube_events
