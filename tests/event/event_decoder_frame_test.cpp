#include <gtest/gtest.h>

#include <random>
#include <string>

#include "event/decoding.h"
#include "event/samples.h"

namespace kube_events::testing {
namespace {

std::string Frame(const std::string& type, const std::string& object) {
  return R"({"type":")" + type + R"(","object":)" + object + "}";
}

std::string ErrorOf(const std::string& json) {
  FrameReader reader;
  const Result<WatchFrame> frame = reader.Read(json);
  EXPECT_FALSE(frame.has_value()) << json;
  if (frame) return "";
  EXPECT_EQ(frame.error().kind, ErrorKind::kInvalid) << json;
  return frame.error().message;
}

TEST(EventDecoderFrame, ARecorderEventIsReadThroughCoreV1) {
  FrameReader reader;
  const Event event = reader.AddedEvent(kRecorderEvent);
  EXPECT_EQ(event.name, "web-7d4b9.17f1c2a3b4d5e6f7");
  EXPECT_EQ(event.namespace_name, "shop");
  EXPECT_EQ(event.uid, "0f8fad5b-d9cb-469f-a165-70867728950e");
  EXPECT_EQ(event.involved.kind, "Pod");
  EXPECT_EQ(event.involved.namespace_name, "shop");
  EXPECT_EQ(event.InvolvedApiGroup(), "");
  EXPECT_EQ(event.type, "Warning");
  EXPECT_EQ(event.reason, "BackOff");
  EXPECT_EQ(event.Controller(), "kubelet");
  EXPECT_EQ(event.Total(), 12);
  EXPECT_FALSE(event.has_series);
  EXPECT_EQ(event.Epoch(), event.creation_time);
  EXPECT_EQ(event.LastSeen(), event.last_time);
}

TEST(EventDecoderFrame, ASeriesIsReadThroughEventsV1) {
  FrameReader reader;
  const Event event = reader.AddedEvent(kSeriesEvent);
  EXPECT_EQ(event.involved.kind, "Deployment");
  EXPECT_EQ(event.InvolvedApiGroup(), "apps");
  EXPECT_EQ(event.Controller(), "default-scheduler");
  EXPECT_TRUE(event.has_series);
  EXPECT_EQ(event.Total(), 40);
  EXPECT_EQ(event.Epoch(), event.event_time);
  EXPECT_EQ(event.LastSeen(), event.series_last_observed_time);
}

TEST(EventDecoderFrame, AnOldWritersEventIsReadThroughEventsV1) {
  FrameReader reader;
  const Event event = reader.AddedEvent(kNodeEvent);
  EXPECT_EQ(event.involved.kind, "Node");
  EXPECT_EQ(event.involved.namespace_name, "");
  EXPECT_EQ(event.Controller(), "node-controller");
  EXPECT_EQ(event.Total(), 2);
  EXPECT_EQ(event.Epoch(), event.first_time);
}

TEST(EventDecoderFrame, EachTypeOfChangeIsRead) {
  FrameReader reader;
  for (const FrameType type : {FrameType::kAdded, FrameType::kModified, FrameType::kDeleted}) {
    const Result<WatchFrame> frame = reader.Read(Frame(std::string(ToString(type)), kSeriesEvent));
    ASSERT_TRUE(frame.has_value()) << frame.error().message;
    EXPECT_EQ(frame->type, type);
    EXPECT_EQ(frame->event.name, "worker.17f1c2a3b4d5e6f8");
    EXPECT_EQ(frame->resource_version, "48300");
    EXPECT_EQ(frame->raw_object, kSeriesEvent);
  }
}

TEST(EventDecoderFrame, ABookmarkNeedsAVersionOnly) {
  FrameReader reader;
  const auto frame = reader.Read(Frame("BOOKMARK", R"({"kind":"Event","metadata":{"resourceVersion":"9"}})"));
  ASSERT_TRUE(frame.has_value()) << frame.error().message;
  EXPECT_EQ(frame->type, FrameType::kBookmark);
  EXPECT_EQ(frame->resource_version, "9");
  EXPECT_EQ(ErrorOf(Frame("BOOKMARK", R"({"kind":"Event","metadata":{}})")),
            "BOOKMARK: metadata.resourceVersion is missing");
}

TEST(EventDecoderFrame, AnErrorCarriesItsStatusUnread) {
  FrameReader reader;
  const std::string status = R"({"kind":"Status","status":"Failure","reason":"Expired","code":410,"metadata":{}})";
  const auto frame = reader.Read(Frame("ERROR", status));
  ASSERT_TRUE(frame.has_value()) << frame.error().message;
  EXPECT_EQ(frame->type, FrameType::kError);
  EXPECT_EQ(frame->raw_object, status);
}

TEST(EventDecoderFrame, TheOrderOfTheFieldsIsFree) {
  FrameReader reader;
  const auto frame = reader.Read(std::string("\n { \"more\" : [ 1 , { } ] , \"object\" : ") + kNodeEvent +
                                 " , \"type\" : \"DELETED\" } \n");
  ASSERT_TRUE(frame.has_value()) << frame.error().message;
  EXPECT_EQ(frame->type, FrameType::kDeleted);
  EXPECT_EQ(frame->raw_object, kNodeEvent);
}

TEST(EventDecoderFrame, UnknownTypesAreRefusedByName) {
  EXPECT_EQ(ErrorOf(Frame("RENAMED", "{}")), "watch frame: unknown type \"RENAMED\"");
  EXPECT_EQ(ErrorOf(Frame("added", "{}")), "watch frame: unknown type \"added\"");
  EXPECT_EQ(ErrorOf(R"({"object":{}})"), "watch frame: unknown type \"\"");
  EXPECT_EQ(ErrorOf(R"({"type":null,"object":{}})"), "watch frame: unknown type \"\"");
  EXPECT_EQ(ErrorOf(Frame("a\\u0000b", "{}")), "watch frame: unknown type \"a b\"");
  EXPECT_EQ(ErrorOf(Frame(std::string(100, 'A'), "{}")),
            "watch frame: unknown type \"" + std::string(64, 'A') + "...\"");
}

TEST(EventDecoderFrame, AFrameWithoutAnObjectIsRefused) {
  EXPECT_EQ(ErrorOf(R"({"type":"ADDED"})"), "watch frame: object is missing");
  for (const char* object : {"null", "1", "[]", "\"text\""}) EXPECT_NE(ErrorOf(Frame("ADDED", object)), "");
}

TEST(EventDecoderFrame, WhatIsNotOneJsonObjectIsRefused) {
  const std::string whole = Frame("ADDED", kNodeEvent);
  for (const std::string& json : {std::string(),
                                  std::string(" "),
                                  std::string("nul"),
                                  std::string("[]"),
                                  std::string("{"),
                                  std::string("{}"),
                                  std::string(R"({"type":"ADDED","object":{"metadata":)"),
                                  whole + "x",
                                  whole + whole,
                                  whole + "{}",
                                  whole + "]",
                                  whole + ",",
                                  "x" + whole,
                                  whole.substr(0, whole.size() - 1),
                                  whole.substr(1),
                                  whole.substr(0, 40),
                                  Frame("ADDED", R"({"metadata":{"name":"a","resourceVersion":"7"},"x":[}})"),
                                  Frame("ADDED", R"({"metadata":{"name":"a","resourceVersion":"7"},"x":tru})"),
                                  Frame("ADDED", R"({"metadata":{"name":"a","resourceVersion":"7"},"x":01})"),
                                  Frame("ADDED", R"({"metadata":{"name":"a","resourceVersion":"7"},"x":1 2})"),
                                  Frame("ADDED", R"({"metadata":{"name":"a","resourceVersion":"7",}})"),
                                  Frame("ADDED", R"({"metadata":{"name":"a","resourceVersion":"7"} "x":1})")}) {
    EXPECT_NE(ErrorOf(json), "") << json;
  }
}

TEST(EventDecoderFrame, EveryPrefixOfAFrameIsRefused) {
  const std::string whole = Frame("ADDED", kSeriesEvent);
  FrameReader reader;
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(reader.Read(whole.substr(0, size)).has_value()) << size;
  }
  EXPECT_TRUE(reader.Read(whole).has_value());
}

TEST(EventDecoderFrame, ABadFrameDoesNotSpoilTheNext) {
  FrameReader reader;
  EXPECT_FALSE(reader.Read("{\"type\":\"ADDED\",\"object\":{\"a\":[").has_value());
  EXPECT_EQ(reader.AddedEvent(kSeriesEvent).Total(), 40);
}

TEST(EventDecoderFrame, DepthBombsFailCleanly) {
  constexpr std::size_t kDepth = 200'000;
  for (const std::string& bomb :
       {std::string(kDepth, '[') + std::string(kDepth, ']'), std::string(kDepth, '['), std::string(kDepth, ']')}) {
    FrameReader reader;
    EXPECT_FALSE(reader.Read(bomb).has_value());
    EXPECT_FALSE(reader.Added(R"({"metadata":{"name":"a","resourceVersion":"7"},"x":)" + bomb + "}").has_value());
    EXPECT_EQ(reader.AddedEvent(kNodeEvent).name, "node-1.17f1c2a3b4d5e6f9");
  }
}

TEST(EventDecoderFrame, AFrameOfManyMegabytesIsRead) {
  const std::string note(8'000'000, 'x');
  FrameReader reader;
  EXPECT_EQ(reader.AddedEvent(ObjectWith("note", "\"" + note + "\"")).name, "a");
  EXPECT_EQ(reader.AddedEvent(kSeriesEvent).Total(), 40);
}

// What a frame was read as, in one line.
std::string Reading(const std::string& json) {
  FrameReader reader;
  const auto frame = reader.Read(json);
  if (!frame) return "refused: " + frame.error().message;
  const Event& event = frame->event;
  std::string reading(ToString(frame->type));
  for (const std::string_view text :
       {frame->resource_version, frame->raw_object, event.name, event.namespace_name, event.uid, event.reason,
        event.type, event.involved.kind, event.involved.namespace_name, event.Controller()}) {
    reading.append("|").append(text);
  }
  return reading + "|" + std::to_string(event.Total()) + (event.LastSeen() ? "|seen" : "");
}

TEST(EventDecoderFrame, TheFormOfTheApiServerIsReadAsAnyOtherForm) {
  const std::string object = R"({"kind":"Event","metadata":{"name":"a","resourceVersion":"7"},"count":2})";
  for (const std::string& plain :
       {Frame("ADDED", object), Frame("ADDED", object + R"(,"more":{})"), Frame("ADDED", object + "}"),
        Frame("ADDED", object + R"(,"type":"DELETED","x":{})"), Frame("ADDED", object + ",{}"), Frame("NEW", object),
        Frame("ADDED", "null"), Frame("ADDED", "[{}"), Frame("ADDED", "{}"), Frame("ERROR", object + "}"),
        Frame("ERROR", "{}"), Frame("ADDED", "{\"kind\":\"Event\",\"reason\":\"\xff\",\"metadata\":{}}")}) {
    EXPECT_EQ(Reading(plain), Reading("{ " + plain.substr(1))) << plain;
  }
}

TEST(EventDecoderFrame, TheFormOfTheApiServerIsReadAsAnyOtherFormHoweverItIsBroken) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  constexpr std::string_view kBytes = "{}[]\",:\\0a \xff";
  for (int i = 0; i < 3'000; ++i) {
    std::string plain = Frame(i % 2 == 0 ? "MODIFIED" : "BOOKMARK", i % 3 == 0 ? kRecorderEvent : kSeriesEvent);
    for (int changes = 0; changes < 1 + i % 3; ++changes) {
      plain[1 + random() % (plain.size() - 1)] = kBytes[random() % kBytes.size()];
    }
    ASSERT_EQ(Reading(plain), Reading("{ " + plain.substr(1))) << plain;
  }
}

}  // namespace
}  // namespace kube_events::testing
