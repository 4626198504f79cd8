#include "kube_events/net/server_url.h"

#include <gtest/gtest.h>

namespace kube_events {
namespace {

std::string MessageFor(const char* text) {
  const auto url = ParseServerUrl(text);
  return url ? "parsed: " + url->ToString() : url.error().message;
}

TEST(ParseServerUrl, FillsInThePort) {
  const auto https = ParseServerUrl("https://example.com");
  ASSERT_TRUE(https);
  EXPECT_TRUE(https->tls);
  EXPECT_EQ(https->host, "example.com");
  EXPECT_EQ(https->port, 443);
  EXPECT_EQ(ParseServerUrl("http://127.0.0.1")->ToString(), "http://127.0.0.1:80");
}

TEST(ParseServerUrl, KeepsThePathPrefix) {
  EXPECT_EQ(ParseServerUrl("https://h:6443/k8s/clusters/c-1/")->path, "/k8s/clusters/c-1");
  EXPECT_EQ(ParseServerUrl("https://h:6443/k8s")->ToString(), "https://h:6443/k8s");
  EXPECT_EQ(ParseServerUrl("https://h:6443/")->path, "");
}

TEST(ParseServerUrl, ReadsTheSchemeInAnyCase) { EXPECT_TRUE(ParseServerUrl("HTTPS://h")->tls); }

TEST(ParseServerUrl, RefusesOtherThingsWithARemedy) {
  for (const char* text :
       {"", "example.com", "example.com:6443", "ftp://h", "https://", "https://:6443", "https:///p", "https://a b",
        "https://h\xc3\xa4", "https://h\"", "https://h/a|b", "https://h/{a}", "://h"}) {
    const std::string message = MessageFor(text);
    EXPECT_TRUE(message.find("https://HOST:PORT") != std::string::npos ||
                message.find("character") != std::string::npos)
        << text << " -> " << message;
  }
}

TEST(ParseServerUrl, RefusesBadPorts) {
  for (const char* text : {"https://h:", "https://h:0", "https://h:65536", "https://h:x", "https://h:1:2"}) {
    EXPECT_NE(MessageFor(text).find("1 to 65535"), std::string::npos) << text;
  }
}

TEST(ParseServerUrl, RefusesQueryAndFragment) {
  EXPECT_NE(MessageFor("https://h/?a=b").find("query"), std::string::npos);
  EXPECT_NE(MessageFor("https://h/#x").find("fragment"), std::string::npos);
}

TEST(ParseServerUrl, TakesIpv6AddressesInBrackets) {
  const auto url = ParseServerUrl("https://[fd00::1]:6443/prefix");
  ASSERT_TRUE(url);
  EXPECT_EQ(url->host, "fd00::1");
  EXPECT_EQ(url->port, 6443);
  EXPECT_EQ(url->ToString(), "https://[fd00::1]:6443/prefix");
  EXPECT_EQ(ParseServerUrl("https://[::1]")->ToString(), "https://[::1]:443");
  for (const char* text : {"https://[::1", "https://[]", "https://[127.0.0.1]", "https://[::1]x:443", "https://[h]",
                           "https://[fe80::1%25eth0]", "https://::1:443", "https://[[::1]]"}) {
    EXPECT_EQ(MessageFor(text).find("parsed"), std::string::npos) << text;
  }
  EXPECT_NE(MessageFor("https://[::1]:0").find("1 to 65535"), std::string::npos);
}

TEST(ParseServerUrl, NeverShowsAPassword) {
  const std::string message = MessageFor("https://user:hunter2@h:6443");
  EXPECT_NE(message.find("user or password"), std::string::npos);
  EXPECT_EQ(message.find("hunter2"), std::string::npos);
}

TEST(IsIpAddress, TellsAddressesFromNames) {
  EXPECT_TRUE(IsIpAddress("127.0.0.1"));
  EXPECT_TRUE(IsIpAddress("::1"));
  EXPECT_FALSE(IsIpAddress("localhost"));
  EXPECT_FALSE(IsIpAddress("1.2.3"));
  EXPECT_FALSE(IsIpAddress(""));
}

}  // namespace
}  // namespace kube_events
