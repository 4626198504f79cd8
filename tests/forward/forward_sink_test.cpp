// Batches to a receiver of the forward protocol: what arrives, what counts as an acknowledgement, and what happens to
// the connection.
#include <gmock/gmock.h>

#include <atomic>

#include "forward/forward_fixture.h"
#include "forward/forward_receiver.h"
#include "support/eventually.h"

namespace kube_events {
namespace {

using std::chrono::milliseconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ForwardSinkTest : public ForwardSinkFixture {};

TEST_F(ForwardSinkTest, HandsABatchOnInOrderAndWaitsForItsAcknowledgement) {
  std::atomic<bool> acknowledged = false;
  ForwardReceiver receiver([&](ForwardPeer& peer) {
    const auto message = peer.ReadMessage();
    if (!message) return;
    acknowledged = true;
    peer.Ack(message->chunk());
    peer.AckEverything();
  });
  Use(receiver.port());
  EXPECT_EQ(Told({MakeEventRecord(1), MakeEventRecord(2), MakeEventRecord(3)}), "ok");
  EXPECT_TRUE(acknowledged);
  const auto messages = receiver.messages();
  ASSERT_EQ(messages.size(), 1U);
  EXPECT_EQ(messages[0].tag, "kube.events");
  EXPECT_EQ(messages[0].options.at("size"), 3);
  EXPECT_EQ(messages[0].chunk().size(), 24U) << "16 bytes in base64";
  EXPECT_THAT(receiver.ids(), ElementsAre(IdOf(1), IdOf(2), IdOf(3)));
}

TEST_F(ForwardSinkTest, EachRecordHasTheTimeWhenItLastHappened) {
  ForwardReceiver receiver;
  Use(receiver.port());
  ASSERT_EQ(Told({MakeEventRecord(1)}), "ok");
  const ReceivedEntry entry = receiver.messages().at(0).entries.at(0);
  EXPECT_EQ(entry.seconds, 1'767'323'045U) << "2026-01-02T03:04:05Z";
  EXPECT_EQ(entry.nanoseconds, 0U);
}

TEST_F(ForwardSinkTest, RecordsAreGroupedByTagInTheOrderOfItsFirstAppearance) {
  ForwardReceiver receiver;
  Use(receiver.port());
  settings_.forward.tag = "kube.{namespace}.{reason}";
  ASSERT_EQ(Told({MakeEventRecord(1, "b"), MakeEventRecord(2, "a"), MakeEventRecord(3, "b"),
                  MakeEventRecord(4, "a", "Failed")}),
            "ok");
  std::vector<std::string> tags;
  for (const auto& message : receiver.messages()) tags.push_back(message.tag);
  EXPECT_THAT(tags, ElementsAre("kube.b.Pulled", "kube.a.Pulled", "kube.a.Failed"));
  EXPECT_THAT(receiver.ids(), ElementsAre(IdOf(1), IdOf(3), IdOf(2), IdOf(4)));
}

TEST_F(ForwardSinkTest, ManyTagsAreSentWithoutWaitingForEachAcknowledgement) {
  ForwardReceiver receiver;
  Use(receiver.port());
  settings_.forward.tag = "{namespace}";
  Batch batch;
  for (int i = 0; i < 300; ++i) batch.push_back(MakeEventRecord(i, "namespace-" + std::to_string(i)));
  EXPECT_EQ(Told(batch), "ok");
  EXPECT_EQ(receiver.messages().size(), 300U);
  EXPECT_EQ(receiver.connections(), 1U);
}

TEST_F(ForwardSinkTest, GapsAreHandedOnToo) {
  ForwardReceiver receiver;
  Use(receiver.port());
  Record gap;
  gap.type = RecordType::kGap;
  gap.observed = FakeClock::kDefaultStart;
  gap.gap_reason = "expired";
  ASSERT_EQ(Told({std::make_shared<const Record>(gap)}), "ok");
  const ReceivedEntry entry = receiver.messages().at(0).entries.at(0);
  EXPECT_EQ(entry.record.at("type"), "GAP");
  EXPECT_EQ(entry.seconds, 1'767'225'600U);
}

TEST_F(ForwardSinkTest, AnEmptyBatchNeedsNoReceiver) {
  Use(ClosedPort());
  EXPECT_EQ(Told(Batch{}), "ok");
}

TEST_F(ForwardSinkTest, TheConnectionIsKeptBetweenBatches) {
  ForwardReceiver receiver;
  Use(receiver.port());
  for (int i = 0; i < 5; ++i) EXPECT_EQ(Told({MakeEventRecord(i)}), "ok");
  EXPECT_EQ(receiver.connections(), 1U);
}

TEST_F(ForwardSinkTest, ReopeningMakesANewConnection) {
  ForwardReceiver receiver;
  Use(receiver.port());
  EXPECT_EQ(Told({MakeEventRecord(1)}), "ok");
  sink().Reopen();
  EXPECT_EQ(Told({MakeEventRecord(2)}), "ok");
  EXPECT_EQ(receiver.connections(), 2U);
}

TEST_F(ForwardSinkTest, AKeptConnectionThatWasClosedIsReplacedAtOnce) {
  ForwardReceiver receiver([](ForwardPeer& peer) {
    if (const auto message = peer.ReadMessage()) peer.Ack(message->chunk());
  });
  Use(receiver.port());
  for (int i = 0; i < 3; ++i) EXPECT_EQ(Told({MakeEventRecord(i)}), "ok");
  EXPECT_EQ(receiver.connections(), 3U);
  EXPECT_THAT(receiver.ids(), ElementsAre(IdOf(0), IdOf(1), IdOf(2)));
}

TEST_F(ForwardSinkTest, AReceiverThatClosesAfterEachMessageGetsThemAll) {
  ForwardReceiver receiver([](ForwardPeer& peer) {
    if (const auto message = peer.ReadMessage()) peer.Ack(message->chunk());
  });
  Use(receiver.port());
  settings_.forward.tag = "{namespace}";
  EXPECT_EQ(Told({MakeEventRecord(1, "a"), MakeEventRecord(2, "b"), MakeEventRecord(3, "c")}), "ok");
  EXPECT_THAT(receiver.ids(), ElementsAre(IdOf(1), IdOf(2), IdOf(3)));
}

TEST_F(ForwardSinkTest, WithoutAnAcknowledgementTheBatchIsNotSafe) {
  ForwardReceiver receiver([](ForwardPeer& peer) {
    while (peer.ReadMessage()) {
    }
  });
  Use(receiver.port());
  const auto sent = Send({MakeEventRecord(1)}, milliseconds(200));
  ASSERT_FALSE(sent);
  EXPECT_EQ(sent.error().kind, ErrorKind::kRetry);
  EXPECT_EQ(sent.error().reason, "timeout");
  EXPECT_THAT(sent.error().message, HasSubstr("did not acknowledge the records within 200ms"));
}

TEST_F(ForwardSinkTest, AnAcknowledgementThatComesTooLateCountsForNothing) {
  std::atomic<bool> given_up = false;
  ForwardReceiver receiver([&](ForwardPeer& peer) {
    const auto message = peer.ReadMessage();
    if (!message) return;
    if (!given_up) static_cast<void>(Eventually([&] { return given_up.load(); }));
    peer.Ack(message->chunk());
    peer.AckEverything();
  });
  Use(receiver.port());
  EXPECT_THAT(Told({MakeEventRecord(1)}, milliseconds(200)), HasSubstr("did not acknowledge"));
  given_up = true;
  EXPECT_EQ(Told({MakeEventRecord(1)}), "ok");
  EXPECT_EQ(receiver.connections(), 2U) << "the late answer must not be taken for that of the next batch";
  EXPECT_THAT(receiver.ids(), ElementsAre(IdOf(1), IdOf(1)));
}

TEST_F(ForwardSinkTest, TheAcknowledgementOfAnotherChunkIsNone) {
  ForwardReceiver receiver([](ForwardPeer& peer) {
    if (peer.ReadMessage()) peer.Ack("AAAAAAAAAAAAAAAAAAAAAA==");
    peer.connection().WaitUntilClosed();
  });
  Use(receiver.port());
  const auto sent = Send({MakeEventRecord(1)});
  ASSERT_FALSE(sent);
  EXPECT_EQ(sent.error().kind, ErrorKind::kRetry);
  EXPECT_EQ(sent.error().reason, "protocol");
  EXPECT_THAT(sent.error().message, HasSubstr("the acknowledgement of another chunk"));
}

TEST_F(ForwardSinkTest, AReceiverThatAnswersBeforeReadingIsNotBelieved) {
  ForwardReceiver receiver([](ForwardPeer& peer) {
    peer.Ack("");
    peer.connection().WaitUntilClosed();
  });
  Use(receiver.port());
  EXPECT_THAT(Told({MakeEventRecord(1)}), HasSubstr("the acknowledgement of another chunk"));
}

TEST_F(ForwardSinkTest, OneOfSeveralMessagesWithoutAcknowledgementFailsTheBatch) {
  ForwardReceiver receiver([](ForwardPeer& peer) {
    if (const auto message = peer.ReadMessage()) peer.Ack(message->chunk());
    while (peer.ReadMessage()) {
    }
  });
  Use(receiver.port());
  settings_.forward.tag = "{namespace}";
  EXPECT_THAT(Told({MakeEventRecord(1, "a"), MakeEventRecord(2, "b")}, milliseconds(300)),
              HasSubstr("did not acknowledge"));
}

// Whatever it is, it is an error, said at once, and kept within bounds.
void SendNonsense(ForwardPeer& peer, const std::string& nonsense) {
  if (!peer.ReadMessage()) return;
  peer.connection().Send(nonsense);
  peer.connection().WaitUntilClosed();
}

TEST_F(ForwardSinkTest, NonsenseInsteadOfAnAcknowledgementIsAnError) {
  const std::string nothing_used("\xc1", 1);
  const std::string deep(10'000, '\x91');
  for (const std::string& nonsense :
       {std::string("HTTP/1.1 400 Bad Request\r\n\r\n"), nothing_used, deep, std::string("\xc0", 1),
        std::string("\x81\xa3"
                    "ack\x01"),
        std::string("\x81\xa2no\xa3"
                    "ack")}) {
    ForwardReceiver receiver([&](ForwardPeer& peer) { SendNonsense(peer, nonsense); });
    settings_.forward.servers.clear();
    sink_.reset();
    Use(receiver.port());
    const auto sent = Send({MakeEventRecord(1)});
    ASSERT_FALSE(sent) << nonsense;
    EXPECT_EQ(sent.error().kind, ErrorKind::kRetry);
    EXPECT_EQ(sent.error().reason, "protocol") << sent.error().message;
  }
}

TEST_F(ForwardSinkTest, EndlessBytesAreAnErrorAndNoMemory) {
  std::atomic<std::size_t> taken = 0;
  ForwardReceiver receiver([&](ForwardPeer& peer) {
    if (!peer.ReadMessage()) return;
    peer.connection().Send(std::string("\xdb\xff\xff\xff\xff", 5));  // a text of 4 GiB
    const std::string piece(1000, 'x');
    while (peer.connection().Send(piece)) taken += piece.size();
  });
  Use(receiver.port());
  EXPECT_THAT(Told({MakeEventRecord(1)}), HasSubstr("more than 16384 bytes in one piece"));
}

TEST_F(ForwardSinkTest, AConnectionThatIsClosedAtAnyPointIsTriedAgain) {
  for (const bool reset : {false, true}) {
    for (const std::size_t after : {0U, 1U, 20U, 200U}) {
      ForwardReceiver receiver([&](ForwardPeer& peer) {
        std::size_t seen = 0;
        while (seen < after) {
          const std::size_t more = peer.connection().ReadSome().size();
          if (more == 0) return;
          seen += more;
        }
        if (reset) peer.connection().ResetAtEnd();
      });
      settings_.forward.servers.clear();
      sink_.reset();
      Use(receiver.port());
      const auto sent = Send({MakeEventRecord(1)});
      ASSERT_FALSE(sent) << after;
      EXPECT_EQ(sent.error().kind, ErrorKind::kRetry);
      EXPECT_TRUE(sent.error().reason == "eof" || sent.error().reason == "reset") << sent.error().message;
      EXPECT_THAT(sent.error().message, HasSubstr("127.0.0.1:" + std::to_string(receiver.port())));
    }
  }
}

TEST_F(ForwardSinkTest, ARefusedConnectionIsTriedAgain) {
  Use(ClosedPort());
  const auto sent = Send({MakeEventRecord(1)});
  ASSERT_FALSE(sent);
  EXPECT_EQ(sent.error().kind, ErrorKind::kRetry);
  EXPECT_EQ(sent.error().reason, "connect");
  EXPECT_THAT(sent.error().message, HasSubstr("refused"));
}

TEST_F(ForwardSinkTest, ABatchOfManyMegabytesArrivesWhole) {
  ForwardReceiver receiver;
  Use(receiver.port());
  Batch batch;
  const std::string message(100'000, 'm');
  for (int i = 0; i < 40; ++i) batch.push_back(MakeEventRecord(i, "shop", "Pulled", message));
  EXPECT_EQ(Told(batch), "ok");
  EXPECT_EQ(receiver.ids().size(), 40U);
}

class ForwardSinkSettingsTest : public ForwardSinkFixture {
 protected:
  ForwardSinkSettingsTest() { Use(1); }
  // Why no sink is made.
  std::string Refusal() {
    const auto made = MakeForwardSink(settings_, {clock_, {}, "", ""});
    if (made) return "none";
    EXPECT_EQ(made.error().kind, ErrorKind::kConfiguration);
    return made.error().message;
  }
};

TEST_F(ForwardSinkSettingsTest, ASinkIsMadeWithoutAReceiver) { EXPECT_EQ(Refusal(), "none"); }

TEST_F(ForwardSinkSettingsTest, FilesHaveToBeThere) {
  settings_.forward.shared_key_file = dir_.path() / "missing";
  EXPECT_THAT(Refusal(), HasSubstr("missing"));
  settings_.forward.shared_key_file = dir_.Write("empty", " \n");
  EXPECT_THAT(Refusal(), HasSubstr("is empty; put the shared key there"));
  UseKey("secret");
  settings_.forward.username = "user";
  settings_.forward.password_file = dir_.path() / "missing";
  EXPECT_THAT(Refusal(), HasSubstr("missing"));
}

TEST_F(ForwardSinkSettingsTest, AUserNeedsAPasswordAndASharedKey) {
  settings_.forward.username = "user";
  EXPECT_THAT(Refusal(), HasSubstr("a username needs a password file"));
  UseUser("user", "password");
  EXPECT_THAT(Refusal(), HasSubstr("a username needs a shared key"));
  UseKey("secret");
  EXPECT_EQ(Refusal(), "none");
  settings_.forward.username.clear();
  EXPECT_THAT(Refusal(), HasSubstr("a password file a username"));
}

TEST_F(ForwardSinkSettingsTest, OptionsOfTlsNeedTls) {
  settings_.forward.tls.server_name = "receiver";
  EXPECT_THAT(Refusal(), HasSubstr("forward+tls://"));
}

TEST_F(ForwardSinkSettingsTest, UnusableTlsFilesAreRefused) {
  settings_.forward.use_tls = true;
  settings_.forward.tls.ca_file = dir_.Write("ca.crt", "garbage");
  EXPECT_THAT(Refusal(), HasSubstr("contains no certificate"));
  settings_.forward.tls.ca_file = dir_.path() / "missing";
  EXPECT_THAT(Refusal(), HasSubstr("missing"));
  settings_.forward.tls = {};
  settings_.forward.tls.cert_file = dir_.Write("tls.crt", "garbage");
  EXPECT_THAT(Refusal(), HasSubstr("both its certificate file and its key file"));
}

TEST_F(ForwardSinkSettingsTest, AServerAndAGoodTagAreNeeded) {
  settings_.forward.tag = "kube.{pod}";
  EXPECT_THAT(Refusal(), HasSubstr("unknown words in braces"));
  settings_.forward.servers.clear();
  EXPECT_THAT(Refusal(), HasSubstr("needs a server"));
}

}  // namespace
}  // namespace kube_events
