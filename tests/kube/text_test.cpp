#include "kube/text.h"

#include <gtest/gtest.h>

namespace kube_events {
namespace {

TEST(PercentEncoded, KeepsUnreservedCharactersOnly) {
  EXPECT_EQ(PercentEncoded("azAZ09-._~"), "azAZ09-._~");
  EXPECT_EQ(PercentEncoded("a=b,c in (d)&x/+%\n"), "a%3Db%2Cc%20in%20%28d%29%26x%2F%2B%25%0A");
  EXPECT_EQ(PercentEncoded("\xc3\xa4"), "%C3%A4");
}

TEST(Base64, MatchesTheVectorsOfTheStandard) {
  const std::pair<const char*, const char*> rows[] = {{"", ""},
                                                      {"f", "Zg=="},
                                                      {"fo", "Zm8="},
                                                      {"foo", "Zm9v"},
                                                      {"foob", "Zm9vYg=="},
                                                      {"fooba", "Zm9vYmE="},
                                                      {"foobar", "Zm9vYmFy"}};
  for (const auto& [plain, encoded] : rows) {
    EXPECT_EQ(Base64Encoded(plain), encoded);
    EXPECT_EQ(Base64Decoded(encoded), plain);
  }
  const std::string binary("\x00\xff\xfe\x01", 4);
  EXPECT_EQ(Base64Decoded(Base64Encoded(binary)), binary);
}

TEST(Base64, SkipsLineBreaks) { EXPECT_EQ(Base64Decoded("Zm9v\n  YmFy\r\n"), "foobar"); }

TEST(Base64, RefusesWhatIsNot) {
  for (const char* text : {"Z", "Zg", "Zg=", "Zg===", "Z===", "Zg==Zg==", "Z!==", "====", "Zm9v-_=="}) {
    EXPECT_FALSE(Base64Decoded(text)) << text;
  }
}

}  // namespace
}  // namespace kube_events
