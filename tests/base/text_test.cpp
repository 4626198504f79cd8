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

TEST(Shortened, CutsBetweenCharactersAndStaysOnOneLine) {
  EXPECT_EQ(Shortened("short", 10), "short");
  EXPECT_EQ(Shortened("0123456789", 10), "0123456789");
  EXPECT_EQ(Shortened("0123456789x", 10), "0123456789...");
  EXPECT_EQ(Shortened("a\nb\tc\x7f", 10), "a b c ");
  EXPECT_EQ(Shortened("a\xc3\xa4", 2), "a...");
  EXPECT_EQ(Shortened("a\xc3\xa4", 3), "a\xc3\xa4");
  EXPECT_EQ(Shortened("\xf0\x9f\x98\x80", 3), "...");
  EXPECT_EQ(Shortened("x", 0), "...");
}

TEST(Shortened, IsUtf8WhateverItIsGiven) {
  EXPECT_EQ(Shortened("a\xff", 10), "a\xef\xbf\xbd");
  EXPECT_EQ(Shortened("\xc3", 10), "\xef\xbf\xbd") << "cut by whoever wrote it";
  EXPECT_EQ(Shortened("\xff\xff\xff", 4), "\xef\xbf\xbd...") << "the bound is that of the result";
}

TEST(IsDnsLabel, TakesTheNamesOfNamespacesAndNoOther) {
  const std::string longest(63, 'a');
  for (const std::string& name : {std::string("a"), std::string("0"), std::string("kube-system"), longest}) {
    EXPECT_TRUE(IsDnsLabel(name)) << name;
  }
  for (const std::string& name : {std::string(), std::string("-a"), std::string("a-"), std::string("-"),
                                  std::string("a.b"), std::string("A"), std::string("a_b"), longest + "a"}) {
    EXPECT_FALSE(IsDnsLabel(name)) << name;
  }
}

TEST(IsDnsSubdomain, TakesLabelsWithDotsBetweenThem) {
  const std::string longest(253, 'a');
  for (const std::string& name : {std::string("a"), std::string("events.k8s.io"), std::string("0-0.1"), longest}) {
    EXPECT_TRUE(IsDnsSubdomain(name)) << name;
  }
  for (const std::string& name : {std::string(), std::string("."), std::string("a."), std::string(".a"),
                                  std::string("a..b"), std::string("a.-b"), std::string("a-.b"), longest + "a"}) {
    EXPECT_FALSE(IsDnsSubdomain(name)) << name;
  }
}

}  // namespace
}  // namespace kube_events
