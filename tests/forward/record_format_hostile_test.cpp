// Whatever an object holds, a receiver gets one line of valid JSON, or valid MessagePack, in valid UTF-8.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "forward/samples.h"
#include "kube_events/base/utf8.h"
#include "kube_events/forward/record_format.h"

namespace kube_events::testing {
namespace {

using nlohmann::json;

// An Event with one more member, `"x":VALUE`.
std::string With(const std::string& value) {
  return R"({"metadata":{"name":"a","uid":"u","resourceVersion":"7"},"x":)" + value + "}";
}

// What the two formats in their two forms make of an object, after checking that they agree.
json Written(const std::string& object, RecordFormat format) {
  const Record record = RecordOf(object);
  const std::string text = JsonOf(record, {format, ""});
  EXPECT_TRUE(IsValidUtf8(text));
  EXPECT_EQ(text.find('\n'), std::string::npos);
  EXPECT_EQ(text.find('\r'), std::string::npos);
  const json read = json::parse(text, nullptr, false);
  EXPECT_FALSE(read.is_discarded()) << text;
  const json packed = json::from_msgpack(MessagePackOf(record, {format, ""}), true, false);
  EXPECT_EQ(packed, read);
  return read;
}
json Raw(const std::string& object) { return Written(object, RecordFormat::kRaw); }
json Flat(const std::string& object) { return Written(object, RecordFormat::kFlat); }

TEST(RecordFormatHostileTest, InvalidUtf8IsReplaced) {
  EXPECT_EQ(Raw(With("\"a\xFF\xC3z\""))["object"]["x"], "a\xEF\xBF\xBD\xEF\xBF\xBDz");
  const std::string object = R"({"metadata":{"name":"a","resourceVersion":"7"},"message":")"
                             "\xED\xA0\x80"
                             R"("})";
  EXPECT_TRUE(IsValidUtf8(Flat(object)["message"].get<std::string>()));
}

TEST(RecordFormatHostileTest, LoneSurrogateEscapesAreReplaced) {
  EXPECT_EQ(Raw(With(R"("\ud800 \udfff \ud83d\ude00")"))["object"]["x"], "\xEF\xBF\xBD \xEF\xBF\xBD \xF0\x9F\x98\x80");
}

TEST(RecordFormatHostileTest, EscapesAndControlCharactersReadBack) {
  const std::string object =
      R"({"metadata":{"name":"a","uid":"u\"\\","resourceVersion":"7"},"message":"\u0000\u001f\"\\\n\r\t\b\f\u007f"})";
  const std::string message("\0\x1f\"\\\n\r\t\b\f\x7f", 10);
  EXPECT_EQ(Raw(object)["object"]["message"], message);
  EXPECT_EQ(Flat(object)["message"], message);
  EXPECT_EQ(Flat(object)["id"], "u\"\\/7");
}

TEST(RecordFormatHostileTest, LineBreaksBetweenTokensAreRemoved) {
  EXPECT_EQ(Raw("{\r\n\"metadata\":\n{\"name\":\"a\",\n\"resourceVersion\":\"7\"\n,\n\"managedFields\"\n:[\n]\n}\n}\n")
                ["object"],
            json::parse(R"({"metadata":{"name":"a","resourceVersion":"7"}})"));
}

TEST(RecordFormatHostileTest, DeepNestingStaysWholeOrBecomesAText) {
  const auto nested = [](std::size_t depth) { return With(std::string(depth, '[') + std::string(depth, ']')); };
  EXPECT_TRUE(Raw(nested(900)).contains("object"));
  const std::string too_deep = nested(5000);
  EXPECT_EQ(Raw(too_deep)["unreadable"], too_deep);
}

