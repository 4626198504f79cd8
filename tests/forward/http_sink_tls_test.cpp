// The HTTP sink over TLS, with files that are rotated under it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "forward/http_sink_fixture.h"
#include "support/test_certificates.h"

namespace kube_events {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class HttpSinkTlsTest : public HttpSinkFixture {
 protected:
  // One request per connection, so that the next one meets the files of then.
  static void AnswerOnce(ScriptedConnection& connection) {
    if (!connection.ReadRequest().empty()) connection.Respond(201, "", "Connection: close\r\n");
  }

  const TestAuthority authority_;
  const TestAuthority next_authority_{"next CA"};
  ScriptedServer server_{AnswerOnce, ScriptedTls{authority_.Issue(), {}}};
};

TEST_F(HttpSinkTlsTest, TrustsTheAuthorityInItsFileAndFollowsItsRotation) {
  SinkSettings settings = SettingsFor(server_.url());
  settings.http.tls.ca_file = dir_.Write("ca.crt", authority_.cert_pem());
  const auto sink = Make(settings);
  const auto sent = sink->Send(one_, {});
  ASSERT_TRUE(sent) << sent.error().message;
  server_.SetTls({next_authority_.Issue(), {}});
  const Error error = FailureOf(*sink, one_);
  EXPECT_EQ(error.kind, ErrorKind::kRetry);
  EXPECT_EQ(error.reason, "tls");
  dir_.Write("ca.crt", next_authority_.cert_pem());
  const auto again = sink->Send(one_, {});
  EXPECT_TRUE(again) << again.error().message;
}

TEST_F(HttpSinkTlsTest, ShowsItsCertificateAndFollowsItsRotation) {
  server_.SetTls({authority_.Issue(), authority_.cert_pem()});
  SinkSettings settings = SettingsFor(server_.url());
  settings.http.tls.ca_file = dir_.Write("ca.crt", authority_.cert_pem());
  EXPECT_EQ(FailureOf(*Make(settings), one_).kind, ErrorKind::kRetry);
  const TestCertificate first = authority_.Issue();
  settings.http.tls.cert_file = dir_.Write("tls.crt", first.cert_pem);
  settings.http.tls.key_file = dir_.Write("tls.key", first.key_pem);
  const auto sink = Make(settings);
  const auto sent = sink->Send(one_, {});
  ASSERT_TRUE(sent) << sent.error().message;
  server_.SetTls({authority_.Issue(), next_authority_.cert_pem()});
  EXPECT_EQ(FailureOf(*sink, one_).kind, ErrorKind::kRetry);
  const TestCertificate second = next_authority_.Issue();
  dir_.Write("tls.crt", second.cert_pem);
  dir_.Write("tls.key", second.key_pem);
  const auto again = sink->Send(one_, {});
  EXPECT_TRUE(again) << again.error().message;
}

TEST_F(HttpSinkTlsTest, VerifiesAnotherNameOrNothingWhereAskedTo) {
  server_.SetTls({authority_.Issue({.dns_names = {"receiver.example"}, .ip_addresses = {}}), {}});
  SinkSettings settings = SettingsFor(server_.url());
  settings.http.tls.ca_file = dir_.Write("ca.crt", authority_.cert_pem());
  const Error error = FailureOf(*Make(settings), one_);
  EXPECT_EQ(error.reason, "tls");
  EXPECT_THAT(error.message, AllOf(HasSubstr(" server-name"), Not(HasSubstr("tls-server-name"))));
  settings.http.tls.server_name = "receiver.example";
  const auto named = Make(settings)->Send(one_, {});
  EXPECT_TRUE(named) << named.error().message;
  SinkSettings careless = SettingsFor(server_.url());
  careless.http.tls.insecure_skip_verify = true;
  const auto sent = Make(careless)->Send(one_, {});
  EXPECT_TRUE(sent) << sent.error().message;
}

TEST_F(HttpSinkTlsTest, AnAuthorityOfNoUseIsToldAtTheStart) {
  SinkSettings settings = SettingsFor(server_.url());
  settings.http.tls.ca_file = dir_.Write("ca.crt", "garbage");
  const auto sink = MakeHttpSink(settings, Parts());
  ASSERT_FALSE(sink);
  EXPECT_EQ(sink.error().kind, ErrorKind::kConfiguration);
  EXPECT_THAT(sink.error().message, HasSubstr("ca.crt"));
}

}  // namespace
}  // namespace kube_events
