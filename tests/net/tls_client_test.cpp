// TLS for connections that are not HTTP. How it verifies servers is shown over the network in tests/forward.
#include "kube_events/net/tls_client.h"

#include <gtest/gtest.h>
#include <openssl/ssl.h>

#include <memory>

#include "support/test_certificates.h"

namespace kube_events {
namespace {

using Context = std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)>;
using Connection = std::unique_ptr<SSL, decltype(&SSL_free)>;

// What is sent as the server's name to `host`; "" for none.
std::string NameSentTo(const std::string& host, const std::string& server_name) {
  TlsSettings settings;
  settings.insecure_skip_verify = true;
  settings.server_name = server_name;
  const auto client = TlsClient::Create(settings, host).value();
  const Context context(SSL_CTX_new(TLS_client_method()), SSL_CTX_free);
  EXPECT_TRUE(client->Prepare(context.get()));
  const Connection connection(SSL_new(context.get()), SSL_free);
  client->SendServerName(connection.get());
  const char* name = SSL_get_servername(connection.get(), TLSEXT_NAMETYPE_host_name);
  return name == nullptr ? "" : name;
}

TEST(TlsClientTest, NamesAreSentAndAddressesAreNot) {
  EXPECT_EQ(NameSentTo("receiver.example", ""), "receiver.example");
  EXPECT_EQ(NameSentTo("192.0.2.1", ""), "");
  EXPECT_EQ(NameSentTo("2001:db8::1", ""), "");
  EXPECT_EQ(NameSentTo("192.0.2.1", "receiver.example"), "receiver.example");
}

TEST(TlsClientTest, ServersAreVerifiedAndOldVersionsRefused) {
  const TestAuthority authority;
  TlsSettings settings;
  settings.ca_pem = authority.cert_pem();
  const auto client = TlsClient::Create(settings, "receiver.example").value();
  const Context context(SSL_CTX_new(TLS_client_method()), SSL_CTX_free);
  ASSERT_TRUE(client->Prepare(context.get()));
  EXPECT_EQ(SSL_CTX_get_verify_mode(context.get()), SSL_VERIFY_PEER);
  EXPECT_EQ(SSL_CTX_get_min_proto_version(context.get()), TLS1_2_VERSION);
  EXPECT_EQ(client->refusal(), "");
}

TEST(TlsClientTest, UnusableSettingsAreRefused) {
  TlsSettings settings;
  settings.ca_pem = "garbage";
  const auto client = TlsClient::Create(settings, "receiver.example");
  ASSERT_FALSE(client);
  EXPECT_EQ(client.error().kind, ErrorKind::kConfiguration);
}

}  // namespace
}  // namespace kube_events