TEST(RecordFormatHostileTest, NumbersKeepTheirValue) {
  for (const char* number : {"0",
                             "-1",
                             "-32",
                             "-33",
                             "127",
                             "128",
                             "-128",
                             "-129",
                             "255",
                             "256",
                             "65535",
                             "65536",
                             "-32769",
                             "4294967295",
                             "4294967296",
                             "-2147483649",
                             "9223372036854775807",
                             "-9223372036854775808",
                             "18446744073709551615",
                             "1.5",
                             "-0.0",
                             "1e300",
                             "2.5e-8"}) {
    EXPECT_EQ(Raw(With(number))["object"]["x"], json::parse(number)) << number;
  }
}

TEST(RecordFormatHostileTest, NumbersBeyond64BitsBecomeTheLargest) {
  EXPECT_EQ(Raw(With("123456789012345678901234567890"))["object"]["x"], std::numeric_limits<std::int64_t>::max());
}

TEST(RecordFormatHostileTest, NumbersBeyondADoubleAreNoReasonToFail) { Raw(With("1e999")); }

TEST(RecordFormatHostileTest, RepeatedNamesAreWrittenAsTheyCame) {
  EXPECT_EQ(Raw(With(R"({"a":1,"a":2})"))["object"]["x"]["a"], 2);
  const json twice = Raw(R"({"metadata":{"name":"a","managedFields":[1]},)"
                         R"("metadata":{"name":"b","resourceVersion":"8","managedFields":[2]}})");
  EXPECT_EQ(twice["object"]["metadata"], (json{{"name", "b"}, {"resourceVersion", "8"}}));
}

TEST(RecordFormatHostileTest, MetadataOfAnotherTypeBecomesAText) {
  EXPECT_EQ(Raw(R"({"metadata":["managedFields"]})")["unreadable"], R"({"metadata":["managedFields"]})");
}

TEST(RecordFormatHostileTest, DetailsOfAnotherTypeAreLeftOut) {
  const json flat = Flat(R"({"metadata":{"name":"a","resourceVersion":"7","labels":[1]},"message":7,"related":"x",)"
                         R"("action":{},"source":{"host":null}})");
  EXPECT_FALSE(flat.contains("message") || flat.contains("action") || flat.contains("source_host"));
  EXPECT_EQ(flat["occurrences"], 1);
}

TEST(RecordFormatHostileTest, WhatIsNoEventIsHandedOnAsAText) {
  for (const char* text : {"", "{", "[]", "null", "nonsense\n", "{}", "{}}", R"({"kind":"Pod"})", "\xFF"}) {
    for (const RecordFormat format : {RecordFormat::kRaw, RecordFormat::kFlat}) {
      const json record = Written(text, format);
      EXPECT_EQ(record["id"], "unreadable/2026-01-01T00:00:00.000000Z");
      EXPECT_FALSE(record.contains("object"));
    }
  }
}

TEST(RecordFormatHostileTest, LargeMapsAndArraysHaveTheirSize) {
  std::string members = "{";
  std::string elements = "[";
  for (int i = 0; i < 70'000; ++i) {
    members += (i > 0 ? ",\"k" : "\"k") + std::to_string(i) + "\":1";
    elements += i > 0 ? ",0" : "0";
  }
  EXPECT_EQ(Raw(With(members + "}"))["object"]["x"].size(), 70'000u);
  EXPECT_EQ(Raw(With(elements + "]"))["object"]["x"].size(), 70'000u);
}

TEST(RecordFormatHostileTest, TextsOfAllLengthsReadBack) {
  for (const std::size_t size : {0u, 31u, 32u, 255u, 256u, 65'535u, 65'536u, 1'000'000u}) {
    EXPECT_EQ(Raw(With('"' + std::string(size, 'x') + '"'))["object"]["x"].get<std::string>().size(), size);
  }
}

TEST(RecordFormatHostileTest, AScopeThatIsNotUtf8IsReplaced) {
  const Record gap = GapOf("\xFF\n", "\xC3\"");
  const json read = json::parse(JsonOf(gap));
  EXPECT_EQ(read["gap_scope"], "\xEF\xBF\xBD\"");
  EXPECT_EQ(json::from_msgpack(MessagePackOf(gap)), read);
}

}  // namespace
}  // namespace kube_events::testing
