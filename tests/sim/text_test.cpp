// Texts: times, strings, continue tokens, selectors, request targets, chunks.
#include "sim/api_request.h"
#include "sim/continue_token.h"
#include "sim/json_text.h"
#include "sim/selector.h"
#include "sim/sim_test_support.h"

namespace kube_events::sim {
namespace {

std::string Json(void (*append)(std::string&, const OptionalTime&), const OptionalTime& time) {
  std::string out;
  append(out, time);
  return out;
}

TEST(JsonText, TimesAreWrittenAndReadBack) {
  const WallTime time = FakeClock::kDefaultStart + std::chrono::microseconds{1'234'567};
  EXPECT_EQ(Json(AppendJsonTime, time), "\"2026-01-01T00:00:01Z\"");
  EXPECT_EQ(Json(AppendJsonMicroTime, time), "\"2026-01-01T00:00:01.234567Z\"");
  EXPECT_EQ(Json(AppendJsonTime, std::nullopt), "null");
  EXPECT_EQ(ParseTime("2026-01-01T00:00:01.234567Z"), time);
  EXPECT_EQ(ParseTime("2026-01-01T02:00:01.234567891+02:00"), time);
  EXPECT_EQ(ParseTime("2025-12-31T23:30:01.234567-00:30"), time);
  EXPECT_EQ(ParseTime("2026-01-01T00:00:01Z"), FakeClock::kDefaultStart + std::chrono::seconds{1});
}

TEST(JsonText, WhatIsNoTimeIsUnset) {
  for (const char* text : {"", "now", "2026-01-01", "2026-13-01T00:00:00Z", "2026-01-01T25:00:00Z",
                           "2026-01-01T00:00:00", "2026-01-01T00:00:00+2", "2026-01-01T00:00:00Zx"}) {
    EXPECT_EQ(ParseTime(text), std::nullopt) << text;
  }
}

TEST(JsonText, StringsAreEscapedAsByGo) {
  std::string out;
  AppendJsonString(out, "a\"b\\c\n<&>\x01\xc3\xa4");
  EXPECT_EQ(out, "\"a\\\"b\\\\c\\n\\u003c\\u0026\\u003e\\u0001\xc3\xa4\"");
}

TEST(ContinueToken, IsReadBack) {
  const ContinueToken token{123, std::string("shop/e\0", 7), 42};
  const auto read = DecodeContinue(EncodeContinue(token));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->revision, 123);
  EXPECT_EQ(read->start, token.start);
  EXPECT_EQ(read->remaining, 42U);
  EXPECT_FALSE(DecodeContinue("%%%"));
  EXPECT_FALSE(DecodeContinue("e30"));
}

TEST(RequestTarget, IsDecoded) {
  Request request;
  request.target = "/api/v1/events?labelSelector=a%3Db%2Cc&watch=true&empty&x=1+2&n=12&m=1x";
  ParseTarget(request);
  EXPECT_EQ(request.path, "/api/v1/events");
  EXPECT_EQ(request.Query("labelSelector"), "a=b,c");
  EXPECT_TRUE(request.QueryIsTrue("watch"));
  EXPECT_EQ(request.Query("x"), "1 2");
  EXPECT_EQ(request.QueryNumber("n"), 12U);
  EXPECT_EQ(request.QueryNumber("m"), std::nullopt);
  EXPECT_EQ(request.QueryNumber("empty"), std::nullopt);
}

TEST(SelectorSyntax, IsChecked) {
  for (const char* labels : {"=x", "a in b", "a b", "()"}) {
    EXPECT_FALSE(Selector::Parse(labels, "", Api::kCoreV1)) << labels;
  }
  for (const char* fields : {"type", "=x", "status.phase=x", "regarding.name=x"}) {
    EXPECT_FALSE(Selector::Parse("", fields, Api::kCoreV1)) << fields;
  }
  EXPECT_TRUE(Selector::Parse("", "", Api::kCoreV1)->empty());
}

TEST(ChunkWriter, FramesBecomeChunks) {
  ChunkWriter writer(0);
  writer.Frame({"ab", "cdefghijklmnop"});
  writer.Frame({"x"});
  writer.LastChunk();
  std::string out;
  writer.Take(out);
  EXPECT_EQ(out, "10\r\nabcdefghijklmnop\r\n1\r\nx\r\n0\r\n\r\n");
}

TEST(ChunkWriter, CutsWhereItIsTold) {
  ChunkWriter writer(3);
  writer.Frame({"abcd"});
  writer.Frame({"efg"});
  std::string out;
  writer.Take(out);
  EXPECT_EQ(out, "3\r\nabc\r\n3\r\ndef\r\n1\r\ng\r\n");
}

}  // namespace
}  // namespace kube_events::sim
