#include "kube_events/forward/record_format.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "forward/samples.h"

namespace kube_events::testing {
namespace {

using nlohmann::json;

const RecordFormatOptions kFlat{RecordFormat::kFlat, ""};

json Raw(const std::string& object, RecordType type = RecordType::kAdded) {
  return json::parse(JsonOf(RecordOf(object, type)));
}
json Flat(const std::string& object, RecordType type = RecordType::kAdded) {
  return json::parse(JsonOf(RecordOf(object, type), kFlat));
}
std::string RawText(const std::string& object) { return JsonOf(RecordOf(object)); }

// An Event whose metadata is as given.
std::string WithMetadata(const std::string& metadata) { return R"({"metadata":)" + metadata + R"(,"reason":"R"})"; }
// The same in a record.
std::string RawWithMetadata(const std::string& metadata) {
  return R"({"type":"ADDED","id":"u/7","object":)" + WithMetadata(metadata) + "}";
}

TEST(RecordFormatTest, RawIsTheObjectAsSentOnOneLine) {
  const std::string object =
      R"({"metadata":{"name":"a","uid":"u","resourceVersion":"7"},"note":"\u00e9 \/ é","extra":[1, 2.50,{"x":null}]})";
  EXPECT_EQ(RawText(object), R"({"type":"ADDED","id":"u/7","object":)" + object + "}");
}

TEST(RecordFormatTest, RawLeavesManagedFieldsOut) {
  json expected = json::parse(kRecorderEvent);
  ASSERT_EQ(expected["metadata"].erase("managedFields"), 1u);
  EXPECT_EQ(Raw(kRecorderEvent)["object"], expected);
}

TEST(RecordFormatTest, RawCutsManagedFieldsWhereverTheyStand) {
  const std::string kept = RawWithMetadata(R"({"name":"a","uid":"u","resourceVersion":"7"})");
  for (const char* metadata : {
           R"({"managedFields":[{"a":["}",{}]}],"name":"a","uid":"u","resourceVersion":"7"})",
           R"({"name":"a","managedFields":{"a":"]"},"uid":"u","resourceVersion":"7"})",
           R"({"name":"a","uid":"u","resourceVersion":"7","managedFields":[]})",
           R"({"name":"a","uid":"u","resourceVersion":"7" , "managedFields" : null })",
           R"({"name":"a","uid":"u","managedFields":[],"managedFields":"x","resourceVersion":"7","managedFields":7})",
       }) {
    EXPECT_EQ(RawText(WithMetadata(metadata)), kept) << metadata;
  }
}

TEST(RecordFormatTest, RawKeepsWhatOnlyLooksLikeManagedFields) {
  for (const char* metadata : {
           R"({"name":"managedFields","uid":"u","resourceVersion":"7"})",
           R"({"name":"a","uid":"u","resourceVersion":"7","labels":{"managedFields":"x"}})",
           R"({"name":"a","uid":"u","resourceVersion":"7","x":"\"managedFields\":"})",
       }) {
    EXPECT_EQ(RawText(WithMetadata(metadata)), RawWithMetadata(metadata));
  }
  const std::string outside =
      R"({"metadata":{"name":"a","uid":"u","resourceVersion":"7"},"managedFields":[1],"spec":{"managedFields":2}})";
  EXPECT_EQ(Raw(outside)["object"], json::parse(outside));
}

TEST(RecordFormatTest, IdIsUidAndVersion) {
  EXPECT_EQ(Raw(kRecorderEvent)["id"], "0f8fad5b-d9cb-469f-a165-70867728950e/48211");
  EXPECT_EQ(Flat(kRecorderEvent)["id"], "0f8fad5b-d9cb-469f-a165-70867728950e/48211");
}

TEST(RecordFormatTest, IdOfAnEventWithoutUidIsItsNameAndVersion) {
  EXPECT_EQ(Raw(kNodeEvent)["id"], "default/node-1.17f1c2a3b4d5e6f9/48301");
}

TEST(RecordFormatTest, TypeSaysWhatBecameOfTheEvent) {
  EXPECT_EQ(Raw(kRecorderEvent)["type"], "ADDED");
  EXPECT_EQ(Raw(kRecorderEvent, RecordType::kModified)["type"], "MODIFIED");
  EXPECT_EQ(Flat(kRecorderEvent, RecordType::kDeleted)["type"], "DELETED");
}

