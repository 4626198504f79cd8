#include "kube_events/metrics/label_text.h"

#include <gtest/gtest.h>

#include <random>

#include "kube_events/base/utf8.h"

namespace kube_events {
namespace {

using namespace std::string_literals;

TEST(CleanUtf8Test, ValidTextStaysAsItIs) {
  EXPECT_EQ(CleanUtf8("BackOff"), "BackOff");
  EXPECT_EQ(CleanUtf8("Größe 日本 🚀\n\t\"\\"), "Größe 日本 🚀\n\t\"\\");
  EXPECT_EQ(CleanUtf8(""), "");
}

TEST(CleanUtf8Test, InvalidBytesBecomeReplacementCharacters) {
  EXPECT_EQ(CleanUtf8("a\xff\xfe"
                      "b"),
            "a\uFFFD\uFFFDb");
  EXPECT_EQ(CleanUtf8("\xe6\x97"), "\uFFFD") << "a truncated character";
  EXPECT_EQ(CleanUtf8("\xc0\xaf"), "\uFFFD\uFFFD") << "an overlong form";
  EXPECT_EQ(CleanUtf8("\xed\xa0\x80"), "\uFFFD\uFFFD\uFFFD") << "a surrogate";
  EXPECT_EQ(CleanUtf8("\xf4\x90\x80\x80"), "\uFFFD\uFFFD\uFFFD\uFFFD") << "above U+10FFFF";
}

TEST(CleanUtf8Test, NulBecomesAReplacementCharacter) { EXPECT_EQ(CleanUtf8("a\0b\0"s), "a\uFFFDb\uFFFD"); }

TEST(CleanUtf8Test, TextIsCutBetweenTwoCharacters) {
  EXPECT_EQ(CleanUtf8("abcdef", 4), "abcd");
  EXPECT_EQ(CleanUtf8("abcd", 4), "abcd");
  EXPECT_EQ(CleanUtf8("abéé", 5), "abé");
  EXPECT_EQ(CleanUtf8("ab🚀", 5), "ab");
  EXPECT_EQ(CleanUtf8("ab🚀", 6), "ab🚀");
  EXPECT_EQ(CleanUtf8("\xff\xff", 5), "\uFFFD") << "the bound holds for what is written, not for what is read";
  EXPECT_EQ(CleanUtf8(std::string(100'000, 'x')).size(), kMaxLabelBytes);
}

TEST(CleanUtf8Test, WhatIsThereAlreadyIsKept) {
  std::string out(300, 'p');
  AppendCleanUtf8(out, "value\0"s);
  EXPECT_EQ(out, std::string(300, 'p') + "value\uFFFD");
}

TEST(CleanUtf8Test, AnyBytesBecomeValidTextWithinTheBound) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (int i = 0; i < 5000; ++i) {
    std::string raw(random() % 40, '\0');
    // Mostly bytes above 0x7f, which make the interesting sequences.
    for (char& c : raw) c = static_cast<char>(random() % 4 == 0 ? random() % 256 : 0x80 + random() % 128);
    const std::string clean = CleanUtf8(raw, 20);
    ASSERT_LE(clean.size(), 20U);
    ASSERT_TRUE(IsValidUtf8(clean)) << testing::PrintToString(raw);
    ASSERT_EQ(clean, CleanUtf8(clean, 20)) << "cleaning twice is cleaning once";
    // The cut must not depend on where it is made: the longer text begins with the shorter one.
    ASSERT_TRUE(CleanUtf8(raw, 200).starts_with(clean)) << testing::PrintToString(raw);
  }
}

TEST(EscapedLabelValueTest, BackslashQuoteAndNewlineAreEscaped) {
  std::string out = "x=";
  AppendEscapedLabelValue(out, "a\\b\"c\nd\té");
  EXPECT_EQ(out, "x=a\\\\b\\\"c\\nd\té");
}

}  // namespace
}  // namespace kube_events
