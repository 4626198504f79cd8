#include "kube_events/base/json_text.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

namespace kube_events {
namespace {

std::string Quoted(std::string_view text) {
  std::string out;
  AppendJsonString(out, text);
  return out;
}

TEST(JsonTextTest, EveryByteReadsBack) {
  std::string text;
  for (int byte = 0; byte < 0x80; ++byte) text += static_cast<char>(byte);
  text += "\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80";
  EXPECT_EQ(nlohmann::json::parse(Quoted(text)).get<std::string>(), text);
}

TEST(JsonTextTest, StaysOnOneLine) {
  EXPECT_EQ(Quoted("a\nb\r\tc\x7f"), R"("a\nb\u000d\u0009c\u007f")");
  EXPECT_EQ(Quoted(R"(say "\")"), R"("say \"\\\"")");
}

TEST(JsonTextTest, WhatIsNotUtf8IsReplaced) {
  EXPECT_EQ(Quoted("a\xFF\xC3\"\xE2\x82"), "\"a\xEF\xBF\xBD\xEF\xBF\xBD\\\"\xEF\xBF\xBD\"");
}

TEST(JsonTextTest, AppendsToWhatIsThere) {
  std::string out = "{";
  AppendJsonString(out, "");
  EXPECT_EQ(out, "{\"\"");
}

}  // namespace
}  // namespace kube_events