TEST(RecordFormatTest, ClusterNameIsInBothFormats) {
  for (const RecordFormat format : {RecordFormat::kRaw, RecordFormat::kFlat}) {
    const RecordFormatOptions named{format, "prod \"1\"\xFF"};
    EXPECT_EQ(json::parse(JsonOf(RecordOf(kRecorderEvent), named))["cluster_name"], "prod \"1\"\xEF\xBF\xBD");
    EXPECT_EQ(json::from_msgpack(MessagePackOf(GapOf(), named))["cluster_name"], "prod \"1\"\xEF\xBF\xBD");
    EXPECT_FALSE(json::parse(JsonOf(RecordOf(kRecorderEvent), {format, ""})).contains("cluster_name"));
  }
}

TEST(RecordFormatTest, FlatHasTheSeriesOfTheNewApi) {
  const json flat = Flat(kSeriesEvent);
  EXPECT_EQ(flat["timestamp"], "2026-01-02T03:34:05.678901Z");
  EXPECT_EQ(flat["occurrences"], 40);
  EXPECT_EQ(flat["first_seen"], "2026-01-02T03:04:05.678901Z");
  EXPECT_EQ(flat["message"], "0/3 nodes are available");
  EXPECT_EQ(flat["action"], "Scheduling");
  EXPECT_EQ(flat["reporting_controller"], "default-scheduler");
  EXPECT_EQ(flat["reporting_instance"], "default-scheduler-cp-1");
  EXPECT_EQ(flat["involved_object_kind"], "Deployment");
  EXPECT_EQ(flat["involved_object_api_version"], "apps/v1");
  EXPECT_FALSE(flat.contains("involved_object_namespace"));
}

TEST(RecordFormatTest, FlatIsTheSameFromBothApis) {
  const std::string metadata =
      R"("metadata":{"name":"a","namespace":"n","uid":"u","resourceVersion":"7","creationTimestamp":"2026-01-02T03:04:05Z"},)";
  const std::string object =
      R"({"kind":"Pod","namespace":"n","name":"p","uid":"pu","apiVersion":"v1","fieldPath":"f"})";
  const std::string common =
      R"("type":"Normal","reason":"R","action":"A","related":{"kind":"Node","name":"m"},"reportingInstance":"ri",)";
  const std::string core =
      "{" + metadata + common + R"("involvedObject":)" + object +
      R"(,"message":"text","source":{"component":"c","host":"h"},"count":3,"reportingComponent":"rc",)"
      R"("firstTimestamp":"2026-01-02T03:04:05Z","lastTimestamp":"2026-01-02T03:09:05Z"})";
  const std::string events = "{" + metadata + common + R"("regarding":)" + object +
                             R"(,"note":"text","deprecatedSource":{"component":"c","host":"h"},"deprecatedCount":3,)"
                             R"("reportingController":"rc","deprecatedFirstTimestamp":"2026-01-02T03:04:05Z",)"
                             R"("deprecatedLastTimestamp":"2026-01-02T03:09:05Z"})";
  const json flat = Flat(core);
  EXPECT_EQ(flat, Flat(events));
  EXPECT_EQ(flat["related_object_kind"], "Node");
  EXPECT_EQ(flat["source_host"], "h");
}

TEST(RecordFormatTest, FlatNamesTheOldWritersControllerToo) {
  EXPECT_EQ(Flat(kNodeEvent)["reporting_controller"], "node-controller");
  EXPECT_EQ(Flat(kNodeEvent)["source_component"], "node-controller");
}

TEST(RecordFormatTest, FlatWithoutAnyTimeHasTheTimeAtWhichItWasTakenUp) {
  const json flat = Flat(SmallEvent(1));
  EXPECT_EQ(flat["timestamp"], "2026-01-01T00:00:00.000000Z");
  EXPECT_FALSE(flat.contains("last_seen"));
}

TEST(RecordFormatTest, FlatHasLabelsAsKubectlWritesThem) {
  const json flat = Flat(R"({"metadata":{"name":"a","resourceVersion":"7","labels":{"app":"web","tier":"front"}}})");
  EXPECT_EQ(flat["labels"], "app=web,tier=front");
}

