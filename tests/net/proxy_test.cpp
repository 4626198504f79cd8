#include "kube_events/net/proxy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace kube_events {
namespace {

using testing::HasSubstr;
using testing::Not;

ServerUrl Server(std::string host, std::uint16_t port = 6443) { return {true, std::move(host), port, ""}; }

TEST(ParseProxyUrl, TakesHostPortAndLogin) {
  const auto proxy = ParseProxyUrl("http://me:p%40ss%3Aword@proxy.example:3128/");
  ASSERT_TRUE(proxy) << proxy.error().message;
  EXPECT_EQ(proxy->host, "proxy.example");
  EXPECT_EQ(proxy->port, 3128);
  EXPECT_EQ(proxy->user, "me");
  EXPECT_EQ(proxy->password, "p@ss:word");
  EXPECT_EQ(proxy->ToString(), "http://proxy.example:3128") << "no login, since it goes into the log";
}

TEST(ParseProxyUrl, WithoutASchemeItIsHttp) {
  const auto proxy = ParseProxyUrl("proxy:8080");
  ASSERT_TRUE(proxy);
  EXPECT_EQ(proxy->ToString(), "http://proxy:8080");
  EXPECT_EQ(ParseProxyUrl("http://proxy")->port, 80);
}

TEST(ParseProxyUrl, OtherSchemesAreRefusedWithWhatWorks) {
  for (const std::string scheme : {"https", "socks5", "SOCKS5h", "ftp"}) {
    const auto proxy = ParseProxyUrl(scheme + "://proxy:1080");
    ASSERT_FALSE(proxy);
    EXPECT_EQ(proxy.error().kind, ErrorKind::kConfiguration);
    EXPECT_THAT(proxy.error().message, HasSubstr("http://HOST:PORT")) << scheme;
  }
}

TEST(ParseProxyUrl, WhatIsNoUrlIsRefusedWithoutTellingThePassword) {
  for (const std::string text : {"http://me:secret@", "http://me:secret@host:port", "http://me:secret%zz@host:1",
                                 "http://me:secret@host/path", "http://me:secret@h ost:1", "me:secret@"}) {
    const auto proxy = ParseProxyUrl(text);
    ASSERT_FALSE(proxy) << text;
    EXPECT_THAT(proxy.error().message, Not(HasSubstr("secret")));
  }
}

TEST(BypassesProxy, FollowsTheRulesOfGo) {
  struct Case {
    const char* no_proxy;
    const char* host;
    bool bypassed;
  };
  const Case cases[] = {
      {"", "api.example.com", false},
      {"*", "api.example.com", true},
      {"example.com", "api.example.com", true},
      {"example.com", "example.com", true},
      {"EXAMPLE.com", "api.Example.COM", true},
      {"example.com", "notexample.com", false},
      {".example.com", "example.com", false},
      {".example.com", "api.example.com", true},
      {"*.example.com", "api.example.com", true},
      {"*.example.com", "example.com", false},
      {"one.test, example.com ,two.test", "api.example.com", true},
      {"example.com:6443", "example.com", true},
      {"example.com:443", "example.com", false},
      {"10.0.0.0/8", "10.1.2.3", true},
      {"10.0.0.0/8", "11.1.2.3", false},
      {"10.1.2.77/24", "10.1.2.3", true},
      {"10.1.2.3", "10.1.2.3", true},
      {"10.1.2.3:6443", "10.1.2.3", true},
      {"10.1.2.3:443", "10.1.2.3", false},
      {"2.3", "10.1.2.3", false},
      {"10.0.0.0/8", "ten.example", false},
      {"10.0.0.0/99,nonsense/,/,:,[", "10.1.2.3", false},
      {"", "localhost", true},
      {"", "127.0.0.1", true},
      {"", "127.9.9.9", true},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(BypassesProxy(c.no_proxy, Server(c.host)), c.bypassed) << c.no_proxy << " for " << c.host;
  }
}

class ProxyFromEnvironmentTest : public testing::Test {
 protected:
  Result<std::optional<Proxy>> Find(const ServerUrl& server) {
    return ProxyFromEnvironment(
        [this](const std::string& name) {
          const auto found = variables_.find(name);
          return found == variables_.end() ? std::nullopt : std::optional(found->second);
        },
        server);
  }
  std::map<std::string, std::string> variables_;
};

TEST_F(ProxyFromEnvironmentTest, TheServersSchemeChoosesTheVariable) {
  EXPECT_FALSE(*Find(Server("api"))) << "nothing is set";
  variables_ = {{"HTTPS_PROXY", "http://for-https:1"}, {"HTTP_PROXY", "http://for-http:2"}};
  EXPECT_EQ((*Find(Server("api")))->host, "for-https");
  EXPECT_EQ((*Find({false, "api", 80, ""}))->host, "for-http");
}

TEST_F(ProxyFromEnvironmentTest, SmallLettersCountWhereCapitalsAreMissing) {
  variables_ = {{"https_proxy", "http://small:1"}, {"no_proxy", "direct.example"}};
  EXPECT_EQ((*Find(Server("api")))->host, "small");
  EXPECT_FALSE(*Find(Server("direct.example")));
  variables_["HTTPS_PROXY"] = "http://capital:1";
  EXPECT_EQ((*Find(Server("api")))->host, "capital");
}

TEST_F(ProxyFromEnvironmentTest, ABadProxyIsAnErrorOnlyWhereItWouldBeUsed) {
  variables_ = {{"HTTPS_PROXY", "socks5://proxy:1080"}, {"NO_PROXY", "direct.example"}};
  const auto proxy = Find(Server("api"));
  ASSERT_FALSE(proxy);
  EXPECT_THAT(proxy.error().message, HasSubstr("HTTPS_PROXY"));
  EXPECT_TRUE(Find(Server("direct.example")));
}

}  // namespace
}  // namespace kube_events
