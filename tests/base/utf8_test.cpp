#include "kube_events/base/utf8.h"

#include <gtest/gtest.h>

#include <string>

namespace kube_events {
namespace {

std::string Clean(std::string_view bytes) {
  std::string out;
  AppendValidUtf8(out, bytes);
  return out;
}

// Replacement characters as '?', for readable expectations.
std::string Marked(std::string_view bytes) {
  std::string out = Clean(bytes);
  for (std::size_t at = out.find("\xEF\xBF\xBD"); at != out.npos; at = out.find("\xEF\xBF\xBD"))
    out.replace(at, 3, "?");
  return out;
}

TEST(Utf8, ValidTextIsUnchanged) {
  for (const std::string_view text :
       {std::string_view(""), std::string_view("plain"), std::string_view("a\0b", 3),
        std::string_view("\u00e9\u07ff\u0800\uffff"), std::string_view("\U00010000\U0010ffff")}) {
    EXPECT_TRUE(IsValidUtf8(text));
    EXPECT_EQ(Clean(text), text);
  }
}

TEST(Utf8, TextIsAppended) {
  std::string out = "a";
  AppendValidUtf8(out, "b\xff");
  EXPECT_EQ(out, "ab\xEF\xBF\xBD");
}

TEST(Utf8, EachBrokenSequenceBecomesOneReplacement) {
  EXPECT_EQ(Marked("a\xff"
                   "b"),
            "a?b");
  EXPECT_EQ(Marked("\x80\xbf"), "??");                   // continuation bytes alone
  EXPECT_EQ(Marked("\xc3"), "?");                        // cut at the end
  EXPECT_EQ(Marked("\xe2\x82"), "?");                    // cut at the end, two bytes of three
  EXPECT_EQ(Marked("\xf0\x9f\x98(x"), "?(x");            // cut by another character
  EXPECT_EQ(Marked("\xc0\xaf"), "??");                   // overlong
  EXPECT_EQ(Marked("\xe0\x80\x80"), "???");              // overlong
  EXPECT_EQ(Marked("\xf0\x80\x80\x80"), "????");         // overlong
  EXPECT_EQ(Marked("\xed\xa0\x80"), "???");              // a surrogate
  EXPECT_EQ(Marked("\xf4\x90\x80\x80"), "????");         // beyond U+10FFFF
  EXPECT_EQ(Marked("\xf5\x80"), "??");                   // no lead byte
  EXPECT_EQ(Marked("\xe2\x82\xe2\x82\xac"), "?\u20ac");  // a whole one after a cut one
}

TEST(Utf8, WhateverGoesInValidTextComesOut) {
  for (int first = 0; first < 256; ++first) {
    for (int second = 0; second < 256; ++second) {
      const char bytes[] = {static_cast<char>(first), static_cast<char>(second), 'x'};
      const std::string clean = Clean(std::string_view(bytes, sizeof bytes));
      EXPECT_TRUE(IsValidUtf8(clean)) << first << " " << second;
      EXPECT_EQ(clean.back(), 'x');
    }
  }
}

}  // namespace
}  // namespace kube_events
