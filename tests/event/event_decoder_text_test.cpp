// Text that a strict JSON parser refuses and a lenient reader repairs.
#include <gtest/gtest.h>

#include <string>

#include "event/decoding.h"
#include "kube_events/base/utf8.h"

namespace kube_events::testing {
namespace {

constexpr const char* kReplacement = "\xEF\xBF\xBD";

TEST(EventDecoderText, InvalidUtf8BecomesTheReplacementCharacter) {
  FrameReader reader;
  const auto frame = reader.Added(ObjectWith("reason", "\"a\xff\xc3(\xe2\x82z\""));
  ASSERT_TRUE(frame.has_value()) << frame.error().message;
  EXPECT_EQ(frame->event.reason, std::string("a") + kReplacement + kReplacement + "(" + kReplacement + "z");
  EXPECT_EQ(frame->event.name, "a");
}

TEST(EventDecoderText, InvalidUtf8InFieldsThatAreNotReadDoesNotFail) {
  FrameReader reader;
  EXPECT_EQ(reader.AddedEvent(ObjectWith("message", "\"\x80\xf5\"")).name, "a");
}

TEST(EventDecoderText, TheRawObjectIsValidUtf8) {
  FrameReader reader;
  const auto frame = reader.Added(ObjectWith("message", "\"\xed\xa0\x80\""));
  ASSERT_TRUE(frame.has_value());
  EXPECT_TRUE(IsValidUtf8(frame->raw_object));
  EXPECT_EQ(frame->raw_object.front(), '{');
  EXPECT_EQ(frame->raw_object.back(), '}');
}

TEST(EventDecoderText, LoneSurrogateEscapesBecomeTheReplacementCharacter) {
  FrameReader reader;
  const std::string replacement = kReplacement;
  const auto reason = [&reader](const std::string& json) {
    return std::string(reader.AddedEvent(ObjectWith("reason", json)).reason);
  };
  EXPECT_EQ(reason(R"("\ud800")"), replacement);
  EXPECT_EQ(reason(R"("\udc00x")"), replacement + "x");
  EXPECT_EQ(reason(R"("\uD800\uD800\uDC00")"), replacement + "\U00010000");
  EXPECT_EQ(reason(R"("\udbff\n")"), replacement + "\n");
  EXPECT_EQ(reason(R"("\ud83d\ude00")"), "\U0001F600");
  EXPECT_EQ(reason(R"("\\ud800 \ud800")"), "\\ud800 " + replacement);
}

TEST(EventDecoderText, LoneSurrogatesElsewhereDoNotFail) {
  FrameReader reader;
  EXPECT_EQ(reader.AddedEvent(ObjectWith("message", R"("\"\udfff")")).name, "a");
}

TEST(EventDecoderText, BothRepairsWorkTogether) {
  FrameReader reader;
  const Event event = reader.AddedEvent(ObjectWith("reason", "\"\xff\\ud800\""));
  EXPECT_EQ(event.reason, std::string(kReplacement) + kReplacement);
}

TEST(EventDecoderText, BrokenEscapesAreRefused) {
  FrameReader reader;
  for (const char* json : {R"("\u12")", R"("\x41")", R"("\u12g4")", "\"\n\"", "\"\x01\""}) {
    EXPECT_FALSE(reader.Added(ObjectWith("reason", json)).has_value()) << json;
  }
}

TEST(EventDecoderText, ControlCharactersAsEscapesAreKept) {
  FrameReader reader;
  EXPECT_EQ(reader.AddedEvent(ObjectWith("reason", R"("a\u0000b\n\t\u007f")")).reason,
            std::string_view("a\0b\n\t\x7f", 6));
}

TEST(EventDecoderText, ARepairedItemOfAListKeepsItsNeighbours) {
  EventDecoder decoder;
  const auto [meta, items] =
      ReadList(decoder,
               "{\"kind\":\"EventList\",\"metadata\":{\"resourceVersion\":\"9\"},\"items\":["
               "{\"metadata\":{\"name\":\"a\",\"resourceVersion\":\"1\"},\"reason\":\"\xff\"},"
               "{\"metadata\":{\"name\":\"b\",\"resourceVersion\":\"2\"},\"reason\":\"\\udc00\"},"
               "{\"metadata\":{\"name\":\"c\",\"resourceVersion\":\"3\"}}]}");
  ASSERT_TRUE(meta.has_value()) << meta.error().message;
  EXPECT_EQ(meta->items, 3U);
  EXPECT_EQ(meta->skipped, 0U);
  ASSERT_EQ(items.size(), 3U);
  EXPECT_EQ(items[2].raw, R"({"metadata":{"name":"c","resourceVersion":"3"}})");
}

}  // namespace
}  // namespace kube_events::testing
