#include <gtest/gtest.h>

#include <string>

#include "event/decoding.h"
#include "event/samples.h"

namespace kube_events::testing {
namespace {

std::string Item(const std::string& name) { return R"({"metadata":{"name":")" + name + R"(","resourceVersion":"5"}})"; }

std::string Page(const std::string& items) {
  return R"({"kind":"EventList","apiVersion":"v1","metadata":{"resourceVersion":"90"},"items":)" + items + "}";
}

std::string ErrorOf(const std::string& json) {
  EventDecoder decoder;
  const auto outcome = ReadList(decoder, json);
  EXPECT_FALSE(outcome.meta.has_value()) << json;
  if (outcome.meta) return "";
  EXPECT_EQ(outcome.meta.error().kind, ErrorKind::kInvalid) << json;
  return outcome.meta.error().message;
}

TEST(EventDecoderList, ItemsComeInOrderWithTheirJson) {
  EventDecoder decoder;
  const std::string pretty = std::string("[ ") + kRecorderEvent + " ,\n " + kSeriesEvent + " ]";
  const auto [meta, items] = ReadList(decoder, Page(pretty));
  ASSERT_TRUE(meta.has_value()) << meta.error().message;
  EXPECT_EQ(meta->resource_version, "90");
  EXPECT_EQ(meta->continue_token, "");
  EXPECT_EQ(meta->items, 2U);
  EXPECT_EQ(meta->skipped, 0U);
  ASSERT_EQ(items.size(), 2U);
  EXPECT_EQ(items[0].name, "web-7d4b9.17f1c2a3b4d5e6f7");
  EXPECT_EQ(items[0].raw, kRecorderEvent);
  EXPECT_EQ(items[1].raw, kSeriesEvent);
}

TEST(EventDecoderList, ContinueTokensAreRead) {
  EventDecoder decoder;
  const std::string json =
      R"({"kind":"EventList","metadata":{"continue":"eyJ2=","resourceVersion":"90","remainingItemCount":7},"items":[]})";
  EXPECT_EQ(ReadList(decoder, json).meta->continue_token, "eyJ2=");
  const Padded text(json);
  const Result<ListMeta> meta = decoder.DecodeListMeta(text.text());
  ASSERT_TRUE(meta.has_value());
  EXPECT_EQ(meta->continue_token, "eyJ2=");
  EXPECT_EQ(meta->resource_version, "90");
}

TEST(EventDecoderList, EmptyListsAreLists) {
  EventDecoder decoder;
  for (const char* items : {"[]", "null", " [ ] "}) {
    const auto [meta, read] = ReadList(decoder, Page(items));
    ASSERT_TRUE(meta.has_value()) << meta.error().message;
    EXPECT_EQ(meta->items + meta->skipped + read.size(), 0U);
  }
  EXPECT_TRUE(ReadList(decoder, R"({"kind":"EventList","metadata":{"resourceVersion":"1"}})").meta.has_value());
  EXPECT_TRUE(ReadList(decoder, R"({"metadata":{"resourceVersion":"1"},"items":[]})").meta.has_value());
}

TEST(EventDecoderList, ABrokenItemInTheMiddleIsSkippedAndCounted) {
  for (const char* broken :
       {"null", "3", "\"text\"", "[]", "[1,{\"a\":2}]", "{}", R"({"metadata":{"name":4,"resourceVersion":"5"}})",
        R"({"metadata":{"name":"x"}})", R"({"kind":"Status","metadata":{"name":"x","resourceVersion":"5"}})",
        R"({"metadata":{"name":"x","resourceVersion":"5"},"count":"2"})",
        R"({"metadata":{"name":"x","resourceVersion":"5"},"eventTime":"noon"})",
        R"({"metadata":{"name":"x","resourceVersion":"5"},"extra":tru})",
        R"({"metadata":{"name":"x","resourceVersion":"5"} "count":2})"}) {
    EventDecoder decoder;
    const auto [meta, items] = ReadList(decoder, Page("[" + Item("a") + "," + broken + "," + Item("b") + "]"));
    ASSERT_TRUE(meta.has_value()) << broken << ": " << meta.error().message;
    EXPECT_EQ(meta->items, 2U) << broken;
    EXPECT_EQ(meta->skipped, 1U) << broken;
    EXPECT_NE(meta->first_problem, "") << broken;
    ASSERT_EQ(items.size(), 2U) << broken;
    EXPECT_EQ(items[0].name, "a");
    EXPECT_EQ(items[1].name, "b");
  }
}

TEST(EventDecoderList, APageWhoseBracketsOrColonsAreWrongIsRefusedRatherThanCutShort) {
  for (const std::string& items : {"[" + Item("a") + ",\"x\":1}]", "[" + Item("a") + "},\"x\":" + Item("b") + "}]",
                                   std::string(R"([{"a":[}]])"), "[" + Item("a") + ",\"x\":1," + Item("b") + "]"}) {
    EventDecoder decoder;
    EXPECT_FALSE(ReadList(decoder, Page(items)).meta.has_value()) << items;
  }
}

TEST(EventDecoderList, ADepthBombInAnItemIsSkipped) {
  EventDecoder decoder;
  const std::string bomb = R"({"metadata":{"name":"x","resourceVersion":"5"},"x":)" + std::string(50'000, '[') +
                           std::string(50'000, ']') + "}";
  const auto [meta, items] = ReadList(decoder, Page("[" + Item("a") + "," + bomb + "," + Item("b") + "]"));
  ASSERT_TRUE(meta.has_value()) << meta.error().message;
  EXPECT_EQ(meta->skipped, 1U);
  EXPECT_EQ(items.size(), 2U);
}

TEST(EventDecoderList, TheOrderOfTheFieldsIsFree) {
  EventDecoder decoder;
  const std::string json =
      "{\"items\":[" + Item("a") + R"(],"metadata":{"resourceVersion":"90"},"more":{"items":[1]},"kind":"EventList"})";
  const auto [meta, items] = ReadList(decoder, json);
  ASSERT_TRUE(meta.has_value()) << meta.error().message;
  EXPECT_EQ(meta->resource_version, "90");
  EXPECT_EQ(items.size(), 1U);
  const Padded text(json);
  EXPECT_EQ(decoder.DecodeListMeta(text.text())->resource_version, "90");
}

TEST(EventDecoderList, WhatIsNoEventListIsRefusedByName) {
  EXPECT_EQ(ErrorOf(R"({"kind":"Status","metadata":{},"status":"Failure","code":500})"),
            "list: kind: expected EventList, got \"Status\"");
  EXPECT_EQ(ErrorOf(R"({"kind":"Table","metadata":{"resourceVersion":"1"},"rows":[]})"),
            "list: kind: expected EventList, got \"Table\"");
  EXPECT_EQ(ErrorOf(R"({"kind":"PodList","metadata":{"resourceVersion":"1"},"items":[]})"),
            "list: kind: expected EventList, got \"PodList\"");
  EXPECT_EQ(ErrorOf("{}"), "list: kind: expected EventList, got \"\"");
}

TEST(EventDecoderList, AListWithoutAVersionIsRefused) {
  EXPECT_EQ(ErrorOf(R"({"kind":"EventList","items":[]})"), "list: metadata is missing");
  EXPECT_EQ(ErrorOf(R"({"kind":"EventList","metadata":{},"items":[]})"), "list: metadata.resourceVersion is missing");
  EXPECT_EQ(ErrorOf(R"({"kind":"EventList","metadata":{"resourceVersion":7},"items":[]})"),
            "list: metadata.resourceVersion: expected a string, got a number");
  EXPECT_EQ(ErrorOf(R"({"kind":"EventList","metadata":{"resourceVersion":"7","continue":7},"items":[]})"),
            "list: metadata.continue: expected a string, got a number");
}

TEST(EventDecoderList, WhatIsNotJsonIsRefused) {
  const std::string page = Page("[" + Item("a") + "," + Item("b") + "]");
  for (const std::string& json :
       {std::string(), std::string("<html>"), std::string("[]"), page + "x", page + page,
        page.substr(0, page.size() - 1), page.substr(0, page.size() / 2), Page("{}"), Page("3"),
        Page("[" + Item("a") + " " + Item("b") + "]"), Page("[" + Item("a") + ",]")}) {
    EXPECT_NE(ErrorOf(json), "") << json;
  }
}

TEST(EventDecoderList, TheMetadataAloneFailsLikeTheWholeList) {
  EventDecoder decoder;
  for (const char* json :
       {"", "<html>", "{}", R"({"kind":"Status","metadata":{}})", R"({"kind":"EventList","items":[]})",
        R"({"kind":"EventList","metadata":{},"items":[]})", R"({"kind":"EventList","metadata":7,"items":[]})"}) {
    const Padded text(json);
    const Result<ListMeta> meta = decoder.DecodeListMeta(text.text());
    ASSERT_FALSE(meta.has_value()) << json;
    EXPECT_EQ(meta.error().message, ErrorOf(json)) << json;
  }
}

TEST(EventDecoderList, ItemsDecodeThroughBothApis) {
  EventDecoder decoder;
  const Padded text(Page(std::string("[") + kRecorderEvent + "," + kSeriesEvent + "," + kNodeEvent + "]"));
  std::int64_t total = 0;
  const auto meta =
      decoder.DecodeList(text.text(), [&total](const Event& event, std::string_view) { total += event.Total(); });
  ASSERT_TRUE(meta.has_value());
  EXPECT_EQ(total, 12 + 40 + 2);
}

}  // namespace
}  // namespace kube_events::testing
