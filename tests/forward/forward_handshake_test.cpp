#include "forward/forward_handshake.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <vector>

namespace kube_events {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

// Computed with another implementation of SHA-512.
constexpr const char* kClientDigest =
    "3e248aa088bb87580dd4d9dadb22c4a0335df68b0741d007d17ec8005aeb9998"
    "e843e2a85c37bd98d796ff5e2bd5e616e2c5fa1c72deb0a074e05ece1705ecba";  // salt client nonce key
constexpr const char* kUserDigest =
    "82d658d975e9236cfa7f7d812b2b51567fd5c0e0ea0d89608720130391a2d043"
    "0e41054e9cb0b174061ecc251ded5b60d92f86dc52d1968906bd1527e9f760d3";  // auth user password
constexpr const char* kServerDigest =
    "1e07e0d86d96dbaf29f56a6b1497d4da9b91a6ae8e8ceb617cf7a6b89d416417"
    "2175274bf14d3cf697cb9f64f62e264282a700046101af0ba9e7a8b051830c7f";  // salt server nonce key

const ForwardHelo kHelo{"nonce", "auth"};
const ForwardClient kClient{"client", "salt"};
const ForwardSecrets kSecrets{"key", "user", "password"};

json Ping(const ForwardHelo& helo, const ForwardSecrets& secrets) {
  return json::from_msgpack(MakeForwardPing(helo, kClient, secrets));
}

Result<void> Check(const json& pong) { return CheckForwardPong(pong, kHelo, kClient, kSecrets, "the receiver"); }

TEST(ForwardHandshakeTest, HeloTellsNonceAndSaltAsTextOrBytes) {
  const auto text = ParseForwardHelo(json::array({"HELO", {{"nonce", "n"}, {"auth", "a"}, {"keepalive", true}}}), "");
  ASSERT_TRUE(text);
  EXPECT_EQ(text->nonce, "n");
  EXPECT_EQ(text->auth_salt, "a");
  const std::vector<std::uint8_t> bytes{0, 0xff};
  const auto binary = ParseForwardHelo(json::array({"HELO", {{"nonce", json::binary(bytes)}}}), "");
  ASSERT_TRUE(binary);
  EXPECT_EQ(binary->nonce, std::string("\x00\xff", 2));
  EXPECT_EQ(binary->auth_salt, "");
}

TEST(ForwardHandshakeTest, PingProvesTheKeyAndTheUser) {
  EXPECT_EQ(Ping(kHelo, kSecrets), json::array({"PING", "client", "salt", kClientDigest, "user", kUserDigest}));
}

TEST(ForwardHandshakeTest, PingNamesNoUserWhereNoneIsAskedForOrKnown) {
  EXPECT_EQ(Ping({"nonce", ""}, kSecrets), json::array({"PING", "client", "salt", kClientDigest, "", ""}));
  EXPECT_EQ(Ping(kHelo, {"key", "", ""}), json::array({"PING", "client", "salt", kClientDigest, "", ""}));
}

TEST(ForwardHandshakeTest, PongWithTheKeyIsTaken) {
  EXPECT_TRUE(Check(json::array({"PONG", true, "", "server", kServerDigest})));
}

TEST(ForwardHandshakeTest, PongWithoutTheKeyIsNot) {
  for (const json& digest : {json(kClientDigest), json(""), json(1), json(nullptr)}) {
    const auto checked = Check(json::array({"PONG", true, "", "server", digest}));
    ASSERT_FALSE(checked) << digest;
    EXPECT_EQ(checked.error().kind, ErrorKind::kUnauthenticated);
    EXPECT_THAT(checked.error().message, HasSubstr("the receiver does not know the shared key"));
  }
}

TEST(ForwardHandshakeTest, ARefusalIsShownAsOneShortLine) {
  const auto checked = Check(json::array({"PONG", false, "no\nway" + std::string(5000, '!'), "", ""}));
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().kind, ErrorKind::kUnauthenticated);
  EXPECT_THAT(checked.error().message, HasSubstr("no way!!!"));
  EXPECT_THAT(checked.error().message, Not(HasSubstr("\n")));
  EXPECT_LT(checked.error().message.size(), 500U);
}

TEST(ForwardHandshakeTest, WhatIsNoPongIsAnError) {
  for (const char* text : {"[]", "{}", "1", R"(["PONG"])", R"(["PONG",1,"","",""])", R"(["PING",true,"","",""])"}) {
    const auto checked = Check(json::parse(text));
    ASSERT_FALSE(checked) << text;
    EXPECT_EQ(checked.error().reason, "protocol");
  }
}

}  // namespace
}  // namespace kube_events
