// Who may hand records to whom: the handshake of the shared key, and TLS. No message holds a secret.
#include <gmock/gmock.h>

#include <atomic>

#include "forward/forward_fixture.h"
#include "forward/forward_receiver.h"

namespace kube_events {
namespace {

using std::chrono::milliseconds;
using ::testing::AnyOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kKey = "s3cr3t key";

// A receiver with a shared key, and users if there are any.
ForwardReceiver::Script Secured(const ReceiverSecurity& security) {
  return [security](ForwardPeer& peer) {
    if (peer.Handshake(security)) peer.AckEverything();
  };
}

class ForwardKeyTest : public ForwardSinkFixture {
 protected:
  // The error of a batch, whose message must not hold what only the two ends may know.
  Error Refusal(milliseconds timeout = kLongTimeout) {
    const auto sent = Send({MakeEventRecord(1)}, timeout);
    if (sent) return {.kind = ErrorKind::kConflict, .message = "it was sent"};
    EXPECT_THAT(sent.error().message, Not(HasSubstr("s3cr3t")));
    return sent.error();
  }
};

TEST_F(ForwardKeyTest, TheSameKeyOnBothSidesIsTaken) {
  ForwardReceiver receiver(Secured({.shared_key = kKey}));
  Use(receiver.port());
  UseKey(kKey);
  EXPECT_EQ(Told({MakeEventRecord(1)}), "ok");
  EXPECT_EQ(Told({MakeEventRecord(2)}), "ok");
  EXPECT_EQ(receiver.connections(), 1U);
}

TEST_F(ForwardKeyTest, AUserWithAPasswordIsTaken) {
  ForwardReceiver receiver(Secured({.shared_key = kKey, .username = "exporter", .password = "s3cr3t password"}));
  Use(receiver.port());
  UseKey(kKey);
  UseUser("exporter", "s3cr3t password");
  EXPECT_EQ(Told({MakeEventRecord(1)}), "ok");
}

TEST_F(ForwardKeyTest, AUserThatIsNotAskedForDoesNoHarm) {
  ForwardReceiver receiver(Secured({.shared_key = kKey}));
  Use(receiver.port());
  UseKey(kKey);
  UseUser("exporter", "s3cr3t password");
  EXPECT_EQ(Told({MakeEventRecord(1)}), "ok");
}

TEST_F(ForwardKeyTest, AWrongKeyIsSaid) {
  ForwardReceiver receiver(Secured({.shared_key = "another s3cr3t"}));
  Use(receiver.port());
  UseKey(kKey);
  const Error error = Refusal();
  EXPECT_EQ(error.kind, ErrorKind::kUnauthenticated);
  EXPECT_THAT(error.message, HasSubstr("refuses this client: shared_key mismatch"));
  EXPECT_TRUE(receiver.messages().empty());
}

TEST_F(ForwardKeyTest, AWrongPasswordIsSaid) {
  ForwardReceiver receiver(Secured({.shared_key = kKey, .username = "exporter", .password = "another s3cr3t"}));
  Use(receiver.port());
  UseKey(kKey);
  UseUser("exporter", "s3cr3t password");
  const Error error = Refusal();
  EXPECT_EQ(error.kind, ErrorKind::kUnauthenticated);
  EXPECT_THAT(error.message, HasSubstr("username/password mismatch"));
}

// As Fluent Bit does.
TEST_F(ForwardKeyTest, AReceiverThatClosesInTheHandshakeSuggestsAWrongKey) {
  ForwardReceiver receiver([](ForwardPeer& peer) {
    peer.Send(nlohmann::json::array({"HELO", {{"nonce", "n"}, {"auth", ""}}}));
    static_cast<void>(peer.Read());
  });
  Use(receiver.port());
  UseKey(kKey);
  const Error error = Refusal();
  EXPECT_EQ(error.kind, ErrorKind::kUnauthenticated);
  EXPECT_THAT(error.message, HasSubstr("shared key is wrong"));
}

TEST_F(ForwardKeyTest, AnAddressThatIsNotAllowedIsForbidden) {
  ForwardReceiver receiver([](ForwardPeer& peer) {
    peer.Send(nlohmann::json::array({"HELO", {{"nonce", "n"}, {"auth", ""}}}));
    static_cast<void>(peer.Read());
    peer.Send(nlohmann::json::array({"PONG", false, "anonymous source host '127.0.0.1' denied", "", ""}));
  });
  Use(receiver.port());
  UseKey(kKey);
  const Error error = Refusal();
  EXPECT_EQ(error.kind, ErrorKind::kForbidden);
  EXPECT_THAT(error.message, HasSubstr("allow the address of this exporter"));
}

TEST_F(ForwardKeyTest, AReceiverThatDoesNotKnowTheKeyItselfGetsNothing) {
  ForwardReceiver receiver(Secured({.shared_key = kKey, .answers_with_key = "pretended"}));
  Use(receiver.port());
  UseKey(kKey);
  const Error error = Refusal();
  EXPECT_EQ(error.kind, ErrorKind::kUnauthenticated);
  EXPECT_THAT(error.message, HasSubstr("does not know the shared key itself"));
  EXPECT_TRUE(receiver.messages().empty());
}

TEST_F(ForwardKeyTest, AReceiverThatWantsAKeySaysSoWhereThereIsNone) {
  ForwardReceiver receiver([](ForwardPeer& peer) {
    peer.Send(nlohmann::json::array({"HELO", {{"nonce", "n"}, {"auth", ""}}}));
    peer.connection().WaitUntilClosed();
  });
  Use(receiver.port());
  const Error error = Refusal();
  EXPECT_EQ(error.kind, ErrorKind::kUnauthenticated);
  EXPECT_THAT(error.message, HasSubstr("wants a shared key, and none is configured here"));
}

TEST_F(ForwardKeyTest, AKeyIsWaitedForOnlySoLong) {
  ForwardReceiver receiver;
  Use(receiver.port());
  UseKey(kKey);
  EXPECT_THAT(Refusal(milliseconds(200)).message, HasSubstr("remove the shared key here"));
}

TEST_F(ForwardKeyTest, NonsenseInTheHandshakeIsAnError) {
  for (const char* first :
       {"[]", R"(["HELO"])", R"(["HELO", 1])", R"({"ack": "x"})", R"(["PONG", true, "", "", ""])"}) {
    ForwardReceiver receiver([&](ForwardPeer& peer) {
      peer.Send(nlohmann::json::parse(first));
      peer.connection().WaitUntilClosed();
    });
    settings_.forward.servers.clear();
    sink_.reset();
    Use(receiver.port());
    UseKey(kKey);
    const Error error = Refusal();
    EXPECT_EQ(error.kind, ErrorKind::kRetry);
    EXPECT_THAT(error.message, HasSubstr("did not begin with HELO")) << first;
  }
}

TEST_F(ForwardKeyTest, TheKeyIsReadAgainForEachConnection) {
  ForwardReceiver receiver(Secured({.shared_key = "next s3cr3t"}));
  Use(receiver.port());
  UseKey(kKey);
  EXPECT_EQ(Refusal().kind, ErrorKind::kUnauthenticated);
  UseKey("next s3cr3t");
  EXPECT_EQ(Told({MakeEventRecord(1)}), "ok");
}

TEST_F(ForwardKeyTest, AKeyThatIsGoneIsSaidUntilItIsBack) {
  ForwardReceiver receiver(Secured({.shared_key = kKey}));
  Use(receiver.port());
  UseKey(kKey);
  sink();
  std::filesystem::remove(settings_.forward.shared_key_file);
  const Error error = Refusal();
  EXPECT_EQ(error.kind, ErrorKind::kUnauthenticated);
  EXPECT_THAT(error.message, HasSubstr(settings_.forward.shared_key_file.string()));
  UseKey(kKey);
  EXPECT_EQ(Told({MakeEventRecord(1)}), "ok");
}

class ForwardTlsTest : public ForwardSinkFixture {
 protected:
  ForwardTlsTest() {
    settings_.forward.use_tls = true;
    Trust(authority_);
  }

