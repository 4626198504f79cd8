// The client against TLS servers with certificates made in memory.
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "net/client_under_test.h"
#include "net/recording_observer.h"
#include "support/scripted_server.h"

namespace kube_events {
namespace {

TlsSettings Trusting(const TestAuthority& authority) {
  TlsSettings settings;
  settings.ca_pem = authority.cert_pem();
  return settings;
}

TlsProvider Always(TlsSettings settings) {
  return [settings = std::move(settings)] { return Result<TlsSettings>(settings); };
}

// What one request to `url` ends with.
std::string Ask(HttpClient& client, HttpRequest request = Get()) {
  RecordingObserver observer;
  const auto exchange = client.Start(std::move(request), observer);
  return Told(observer.WaitForEnd());
}

std::string Ask(const std::string& url, TlsSettings settings) {
  return Ask(*ClientOf(url, Always(std::move(settings))));
}

TEST(CpprestTls, TrustsTheConfiguredAuthority) {
  const TestAuthority authority;
  ScriptedServer server(AnswerAll, ScriptedTls{authority.Issue(), ""});
  EXPECT_EQ(Ask(server.url(), Trusting(authority)), "ok");
  EXPECT_EQ(Ask(server.url("localhost"), Trusting(authority)), "ok");
}

TEST(CpprestTls, ConnectsToAnIpv6Address) {
  const TestAuthority authority;
  TestCertificateOptions options;
  options.ip_addresses = {"::1"};
  ScriptedServer plain(AnswerAll, {}, true);
  EXPECT_EQ(Ask(*ClientOf(plain.url("[::1]"))), "ok");
  ScriptedServer server(AnswerAll, ScriptedTls{authority.Issue(options), ""}, true);
  EXPECT_EQ(Ask(server.url("[::1]"), Trusting(authority)), "ok");
  ScriptedServer other(AnswerAll, ScriptedTls{authority.Issue(), ""}, true);
  EXPECT_NE(Ask(other.url("[::1]"), Trusting(authority)).find("not for ::1"), std::string::npos)
      << "its certificate is valid for other names only";
}

TEST(CpprestTls, StreamsAWatch) {
  const TestAuthority authority;
  ScriptedServer server(StreamAndStay({"one\n"}), ScriptedTls{authority.Issue(), ""});
  const auto client = ClientOf(server.url(), Always(Trusting(authority)));
  RecordingObserver observer;
  const auto exchange = client->Start(Watch(), observer);
  EXPECT_TRUE(observer.WaitForBody(4));
}

// The first address of localhost is that of IPv6.
TEST(CpprestTls, SurvivesThatTheFirstAddressOfAHostDoesNotAnswer) {
  const TestAuthority authority;
  ScriptedServer server(AnswerAll, ScriptedTls{authority.Issue(), ""});
  const auto client = ClientOf(server.url("localhost"), Always(Trusting(authority)));
  EXPECT_EQ(Ask(*client, Watch()), "ok");
}

TEST(CpprestTls, TrustsOneAuthorityOfABundle) {
  const TestAuthority authority;
  const TestAuthority other("another CA");
  ScriptedServer server(AnswerAll, ScriptedTls{authority.Issue(), ""});
  TlsSettings settings;
  settings.ca_pem = "# rotated\n" + other.cert_pem() + authority.cert_pem();
  EXPECT_EQ(Ask(server.url(), settings), "ok");
}

TEST(CpprestTls, RefusesAnotherAuthorityAndSaysWhy) {
  const TestAuthority authority;
  const TestAuthority other("another CA");
  ScriptedServer server(AnswerAll, ScriptedTls{authority.Issue(), ""});
  const std::string told = Ask(server.url(), Trusting(other));
  EXPECT_TRUE(told.starts_with("tls: ")) << told;
  EXPECT_NE(told.find("certificate verify failed: unable to get local issuer certificate"), std::string::npos) << told;
  EXPECT_NE(told.find("/CN=test CA"), std::string::npos) << told;
  EXPECT_NE(told.find(server.url()), std::string::npos) << told;
  EXPECT_TRUE(server.requests().empty());
}

TEST(CpprestTls, DoesNotTrustTheSystemBesideTheConfiguredAuthority) {
  const TestAuthority authority;
  ScriptedServer server(AnswerAll, ScriptedTls{authority.Issue(), ""});
  // Without a CA the system's bundle counts, which does not know the test's.
  const std::string told = Ask(server.url(), {});
  EXPECT_TRUE(told.find("certificate verify failed") != std::string::npos ||
              told.find("system's CA bundle") != std::string::npos)
      << told;
}

TEST(CpprestTls, RefusesACertificateForAnotherNameAndListsItsNames) {
  const TestAuthority authority;
  TestCertificateOptions options;
  options.dns_names = {"kubernetes", "kubernetes.default"};
  options.ip_addresses = {"10.96.0.1"};
  ScriptedServer server(AnswerAll, ScriptedTls{authority.Issue(options), ""});
  for (const char* host : {"127.0.0.1", "localhost"}) {
    const std::string told = Ask(server.url(host), Trusting(authority));
    EXPECT_TRUE(told.starts_with("tls: ")) << told;
    EXPECT_NE(told.find("valid for kubernetes, kubernetes.default, 10.96.0.1, not for " + std::string(host)),
              std::string::npos)
        << told;
  }
}

TEST(CpprestTls, IgnoresTheCommonName) {
  const TestAuthority authority;
  TestCertificateOptions options;
  options.common_name = "localhost";
  options.dns_names = {};
  options.ip_addresses = {};
  ScriptedServer server(AnswerAll, ScriptedTls{authority.Issue(options), ""});
  const std::string told = Ask(server.url("localhost"), Trusting(authority));
  EXPECT_NE(told.find("valid for no name"), std::string::npos) << told;
}

TEST(CpprestTls, VerifiesTheConfiguredServerNameInsteadOfTheHost) {
  const TestAuthority authority;
  TestCertificateOptions options;
  options.dns_names = {"kubernetes.default.svc"};
  options.ip_addresses = {};
  ScriptedServer server(AnswerAll, ScriptedTls{authority.Issue(options), ""});
  TlsSettings settings = Trusting(authority);
  settings.server_name = "kubernetes.default.svc";
  EXPECT_EQ(Ask(server.url(), settings), "ok");
  settings.server_name = "elsewhere";
  EXPECT_NE(Ask(server.url(), settings).find("not for elsewhere"), std::string::npos);
}

TEST(CpprestTls, RefusesAnExpiredCertificateAndSaysSinceWhen) {
  const TestAuthority authority;
  TestCertificateOptions options;
  options.valid_until = std::chrono::seconds(-60);
  ScriptedServer server(AnswerAll, ScriptedTls{authority.Issue(options), ""});
  const std::string told = Ask(server.url(), Trusting(authority));
  EXPECT_NE(told.find("certificate has expired (valid until 20"), std::string::npos) << told;
  EXPECT_NE(told.find("clocks"), std::string::npos) << told;
}

TEST(CpprestTls, VerifiesNothingWhenToldSo) {
  const TestAuthority authority;
  TestCertificateOptions options;
  options.dns_names = {"elsewhere"};
  options.ip_addresses = {};
  options.valid_until = std::chrono::seconds(-60);
  ScriptedServer server(AnswerAll, ScriptedTls{authority.Issue(options), ""});
  TlsSettings settings;
  settings.insecure_skip_verify = true;
  EXPECT_EQ(Ask(server.url(), settings), "ok");
  EXPECT_EQ(Ask(server.url("localhost"), settings), "ok");
}

TEST(CpprestTls, ShowsItsClientCertificate) {
  const TestAuthority authority;
  const TestAuthority clients("client CA");
  ScriptedServer server(AnswerAll, ScriptedTls{authority.Issue(), clients.cert_pem()});
  const TestCertificate certificate = clients.Issue();
  TlsSettings settings = Trusting(authority);
  settings.client_cert_pem = certificate.cert_pem;
  settings.client_key_pem = certificate.key_pem;
  EXPECT_EQ(Ask(server.url(), settings), "ok");
}

TEST(CpprestTls, SaysThatTheServerWantsAnotherClientCertificate) {
  const TestAuthority authority;
  const TestAuthority clients("client CA");
  ScriptedServer server(AnswerAll, ScriptedTls{authority.Issue(), clients.cert_pem()});
  const std::string told = Ask(server.url(), Trusting(authority));
  EXPECT_TRUE(told.starts_with("tls: ") || told.starts_with("reset: ")) << told;
  if (told.starts_with("tls: ")) {
    EXPECT_NE(told.find("client certificate"), std::string::npos) << told;
  }
}

TEST(CpprestTls, SaysThatAPortDoesNotSpeakTls) {
  ScriptedServer server([](ScriptedConnection& connection) {
    connection.Send("HTTP/1.1 400 Bad Request\r\n\r\n");
    connection.WaitUntilClosed();
  });
  TlsSettings settings;
  settings.insecure_skip_verify = true;
  const std::string told = Ask("https://127.0.0.1:" + std::to_string(server.port()), settings);
  EXPECT_TRUE(told.starts_with("tls: ")) << told;
  EXPECT_NE(told.find("wrong version number"), std::string::npos) << told;
}

TEST(CpprestTls, TellsATruncatedStreamFromItsEnd) {
  const TestAuthority authority;
  ScriptedServer server(
      [](ScriptedConnection& connection) {
        connection.ReadRequest();
        connection.Send(kChunkedHead);
        connection.SendChunk("one\n");
      },
      ScriptedTls{authority.Issue(), ""});
  const auto client = ClientOf(server.url(), Always(Trusting(authority)));
  const std::string told = Ask(*client, Watch());
  EXPECT_TRUE(told.starts_with("eof: ")) << told;
}

TEST(CpprestTls, UsesRotatedSettingsForTheNextRequest) {
  const TestAuthority before("CA before");
  const TestAuthority after("CA after");
  ScriptedServer server(AnswerAll, ScriptedTls{before.Issue(), ""});
  std::mutex mutex;
  TlsSettings current = Trusting(before);
  const auto client = ClientOf(server.url(), [&] {
    const std::lock_guard lock(mutex);
    return Result<TlsSettings>(current);
  });
  EXPECT_EQ(Ask(*client), "ok");
  EXPECT_EQ(Ask(*client), "ok");
  EXPECT_EQ(server.connections(), 1U);
  server.SetTls(ScriptedTls{after.Issue(), ""});
  // The kept connection goes on working, a new one does not: the client does not know the new authority yet.
  EXPECT_EQ(Ask(*client), "ok");
  EXPECT_TRUE(Ask(*client, Watch()).starts_with("tls: "));
  {
    const std::lock_guard lock(mutex);
    current = Trusting(after);
  }
  const std::size_t before_rotation = server.connections();
  EXPECT_EQ(Ask(*client), "ok");
  EXPECT_EQ(server.connections(), before_rotation + 1) << "the kept connection knows the old authority only";
  EXPECT_EQ(Ask(*client, Watch()), "ok");
}

TEST(CpprestTls, TellsThatTheSettingsCannotBeHad) {
  const auto client = ClientOf("https://127.0.0.1:1", [] {
    return Result<TlsSettings>(Fail(ErrorKind::kConfiguration, "the CA file /x is gone"));
  });
  RecordingObserver observer;
  const auto exchange = client->Start(Get(), observer);
  const auto result = observer.WaitForEnd();
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, ErrorKind::kConfiguration);
  EXPECT_EQ(result.error().message, "the CA file /x is gone");
}

TEST(CheckTlsSettings, RefusesWhatOpenSslCannotUse) {
  const TestAuthority authority;
  const TestCertificate one = authority.Issue();
  const TestCertificate two = authority.Issue();
  const auto message = [&](const std::string& ca, const std::string& cert, const std::string& key) {
    const auto checked = CheckTlsSettings({ca, cert, key, "", false});
    return checked ? "ok" : checked.error().message;
  };
  const std::string ca = authority.cert_pem();
  EXPECT_EQ(message(ca, "", ""), "ok");
  EXPECT_EQ(message(ca, one.cert_pem, one.key_pem), "ok");
  EXPECT_NE(message("garbage", "", "").find("CA contains no certificate"), std::string::npos);
  EXPECT_NE(message(one.key_pem, "", "").find("CA contains no certificate"), std::string::npos);
  EXPECT_NE(message(ca, "garbage", one.key_pem).find("client certificate contains no"), std::string::npos);
  EXPECT_NE(message(ca, one.cert_pem, "garbage").find("client key is not"), std::string::npos);
  EXPECT_NE(message(ca, one.cert_pem, "").find("client key is not"), std::string::npos);
  EXPECT_NE(message(ca, one.cert_pem, two.key_pem).find("do not belong together"), std::string::npos);
}

}  // namespace
}  // namespace kube_events
