// Several receivers: the first that works is used, and a preferred one again once it works.
#include <gmock/gmock.h>

#include <atomic>

#include "forward/forward_fixture.h"
#include "forward/forward_receiver.h"
#include "forward/server_choice.h"

namespace kube_events {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ServerChoiceTest : public ::testing::Test {
 protected:
  FakeClock clock_;
  ServerChoice choice_{3, clock_};
};

TEST_F(ServerChoiceTest, TheOrderIsThatOfPreference) {
  EXPECT_THAT(choice_.Order(), ElementsAre(0, 1, 2));
  EXPECT_EQ(choice_.BetterThan(0), std::nullopt);
}

TEST_F(ServerChoiceTest, WhatFailedIsTriedLastForAWhile) {
  choice_.Failed(0);
  EXPECT_THAT(choice_.Order(), ElementsAre(1, 2, 0));
  EXPECT_EQ(choice_.BetterThan(1), std::nullopt);
  clock_.Advance(seconds(12));
  EXPECT_THAT(choice_.Order(), ElementsAre(0, 1, 2));
  EXPECT_EQ(choice_.BetterThan(1), 0U);
}

TEST_F(ServerChoiceTest, AllThatFailedAreStillTried) {
  choice_.Failed(1);
  clock_.Advance(seconds(5));
  choice_.Failed(0);
  choice_.Failed(2);
  EXPECT_EQ(choice_.Order().size(), 3U);
  EXPECT_EQ(choice_.Order().front(), 1U) << "the first whose pause is over";
}

TEST_F(ServerChoiceTest, PausesGrowUntilItWorks) {
  choice_.Failed(0);
  clock_.Advance(seconds(12));
  choice_.Failed(0);
  clock_.Advance(seconds(19));
  EXPECT_EQ(choice_.BetterThan(1), std::nullopt) << "the second pause is 20 s at least";
  for (int i = 0; i < 20; ++i) choice_.Failed(0);
  clock_.Advance(minutes(6));
  EXPECT_EQ(choice_.BetterThan(1), 0U) << "and the longest 5 minutes and a fifth";
  choice_.Worked(0);
  choice_.Failed(0);
  clock_.Advance(seconds(12));
  EXPECT_EQ(choice_.BetterThan(1), 0U);
}

class ForwardFailoverTest : public ForwardSinkFixture {};

TEST_F(ForwardFailoverTest, TheSecondTakesOverWhereTheFirstIsAway) {
  ForwardReceiver second;
  Use(ClosedPort());
  Use(second.port());
  EXPECT_EQ(Told({MakeEventRecord(1)}), "ok");
  EXPECT_EQ(Told({MakeEventRecord(2)}), "ok");
  EXPECT_THAT(second.ids(), ElementsAre(IdOf(1), IdOf(2)));
}

TEST_F(ForwardFailoverTest, TheFirstIsUsedWhileItWorks) {
  ForwardReceiver first;
  ForwardReceiver second;
  Use(first.port());
  Use(second.port());
  EXPECT_EQ(Told({MakeEventRecord(1)}), "ok");
  EXPECT_THAT(first.ids(), ElementsAre(IdOf(1)));
  EXPECT_EQ(second.connections(), 0U);
}

TEST_F(ForwardFailoverTest, BatchesReturnToTheFirstOnceItWorksAgain) {
  std::atomic<bool> works = false;
  ForwardReceiver first([&](ForwardPeer& peer) {
    if (works) peer.AckEverything();
  });
  ForwardReceiver second;
  Use(first.port());
  Use(second.port());
  EXPECT_EQ(Told({MakeEventRecord(1)}), "ok");
  works = true;
  EXPECT_EQ(Told({MakeEventRecord(2)}), "ok");
  EXPECT_THAT(second.ids(), ElementsAre(IdOf(1), IdOf(2))) << "not before its pause is over";
  clock_.Advance(seconds(12));
  EXPECT_EQ(Told({MakeEventRecord(3)}), "ok");
  EXPECT_THAT(first.ids(), ElementsAre(IdOf(3)));
}

TEST_F(ForwardFailoverTest, AFirstThatIsStillAwayHoldsUpNothing) {
  ForwardReceiver second;
  Use(ClosedPort());
  Use(second.port());
  EXPECT_EQ(Told({MakeEventRecord(1)}), "ok");
  clock_.Advance(seconds(12));
  EXPECT_EQ(Told({MakeEventRecord(2)}), "ok");
  EXPECT_EQ(second.connections(), 1U) << "the connection that works is kept meanwhile";
}

TEST_F(ForwardFailoverTest, AFirstThatHangsTakesOnlyItsShareOfTheTime) {
  HangingAddress hanging;
  ForwardReceiver second;
  Use(hanging.port());
  Use(second.port());
  EXPECT_EQ(Told({MakeEventRecord(1)}, milliseconds(2000)), "ok");
  EXPECT_THAT(second.ids(), ElementsAre(IdOf(1)));
}

TEST_F(ForwardFailoverTest, OneThatDoesNotAcknowledgeIsReplacedForTheNextBatch) {
  ForwardReceiver first([](ForwardPeer& peer) {
    while (peer.ReadMessage()) {
    }
  });
  ForwardReceiver second;
  Use(first.port());
  Use(second.port());
  EXPECT_THAT(Told({MakeEventRecord(1)}, milliseconds(200)), HasSubstr("did not acknowledge"));
  EXPECT_EQ(Told({MakeEventRecord(1)}), "ok");
  EXPECT_THAT(second.ids(), ElementsAre(IdOf(1)));
}

TEST_F(ForwardFailoverTest, OneThatRefusesTheKeyIsReplaced) {
  ForwardReceiver first([](ForwardPeer& peer) { peer.Handshake({.shared_key = "another"}); });
  ForwardReceiver second([](ForwardPeer& peer) {
    if (peer.Handshake({.shared_key = "key"})) peer.AckEverything();
  });
  Use(first.port());
  Use(second.port());
  UseKey("key");
  EXPECT_EQ(Told({MakeEventRecord(1)}), "ok");
  EXPECT_THAT(second.ids(), ElementsAre(IdOf(1)));
}

TEST_F(ForwardFailoverTest, AKeptConnectionThatBreaksIsMadeAgainToTheSameReceiver) {
  ForwardReceiver first([](ForwardPeer& peer) {
    if (const auto message = peer.ReadMessage()) peer.Ack(message->chunk());
  });
  ForwardReceiver second;
  Use(first.port());
  Use(second.port());
  for (int i = 0; i < 3; ++i) EXPECT_EQ(Told({MakeEventRecord(i)}), "ok");
  EXPECT_EQ(first.ids().size(), 3U);
  EXPECT_EQ(second.connections(), 0U);
}

TEST_F(ForwardFailoverTest, WhereAllAreAwayEachIsNamed) {
  const std::uint16_t one = ClosedPort();
  Use(one);
  Use(ClosedPort(), "::1");
  const auto sent = Send({MakeEventRecord(1)});
  ASSERT_FALSE(sent);
  EXPECT_EQ(sent.error().kind, ErrorKind::kRetry);
  EXPECT_THAT(sent.error().message, HasSubstr("127.0.0.1:" + std::to_string(one)));
  EXPECT_THAT(sent.error().message, HasSubstr("[::1]:"));
}

}  // namespace
}  // namespace kube_events
