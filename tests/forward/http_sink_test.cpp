// The HTTP sink against receivers on loopback, good ones and bad ones.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "forward/http_sink_fixture.h"
#include "support/eventually.h"
#include "support/gunzip.h"

namespace kube_events {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;
using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class HttpSinkTest : public HttpSinkFixture {};

TEST_F(HttpSinkTest, PostsABatchAsOneJsonArrayInOrder) {
  ScriptedServer server(Answering(201));
  const auto sink = Make(server.url() + "/in/put/?a=b%20c&d");
  const auto sent = sink->Send(std::vector{MakeRecord("a"), MakeRecord("b"), MakeRecord("c")}, {});
  ASSERT_TRUE(sent) << sent.error().message;
  ASSERT_EQ(server.requests().size(), 1U);
  const std::string request = server.requests()[0];
  EXPECT_THAT(request, StartsWith("POST /in/put/?a=b%20c&d HTTP/1.1\r\n"));
  // Exactly this: Fluent Bit knows no other.
  EXPECT_EQ(HeaderOf(request, "Content-Type"), "application/json");
  EXPECT_EQ(HeaderOf(request, "User-Agent"), "exporter/1");
  EXPECT_EQ(HeaderOf(request, "Content-Encoding"), "(none)");
  EXPECT_EQ(HeaderOf(request, "Authorization"), "(none)");
  const json body = json::parse(BodyOf(request));
  ASSERT_TRUE(body.is_array());
  ASSERT_EQ(body.size(), 3U);
  EXPECT_EQ(body[0]["object"]["metadata"]["name"], "a");
  EXPECT_EQ(body[1]["object"]["metadata"]["name"], "b");
  EXPECT_EQ(body[2]["object"]["metadata"]["name"], "c");
}

TEST_F(HttpSinkTest, KeepsTheConnectionForTheNextBatch) {
  ScriptedServer server(Answering(200, "[]"));
  const auto sink = Make(server.url());
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(sink->Send(one_, {}));
  EXPECT_EQ(server.requests().size(), 3U);
  EXPECT_EQ(server.connections(), 1U);
}

TEST_F(HttpSinkTest, CompressesWhereAskedTo) {
  ScriptedServer server(Answering(204));
  SinkSettings settings = SettingsFor(server.url());
  settings.http.gzip = true;
  settings.format = RecordFormat::kFlat;
  ASSERT_TRUE(Make(settings)->Send(std::vector{MakeRecord("a", 10'000), MakeRecord("b", 10'000)}, {}));
  const std::string request = server.requests().at(0);
  EXPECT_EQ(HeaderOf(request, "Content-Encoding"), "gzip");
  EXPECT_LT(BodyOf(request).size(), 2'000U);
  EXPECT_EQ(json::parse(Gunzip(BodyOf(request))).size(), 2U);
}

TEST_F(HttpSinkTest, SendsHeadersOfItsOwnWhichWinOverTheUsualOnes) {
  ScriptedServer server(Answering(200));
  SinkSettings settings = SettingsFor(server.url());
  settings.http.headers = {{"X-Scope-OrgID", "shop"}, {"user-agent", "mine"}};
  ASSERT_TRUE(Make(settings)->Send(one_, {}));
  const std::string request = server.requests().at(0);
  EXPECT_EQ(HeaderOf(request, "X-Scope-OrgID"), "shop");
  EXPECT_EQ(HeaderOf(request, "User-Agent"), "mine");
  EXPECT_THAT(request, Not(HasSubstr("exporter/1")));
}

TEST_F(HttpSinkTest, AuthenticatesByAUserAndAPasswordFile) {
  ScriptedServer server(Answering(200));
  SinkSettings settings = SettingsFor(server.url());
  settings.http.basic_user = "Aladdin";
  settings.http.basic_password_file = dir_.Write("password", "open sesame\n");
  ASSERT_TRUE(Make(settings)->Send(one_, {}));
  EXPECT_EQ(HeaderOf(server.requests().at(0), "Authorization"), "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==");
}

TEST_F(HttpSinkTest, ATokenThatIsRefusedIsReadAgainAndTheBatchSentAgainAtOnce) {
  ScriptedServer server([](ScriptedConnection& connection) {
    for (std::string request = connection.ReadRequest(); !request.empty(); request = connection.ReadRequest()) {
      connection.Respond(request.find("Bearer second\r\n") == request.npos ? 401 : 201, "");
    }
  });
  SinkSettings settings = SettingsFor(server.url());
  settings.http.bearer_token_file = dir_.Write("token", "first\n");
  const auto sink = Make(settings);
  dir_.Write("token", "second\n");
  clock_.Advance(std::chrono::seconds{2});
  const auto sent = sink->Send(one_, {});
  ASSERT_TRUE(sent) << sent.error().message;
  ASSERT_EQ(server.requests().size(), 2U);
  EXPECT_THAT(server.requests()[0], HasSubstr("Bearer first\r\n"));
  EXPECT_EQ(BodyOf(server.requests()[0]), BodyOf(server.requests()[1]));
}

TEST_F(HttpSinkTest, ATokenThatHasNotChangedIsNotTriedTwice) {
  ScriptedServer server(Answering(401, "who are you"));
  SinkSettings settings = SettingsFor(server.url());
  settings.http.bearer_token_file = dir_.Write("token", "secret\n");
  const auto sink = Make(settings);
  clock_.Advance(std::chrono::seconds{2});
  const Error error = FailureOf(*sink, one_);
  EXPECT_EQ(error.kind, ErrorKind::kUnauthenticated);
  EXPECT_THAT(error.message, AllOf(HasSubstr(server.url()), HasSubstr("401"), HasSubstr("bearer-token-file"),
                                   HasSubstr("who are you"), Not(HasSubstr("secret"))));
  EXPECT_EQ(server.requests().size(), 1U);
}

TEST_F(HttpSinkTest, APortThatWantsTlsIsNoReasonToGiveUpOnRecords) {
  ScriptedServer server(Answering(400, "Client sent an HTTP request to an HTTPS server.\n"));
  const Error error = FailureOf(*Make(server.url()), one_);
  EXPECT_EQ(error.kind, ErrorKind::kRetry);
  EXPECT_THAT(error.message, AllOf(HasSubstr(server.url()), HasSubstr("https://")));
}

TEST_F(HttpSinkTest, AReceiverThatHasAcceptedSomethingMayRejectARecordInAnyWords) {
  std::atomic<bool> accept{true};
  ScriptedServer server([&](ScriptedConnection& connection) {
    while (!connection.ReadRequest().empty()) {
      connection.Respond(accept ? 200 : 400, "Client sent an HTTP request to an HTTPS server.\n");
    }
  });
  const auto sink = Make(server.url());
  ASSERT_TRUE(sink->Send(one_, {}));
  accept = false;
  EXPECT_EQ(FailureOf(*sink, one_).kind, ErrorKind::kInvalid);
}

TEST_F(HttpSinkTest, APortThatHasNeverTakenAnythingMayWantTheOtherScheme) {
  ScriptedServer closing([](ScriptedConnection& connection) { connection.ReadRequest(); });
  EXPECT_THAT(FailureOf(*Make(closing.url()), one_).message, HasSubstr("write https://"));
  ScriptedServer silent([](ScriptedConnection& connection) { connection.WaitUntilClosed(); });
  const std::string url = "https" + silent.url().substr(4);
  EXPECT_THAT(FailureOf(*Make(url), one_, {.timeout = milliseconds{200}}).message, HasSubstr("write http://"));
}

TEST_F(HttpSinkTest, ARefusalIsAFailureWithTheReceiversRetryAfter) {
  ScriptedServer server(Answering(429, "slow down", "Retry-After: 7\r\n"));
  const Error error = FailureOf(*Make(server.url()), one_);
  EXPECT_EQ(error.kind, ErrorKind::kRetry);
  EXPECT_EQ(error.retry_after, milliseconds{7'000});
  ScriptedServer dated(
      Answering(503, "", "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\nRetry-After: Sun, 06 Nov 1994 08:50:07 GMT\r\n"));
  EXPECT_EQ(FailureOf(*Make(dated.url()), one_).retry_after, milliseconds{30'000});
}

TEST_F(HttpSinkTest, DoesNotFollowARedirect) {
  ScriptedServer server(Answering(302, "", "Location: /elsewhere\r\n"));
  const Error error = FailureOf(*Make(server.url()), one_);
  EXPECT_EQ(error.kind, ErrorKind::kRetry);
  EXPECT_THAT(error.message, HasSubstr("write the URL that it leads to"));
  EXPECT_EQ(server.requests().size(), 1U);
}

TEST_F(HttpSinkTest, AnInterimResponseIsNoAcknowledgement) {
  ScriptedServer server([](ScriptedConnection& connection) {
    connection.ReadRequest();
    connection.Send("HTTP/1.1 103 Early Hints\r\n\r\n");
    connection.Respond(201, "");
    connection.WaitUntilClosed();
  });
  EXPECT_EQ(FailureOf(*Make(server.url()), one_).kind, ErrorKind::kRetry);
}

TEST_F(HttpSinkTest, NobodyListeningIsTriedAgainLater) {
  const std::string url = "http://127.0.0.1:" + std::to_string(ClosedPort());
  const Error error = FailureOf(*Make(url), one_);
  EXPECT_EQ(error.kind, ErrorKind::kRetry);
  EXPECT_EQ(error.reason, "connect");
  EXPECT_THAT(error.message, HasSubstr(url));
}

TEST_F(HttpSinkTest, AReceiverThatNeverAnswersHasItsTime) {
  ScriptedServer server([](ScriptedConnection& connection) { connection.WaitUntilClosed(); });
  const Error error = FailureOf(*Make(server.url()), one_, {.timeout = milliseconds{100}});
  EXPECT_EQ(error.kind, ErrorKind::kRetry);
  EXPECT_EQ(error.reason, "timeout");
  EXPECT_THAT(error.message, AllOf(HasSubstr(server.url()), HasSubstr("check that")));
}

TEST_F(HttpSinkTest, AStopEndsABatchUnderWay) {
  ScriptedServer server([](ScriptedConnection& connection) {
    connection.ReadRequest();
    connection.WaitUntilClosed();
  });
  const auto sink = Make(server.url());
  std::stop_source stop;
  std::atomic<ErrorKind> kind{ErrorKind::kRetry};
  std::jthread sender(
      [&] { kind = FailureOf(*sink, one_, {.timeout = std::chrono::hours{1}, .stop = stop.get_token()}).kind; });
  EXPECT_TRUE(Eventually([&] { return server.requests().size() == 1; }));
  stop.request_stop();
  sender.join();
  EXPECT_EQ(kind, ErrorKind::kCancelled);
}

TEST_F(HttpSinkTest, AReceiverThatClosesAfterEveryAnswerGetsEveryBatch) {
  for (const char* headers : {"Connection: close\r\n", ""}) {
    ScriptedServer server([headers](ScriptedConnection& connection) {
      if (!connection.ReadRequest().empty()) connection.Respond(201, "", headers);
    });
    const auto sink = Make(server.url());
    for (int i = 0; i < 5; ++i) {
      const auto sent = sink->Send(one_, {});
      ASSERT_TRUE(sent) << sent.error().message;
    }
    EXPECT_GE(server.requests().size(), 5U);
  }
}

TEST_F(HttpSinkTest, AnAnswerThatBreaksOffAfterItsStatusAcknowledges) {
  ScriptedServer server([](ScriptedConnection& connection) {
    connection.ReadRequest();
    connection.Send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf");
  });
  const auto sent = Make(server.url())->Send(one_, {});
  EXPECT_TRUE(sent) << sent.error().message;
}

TEST_F(HttpSinkTest, AnEndlessAnswerIsCut) {
  ScriptedServer server([](ScriptedConnection& connection) {
    connection.ReadRequest();
    connection.Send(kChunkedHead);
    while (connection.SendChunk(std::string(10'000, 'x'))) {
    }
  });
  const auto sink = Make(server.url());
  for (int i = 0; i < 2; ++i) {
    const auto sent = sink->Send(one_, {});
    EXPECT_TRUE(sent) << sent.error().message;
  }
}

// Until which of some sends the batch is given up on, and why; all before it are to be repeated.
Error FirstInvalid(Sink& sink, const std::vector<RecordPtr>& batch, int sends) {
  for (int i = 0; i < sends; ++i) {
    const auto sent = sink.Send(batch, {});
    if (sent) return {ErrorKind::kCancelled, "it was acknowledged"};
    if (sent.error().kind == ErrorKind::kInvalid) return sent.error();
    EXPECT_EQ(sent.error().kind, ErrorKind::kRetry) << sent.error().message;
  }
  return {ErrorKind::kRetry, "it was never given up on"};
}

TEST_F(HttpSinkTest, AReceiverThatRefusesBeforeReadingGetsSmallerBatches) {
  // Whether the answer or only the reset that follows it arrives, and when, depends on the kernel.
  ScriptedServer server([](ScriptedConnection& connection) { connection.Respond(413, "too large"); });
  const auto sink = Make(server.url());
  const Error error = FirstInvalid(*sink, {MakeRecord("a", 4'000'000), MakeRecord("b", 4'000'000)}, 20);
  EXPECT_EQ(error.kind, ErrorKind::kInvalid) << error.message;
  EXPECT_EQ(error.reason, "too_large");
  EXPECT_THAT(error.message, AllOf(HasSubstr(server.url()), HasSubstr("batch-bytes")));
}

// After it, since a reset may otherwise come while the client still connects.
void ResetAfterTheRequest(ScriptedConnection& connection) {
  connection.ReadRequest();
  connection.ResetAtEnd();
}

TEST_F(HttpSinkTest, AReceiverThatOnlyEverClosesGetsSmallerBatches) {
  ScriptedServer server(ResetAfterTheRequest);
  const auto sink = Make(server.url());
  const std::vector<RecordPtr> large{MakeRecord("a", 100'000), MakeRecord("b", 100'000)};
  EXPECT_EQ(FirstInvalid(*sink, large, 2).kind, ErrorKind::kRetry);
  const Error error = FirstInvalid(*sink, large, 1);
  EXPECT_EQ(error.kind, ErrorKind::kInvalid);
  EXPECT_EQ(error.reason, "too_large");
}

TEST_F(HttpSinkTest, NoRecordIsGivenUpOnBecauseConnectionsBreak) {
  ScriptedServer server(ResetAfterTheRequest);
  const auto sink = Make(server.url());
  EXPECT_EQ(FirstInvalid(*sink, {MakeRecord("a", 1'000'000)}, 5).kind, ErrorKind::kRetry);
  EXPECT_EQ(FirstInvalid(*sink, {MakeRecord("a"), MakeRecord("b")}, 5).kind, ErrorKind::kRetry);
}

TEST_F(HttpSinkTest, FilesThatCannotBeReadAreToldAtTheStart) {
  const std::string missing = (dir_.path() / "missing").string();
  SinkSettings token = SettingsFor("http://h");
  token.http.bearer_token_file = missing;
  SinkSettings password = SettingsFor("http://h");
  password.http.basic_user = "u";
  password.http.basic_password_file = missing;
  SinkSettings authority = SettingsFor("https://h");
  authority.http.tls.ca_file = missing;
  SinkSettings certificate = SettingsFor("https://h");
  certificate.http.tls.cert_file = certificate.http.tls.key_file = missing;
  for (const SinkSettings& settings : {token, password, authority, certificate}) {
    const auto sink = MakeHttpSink(settings, Parts());
    ASSERT_FALSE(sink);
    EXPECT_EQ(sink.error().kind, ErrorKind::kConfiguration);
    EXPECT_THAT(sink.error().message, AllOf(HasSubstr(missing), HasSubstr("No such file")));
  }
}

TEST_F(HttpSinkTest, GoesThroughTheProxyOfTheEnvironment) {
  ScriptedServer proxy(Answering(200));
  SinkParts parts = Parts();
  parts.environment = [&proxy](const std::string& name) {
    return name == "HTTP_PROXY" ? std::optional(proxy.url()) : std::nullopt;
  };
  const auto sink = MakeHttpSink(SettingsFor("http://receiver.example/in"), parts);
  ASSERT_TRUE(sink) << sink.error().message;
  const auto sent = (*sink)->Send(one_, {});
  ASSERT_TRUE(sent) << sent.error().message;
  EXPECT_THAT(proxy.requests().at(0), AnyOf(StartsWith("POST http://receiver.example/in HTTP"),
                                            StartsWith("POST http://receiver.example:80/in HTTP")));
}

TEST_F(HttpSinkTest, AProxyThatCannotBeUsedIsToldAtTheStart) {
  SinkParts parts = Parts();
  parts.environment = [](const std::string&) { return std::optional<std::string>("socks5://me:secret@proxy"); };
  const auto sink = MakeHttpSink(SettingsFor("http://receiver.example/in"), parts);
  ASSERT_FALSE(sink);
  EXPECT_EQ(sink.error().kind, ErrorKind::kConfiguration);
  EXPECT_THAT(sink.error().message, Not(HasSubstr("secret")));
}

}  // namespace
}  // namespace kube_events