  void Trust(const TestAuthority& authority) {
    settings_.forward.tls.ca_file = dir_.Write("ca.crt", authority.cert_pem());
  }

  const TestAuthority authority_;
  const TestAuthority other_authority_{"another CA"};
};

TEST_F(ForwardTlsTest, TheConfiguredAuthorityIsTrusted) {
  ForwardReceiver receiver(&ForwardPeer::AckEverything, ScriptedTls{authority_.Issue(), ""});
  Use(receiver.port());
  EXPECT_EQ(Told({MakeEventRecord(1)}), "ok");
  EXPECT_EQ(Told({MakeEventRecord(2)}), "ok");
  EXPECT_THAT(receiver.ids(), ElementsAre(IdOf(1), IdOf(2)));
}

TEST_F(ForwardTlsTest, ASharedKeyGoesThroughTls) {
  ForwardReceiver receiver(Secured({.shared_key = kKey}), ScriptedTls{authority_.Issue(), ""});
  Use(receiver.port());
  UseKey(kKey);
  EXPECT_EQ(Told({MakeEventRecord(1)}), "ok");
}

TEST_F(ForwardTlsTest, ABatchOfManyMegabytesArrivesWhole) {
  ForwardReceiver receiver(&ForwardPeer::AckEverything, ScriptedTls{authority_.Issue(), ""});
  Use(receiver.port());
  Batch batch;
  const std::string message(100'000, 'm');
  for (int i = 0; i < 20; ++i) batch.push_back(MakeEventRecord(i, "shop", "Pulled", message));
  EXPECT_EQ(Told(batch), "ok");
  EXPECT_EQ(receiver.ids().size(), 20U);
}

TEST_F(ForwardTlsTest, AnotherAuthorityIsRefused) {
  ForwardReceiver receiver(&ForwardPeer::AckEverything, ScriptedTls{other_authority_.Issue(), ""});
  Use(receiver.port());
  const auto sent = Send({MakeEventRecord(1)});
  ASSERT_FALSE(sent);
  EXPECT_EQ(sent.error().reason, "tls");
  EXPECT_THAT(sent.error().message, HasSubstr("TLS certificate of the forward receiver"));
  EXPECT_THAT(sent.error().message, HasSubstr("another CA"));
  EXPECT_TRUE(receiver.messages().empty());
}

TEST_F(ForwardTlsTest, ACertificateForAnotherNameIsRefusedUnlessThatIsTheServerName) {
  TestCertificateOptions options;
  options.ip_addresses.clear();
  options.dns_names = {"receiver.example"};
  ForwardReceiver receiver(&ForwardPeer::AckEverything, ScriptedTls{authority_.Issue(options), ""});
  Use(receiver.port());
  EXPECT_THAT(Told({MakeEventRecord(1)}), HasSubstr("valid for receiver.example, not for 127.0.0.1"));
  settings_.forward.tls.server_name = "receiver.example";
  sink_.reset();
  EXPECT_EQ(Told({MakeEventRecord(1)}), "ok");
}

TEST_F(ForwardTlsTest, VerificationCanBeSwitchedOff) {
  ForwardReceiver receiver(&ForwardPeer::AckEverything, ScriptedTls{other_authority_.Issue(), ""});
  Use(receiver.port());
  settings_.forward.tls.insecure_skip_verify = true;
  EXPECT_EQ(Told({MakeEventRecord(1)}), "ok");
}

TEST_F(ForwardTlsTest, AClientCertificateIsPresented) {
  const TestAuthority clients("client CA");
  ForwardReceiver receiver(&ForwardPeer::AckEverything, ScriptedTls{authority_.Issue(), clients.cert_pem()});
  Use(receiver.port());
  const auto refused = Send({MakeEventRecord(1)});
  ASSERT_FALSE(refused) << "without a certificate";
  EXPECT_THAT(refused.error().reason, AnyOf("tls", "reset", "eof"));
  const TestCertificate client = clients.Issue();
  settings_.forward.tls.cert_file = dir_.Write("tls.crt", client.cert_pem);
  settings_.forward.tls.key_file = dir_.Write("tls.key", client.key_pem);
  sink_.reset();
  EXPECT_EQ(Told({MakeEventRecord(1)}), "ok");
}

TEST_F(ForwardTlsTest, ARotatedAuthorityIsTrustedAtTheNextConnection) {
  ForwardReceiver receiver(&ForwardPeer::AckEverything, ScriptedTls{other_authority_.Issue(), ""});
  Use(receiver.port());
  EXPECT_NE(Told({MakeEventRecord(1)}), "ok");
  Trust(other_authority_);
  EXPECT_EQ(Told({MakeEventRecord(1)}), "ok");
}

TEST_F(ForwardTlsTest, APortWithoutTlsIsSaid) {
  ForwardReceiver receiver([](ForwardPeer& peer) {
    static_cast<void>(peer.connection().ReadSome());
    peer.connection().Send("no TLS here at all");
    peer.connection().WaitUntilClosed();
  });
  Use(receiver.port());
  const auto sent = Send({MakeEventRecord(1)});
  ASSERT_FALSE(sent);
  EXPECT_EQ(sent.error().reason, "tls");
  EXPECT_THAT(sent.error().message, HasSubstr("check that the port speaks TLS"));
}

TEST_F(ForwardTlsTest, AReceiverThatClosesAfterEachMessageGetsThemAll) {
  ForwardReceiver receiver(
      [](ForwardPeer& peer) {
        if (const auto message = peer.ReadMessage()) peer.Ack(message->chunk());
      },
      ScriptedTls{authority_.Issue(), ""});
  Use(receiver.port());
  settings_.forward.tag = "{namespace}";
  EXPECT_EQ(Told({MakeEventRecord(1, "a"), MakeEventRecord(2, "b")}), "ok");
  EXPECT_EQ(Told({MakeEventRecord(3, "a")}), "ok");
  EXPECT_THAT(receiver.ids(), ElementsAre(IdOf(1), IdOf(2), IdOf(3)));
}

}  // namespace
}  // namespace kube_events
