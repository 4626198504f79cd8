#include "kube_events/base/text.h"

#include <gtest/gtest.h>

#include <string>

namespace kube_events {
namespace {

TEST(Trimmed, TakesWhiteSpaceOffBothEnds) {
  EXPECT_EQ(Trimmed(" \t\r\n a b \n"), "a b");
  EXPECT_EQ(Trimmed(" \n"), "");
  EXPECT_EQ(Trimmed(""), "");
}

TEST(TakeUntil, TakesThePartBeforeTheSeparatorOffTheFront) {
  std::string_view rest = "a;;b";
  EXPECT_EQ(TakeUntil(rest, ';'), "a");
  EXPECT_EQ(rest, ";b");
  EXPECT_EQ(TakeUntil(rest, ';'), "");
  EXPECT_EQ(TakeUntil(rest, ';'), "b");
  EXPECT_EQ(rest, "");
  EXPECT_EQ(TakeUntil(rest, ';'), "");
}

TEST(PercentDecoded, TurnsEachEscapeIntoItsByteOrRefusesAll) {
  EXPECT_EQ(PercentDecoded("a%20b%C3%a4+"), "a b\xC3\xA4+");
  for (const char* text : {"%", "a%2", "%zz", "%2g", "%%20"}) EXPECT_EQ(PercentDecoded(text), std::nullopt) << text;
}

TEST(LowerAscii, LeavesAllButAsciiLettersAlone) {
  EXPECT_EQ(LowerAscii(std::string_view("AZaz@[`{09\xC3\x84")), "azaz@[`{09\xC3\x84");
}

TEST(EqualIgnoringCase, ComparesTheWholeText) {
  EXPECT_TRUE(EqualIgnoringCase("Retry-After", "retry-AFTER"));
  EXPECT_FALSE(EqualIgnoringCase("Retry-After", "retry"));
  EXPECT_FALSE(EqualIgnoringCase("[", "{")) << "they differ in the bit that tells the case of letters";
}

TEST(HasControlCharacter, FindsC0AndDelAndNoPartOfUtf8) {
  for (const char c : {'\0', '\t', '\n', '\r', '\x1f', '\x7f'}) {
    EXPECT_TRUE(HasControlCharacter(std::string("a") + c)) << int{c};
  }
  EXPECT_FALSE(HasControlCharacter("a b~ \xC3\xA4\xE2\x80\xA6"));
}

}  // namespace
}  // namespace kube_events
