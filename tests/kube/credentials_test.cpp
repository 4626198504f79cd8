#include "kube_events/kube/credentials.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <string>

#include "kube/temp_dir.h"
#include "support/fake_clock.h"

namespace kube_events {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

std::string HeaderOf(Credentials& credentials) {
  const auto headers = credentials.Headers();
  if (!headers) return "error: " + headers.error().message;
  return headers->empty() ? "none" : headers->front().name + ": " + headers->front().value;
}

TEST(Credentials, AnonymousSendsNothing) { EXPECT_EQ(HeaderOf(*MakeAnonymousCredentials()), "none"); }

TEST(Credentials, TokenIsTrimmed) {
  EXPECT_EQ(HeaderOf(**MakeTokenCredentials(" abc.def \n")), "Authorization: Bearer abc.def");
}

TEST(Credentials, TokensThatWouldInjectHeadersAreRefusedWithoutShowingThem) {
  for (const char* token : {"", " \n", "secret\r\nX-Evil: 1", "secret\nmore", "secret\x01"}) {
    const auto credentials = MakeTokenCredentials(token);
    ASSERT_FALSE(credentials) << token;
    EXPECT_EQ(credentials.error().kind, ErrorKind::kConfiguration);
    EXPECT_EQ(credentials.error().message.find("secret"), std::string::npos);
  }
}

TEST(Credentials, BasicIsEncoded) {
  EXPECT_EQ(HeaderOf(**MakeBasicCredentials("Aladdin", "open sesame")),
            "Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==");
  EXPECT_FALSE(MakeBasicCredentials("a\nb", "c"));
}

class TokenFileTest : public ::testing::Test {
 protected:
  std::unique_ptr<Credentials> Make() { return MakeTokenFileCredentials(file_, clock_, {}).value(); }

  TempDir dir_;
  FakeClock clock_;
  const std::string file_ = dir_.Write("token", "first\n");
};

TEST_F(TokenFileTest, IsReadAgainAfterAMinuteAndNotBefore) {
  const auto credentials = Make();
  EXPECT_EQ(HeaderOf(*credentials), "Authorization: Bearer first");
  dir_.Write("token", "second\n");
  clock_.Advance(seconds(59));
  EXPECT_EQ(HeaderOf(*credentials), "Authorization: Bearer first");
  clock_.Advance(seconds(1));
  EXPECT_EQ(HeaderOf(*credentials), "Authorization: Bearer second");
}

TEST_F(TokenFileTest, IsReadAgainAtOnceWhenTheServerRefusedIt) {
  const auto credentials = Make();
  dir_.Write("token", "second\n");
  clock_.Advance(seconds(2));
  credentials->Refresh();
  EXPECT_EQ(HeaderOf(*credentials), "Authorization: Bearer second");
}

TEST_F(TokenFileTest, IsReadAtMostOncePerSecondHoweverOftenTheServerRefuses) {
  const auto credentials = Make();
  dir_.Write("token", "second\n");
  clock_.Advance(milliseconds(999));
  credentials->Refresh();
  EXPECT_EQ(HeaderOf(*credentials), "Authorization: Bearer first");
  clock_.Advance(milliseconds(1));
  EXPECT_EQ(HeaderOf(*credentials), "Authorization: Bearer second");
}

TEST_F(TokenFileTest, KeepsTheLastTokenWhileTheFileIsOfNoUse) {
  const auto credentials = Make();
  for (const char* content : {"", " \n", "one\ntwo\n"}) {
    dir_.Write("token", content);
    clock_.Advance(seconds(61));
    EXPECT_EQ(HeaderOf(*credentials), "Authorization: Bearer first");
  }
  std::filesystem::remove(file_);
  clock_.Advance(seconds(61));
  EXPECT_EQ(HeaderOf(*credentials), "Authorization: Bearer first");
  dir_.Write("token", "second\n");
  clock_.Advance(seconds(61));
  EXPECT_EQ(HeaderOf(*credentials), "Authorization: Bearer second");
}

TEST_F(TokenFileTest, MustHoldATokenAtStart) {
  for (const auto& [file, words] :
       {std::pair{dir_.Write("empty", "\n"), "is empty"}, std::pair{(dir_.path() / "missing").string(), "No such file"},
        std::pair{dir_.path().string(), "is a directory"}}) {
    const auto credentials = MakeTokenFileCredentials(file, clock_, {});
    ASSERT_FALSE(credentials);
    EXPECT_EQ(credentials.error().kind, ErrorKind::kConfiguration);
    EXPECT_NE(credentials.error().message.find(file), std::string::npos) << credentials.error().message;
    EXPECT_NE(credentials.error().message.find(words), std::string::npos) << credentials.error().message;
  }
}

TEST_F(TokenFileTest, APasswordFileIsReadAgainInTheSameWay) {
  const auto credentials = MakePasswordFileCredentials("Aladdin", file_, clock_, {}).value();
  EXPECT_EQ(HeaderOf(*credentials), "Authorization: Basic QWxhZGRpbjpmaXJzdA==");
  dir_.Write("token", "open sesame\n");
  clock_.Advance(seconds(60));
  EXPECT_EQ(HeaderOf(*credentials), "Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==");
}

TEST_F(TokenFileTest, AUserIsOneAndThePasswordIsThere) {
  EXPECT_FALSE(MakePasswordFileCredentials("a:b", file_, clock_, {}));
  EXPECT_FALSE(MakePasswordFileCredentials("a\nb", file_, clock_, {}));
  const auto empty = MakePasswordFileCredentials("a", dir_.Write("empty", "\n"), clock_, {});
  ASSERT_FALSE(empty);
  EXPECT_NE(empty.error().message.find("put a password there"), std::string::npos) << empty.error().message;
}

}  // namespace
}  // namespace kube_events