TEST(RecordFormatTest, AGapIsTheSameMarkerInBothFormats) {
  const json raw = json::parse(JsonOf(GapOf()));
  EXPECT_EQ(raw, json::parse(JsonOf(GapOf(), kFlat)));
  EXPECT_EQ(raw["type"], "GAP");
  EXPECT_EQ(raw["id"], "gap/all namespaces/2026-01-01T00:00:00.000000Z");
  EXPECT_EQ(raw["gap_from"], "2025-12-31T23:50:00.000000Z");
  EXPECT_EQ(raw["gap_until"], raw["timestamp"]);
}

TEST(RecordFormatTest, MessagePackSaysWhatJsonSays) {
  for (const RecordFormat format : {RecordFormat::kRaw, RecordFormat::kFlat}) {
    const RecordFormatOptions options{format, "c"};
    for (const char* object : {kRecorderEvent, kSeriesEvent, kNodeEvent}) {
      const Record record = RecordOf(object);
      EXPECT_EQ(json::from_msgpack(MessagePackOf(record, options)), json::parse(JsonOf(record, options)));
    }
    EXPECT_EQ(json::from_msgpack(MessagePackOf(GapOf(), options)), json::parse(JsonOf(GapOf(), options)));
  }
}

TEST(RecordFormatTest, FactsAreWhatTagsAndTimesNeed) {
  RecordWriter writer({});
  const Record record = RecordOf(kRecorderEvent);
  const RecordWriter::Facts facts = writer.FactsOf(record);
  EXPECT_EQ(facts.namespace_name, "shop");
  EXPECT_EQ(facts.type, "Warning");
  EXPECT_EQ(facts.reason, "BackOff");
  EXPECT_EQ(facts.kind, "Pod");
  std::string text;
  writer.AppendJson(RecordOf(kRecorderEvent, RecordType::kModified), text);
  EXPECT_EQ(text, JsonOf(RecordOf(kRecorderEvent, RecordType::kModified)));
  EXPECT_EQ(writer.FactsOf(GapOf()).time, kObserved);
  EXPECT_TRUE(writer.FactsOf(GapOf()).reason.empty());
}

TEST(RecordFormatTest, OneWriterSerializesAnyMixAsFreshOnesWould) {
  RecordWriter writer({});
  for (const Record& record : {RecordOf(kRecorderEvent), RecordOf("nonsense"), GapOf(), RecordOf(kNodeEvent),
                               RecordOf(SmallEvent(1)), RecordOf(kRecorderEvent)}) {
    std::string json_text = "[";
    std::string message_pack = "x";
    writer.AppendJson(record, json_text);
    writer.AppendMessagePack(record, message_pack);
    EXPECT_EQ(json_text, "[" + JsonOf(record));
    EXPECT_EQ(message_pack, "x" + MessagePackOf(record));
  }
}

// What the informer knows of an Event when it hands it over.
Record Known(std::string object) {
  Record record = RecordOf(std::move(object));
  record.id = Raw(record.object).at("id").get<std::string>();
  RecordWriter writer({});
  record.happened = writer.FactsOf(record).time;
  return record;
}

TEST(RecordFormatTest, WhatIsKnownBeforeMakesNoDifference) {
  for (const std::string& object : {std::string(kRecorderEvent), std::string(kNodeEvent), SmallEvent(1)}) {
    for (const RecordFormatOptions& options : {RecordFormatOptions{RecordFormat::kRaw, "c"}, kFlat}) {
      EXPECT_EQ(JsonOf(Known(object), options), JsonOf(RecordOf(object), options));
      EXPECT_EQ(MessagePackOf(Known(object), options), MessagePackOf(RecordOf(object), options));
    }
    RecordWriter writer({});
    EXPECT_EQ(writer.TimeOf(Known(object)), writer.TimeOf(RecordOf(object)));
  }
}

TEST(RecordFormatTest, AnObjectWithAKnownIdIsNotDecodedAgain) {
  // Without a version the decoder would not take it.
  Record record = RecordOf(R"({"metadata":{"name":"a","managedFields":[]}})");
  record.id = "u/7";
  record.happened = kObserved - std::chrono::hours{1};
  EXPECT_EQ(JsonOf(record), R"({"type":"ADDED","id":"u/7","object":{"metadata":{"name":"a"}}})");
  EXPECT_EQ(json::from_msgpack(MessagePackOf(record)), json::parse(JsonOf(record)));
  RecordWriter writer({});
  EXPECT_EQ(writer.TimeOf(record), record.happened);
}

}  // namespace
}  // namespace kube_events::testing
