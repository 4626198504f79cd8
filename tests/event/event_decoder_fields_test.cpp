// Every field of both APIs: present, missing, null, mistyped.
#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>

#include "event/decoding.h"

namespace kube_events::testing {
namespace {

// 2026-02-03T04:05:06.789012Z
constexpr WallTime kTime{std::chrono::microseconds{1'770'091'506'789'012}};
constexpr const char* kTimeText = "\"2026-02-03T04:05:06.789012Z\"";

struct StringField {
  const char* path;
  std::string_view (*get)(const Event&);
};
const StringField kStringFields[] = {
    {"metadata.name", [](const Event& e) { return e.name; }},
    {"metadata.namespace", [](const Event& e) { return e.namespace_name; }},
    {"metadata.uid", [](const Event& e) { return e.uid; }},
    {"metadata.resourceVersion", [](const Event& e) { return e.resource_version; }},
    {"type", [](const Event& e) { return e.type; }},
    {"reason", [](const Event& e) { return e.reason; }},
    {"involvedObject.apiVersion", [](const Event& e) { return e.involved.api_version; }},
    {"involvedObject.kind", [](const Event& e) { return e.involved.kind; }},
    {"involvedObject.namespace", [](const Event& e) { return e.involved.namespace_name; }},
    {"involvedObject.name", [](const Event& e) { return e.involved.name; }},
    {"regarding.apiVersion", [](const Event& e) { return e.involved.api_version; }},
    {"regarding.kind", [](const Event& e) { return e.involved.kind; }},
    {"regarding.namespace", [](const Event& e) { return e.involved.namespace_name; }},
    {"regarding.name", [](const Event& e) { return e.involved.name; }},
    {"source.component", [](const Event& e) { return e.source_component; }},
    {"deprecatedSource.component", [](const Event& e) { return e.source_component; }},
    {"reportingComponent", [](const Event& e) { return e.reporting_controller; }},
    {"reportingController", [](const Event& e) { return e.reporting_controller; }},
};

struct TimeField {
  const char* path;
  OptionalTime Event::*member;
};
const TimeField kTimeFields[] = {
    {"metadata.creationTimestamp", &Event::creation_time},
    {"firstTimestamp", &Event::first_time},
    {"deprecatedFirstTimestamp", &Event::first_time},
    {"lastTimestamp", &Event::last_time},
    {"deprecatedLastTimestamp", &Event::last_time},
    {"eventTime", &Event::event_time},
    {"series.lastObservedTime", &Event::series_last_observed_time},
};

struct CountField {
  const char* path;
  std::int64_t Event::*member;
};
const CountField kCountFields[] = {
    {"count", &Event::count}, {"deprecatedCount", &Event::count}, {"series.count", &Event::series_count}};

const char* const kObjectFields[] = {"metadata", "involvedObject", "regarding", "source", "deprecatedSource", "series"};

TEST(EventDecoderFields, StringsAreRead) {
  FrameReader reader;
  for (const StringField& field : kStringFields) {
    const Event event = reader.AddedEvent(ObjectWith(field.path, R"("some \"text\" \u00e9")"));
    EXPECT_EQ(field.get(event), "some \"text\" \u00e9") << field.path;
  }
}

TEST(EventDecoderFields, NullStringsAreEmpty) {
  FrameReader reader;
  for (const StringField& field : kStringFields) {
    const std::string path = field.path;
    if (path == "metadata.name" || path == "metadata.resourceVersion") continue;  // needed, see below
    EXPECT_EQ(field.get(reader.AddedEvent(ObjectWith(path, "null"))), "") << path;
  }
}

TEST(EventDecoderFields, MistypedStringsAreNamed) {
  FrameReader reader;
  for (const StringField& field : kStringFields) {
    for (const char* value : {"1", "true", "[]", "{}", "[\"a\"]"}) {
      const std::string error = reader.AddedError(ObjectWith(field.path, value));
      EXPECT_NE(error.find(std::string("ADDED: ") + field.path + ": expected a string, got "), error.npos) << error;
    }
  }
}

TEST(EventDecoderFields, TimesAreRead) {
  FrameReader reader;
  for (const TimeField& field : kTimeFields) {
    EXPECT_EQ(reader.AddedEvent(ObjectWith(field.path, kTimeText)).*(field.member), kTime) << field.path;
  }
}

TEST(EventDecoderFields, NullAndEmptyTimesAreUnset) {
  FrameReader reader;
  for (const TimeField& field : kTimeFields) {
    EXPECT_EQ(reader.AddedEvent(ObjectWith(field.path, "null")).*(field.member), std::nullopt) << field.path;
    EXPECT_EQ(reader.AddedEvent(ObjectWith(field.path, "\"\"")).*(field.member), std::nullopt) << field.path;
  }
}

TEST(EventDecoderFields, MistypedTimesAreNamed) {
  FrameReader reader;
  for (const TimeField& field : kTimeFields) {
    for (const char* value : {"1770091506", "true", "[]", "{}", "\"yesterday\""}) {
      const std::string error = reader.AddedError(ObjectWith(field.path, value));
      EXPECT_NE(error.find(std::string(field.path) + ": expected a time"), error.npos) << error;
    }
  }
}

TEST(EventDecoderFields, CountsAreRead) {
  FrameReader reader;
  for (const CountField& field : kCountFields) {
    EXPECT_EQ(reader.AddedEvent(ObjectWith(field.path, "17")).*(field.member), 17) << field.path;
    EXPECT_EQ(reader.AddedEvent(ObjectWith(field.path, "null")).*(field.member), 0) << field.path;
  }
}

TEST(EventDecoderFields, CountsAreClampedToInt32) {
  constexpr std::int64_t kLow = -2'147'483'648;
  constexpr std::int64_t kHigh = 2'147'483'647;
  struct Case {
    const char* json;
    std::int64_t count;
  };
  FrameReader reader;
  for (const auto& [json, count] :
       {Case{"2147483647", kHigh}, Case{"2147483648", kHigh}, Case{"-2147483649", kLow},
        Case{"9223372036854775807", kHigh}, Case{"18446744073709551615", kHigh}, Case{"-9223372036854775808", kLow},
        Case{"1e300", kHigh}, Case{"-1e300", kLow}, Case{"99999999999999999999999999", kHigh},
        Case{"-18446744073709551616", kLow}, Case{"3.0", 3}, Case{"-4", -4}, Case{"0", 0}}) {
    for (const CountField& field : kCountFields) {
      EXPECT_EQ(reader.AddedEvent(ObjectWith(field.path, json)).*(field.member), count) << field.path << " " << json;
    }
  }
}

TEST(EventDecoderFields, MistypedCountsAreNamed) {
  FrameReader reader;
  for (const CountField& field : kCountFields) {
    for (const char* value : {"\"3\"", "true", "[]", "{}"}) {
      const std::string error = reader.AddedError(ObjectWith(field.path, value));
      EXPECT_NE(error.find(std::string(field.path) + ": expected a number, got "), error.npos) << error;
    }
  }
}

TEST(EventDecoderFields, MistypedObjectsAreNamed) {
  FrameReader reader;
  for (const char* field : kObjectFields) {
    for (const char* value : {"1", "\"text\"", "true", "[]"}) {
      const std::string error = reader.AddedError(ObjectWith(field, value));
      EXPECT_NE(error.find(std::string(field) + ": expected an object, got "), error.npos) << error;
    }
  }
}

TEST(EventDecoderFields, NullObjectsAreAbsent) {
  FrameReader reader;
  for (const char* field : kObjectFields) {
    const Event event = reader.AddedEvent(ObjectWith(field, "null"));
    EXPECT_FALSE(event.has_series) << field;
    EXPECT_EQ(event.involved.kind, "") << field;
  }
}

TEST(EventDecoderFields, AMinimalObjectLeavesEverythingElseUnset) {
  FrameReader reader;
  const Event event = reader.AddedEvent(R"({"metadata":{"name":"a","resourceVersion":"7"}})");
  for (const StringField& field : kStringFields) {
    const std::string path = field.path;
    if (path == "metadata.name" || path == "metadata.resourceVersion") continue;
    EXPECT_EQ(field.get(event), "") << path;
  }
  for (const TimeField& field : kTimeFields) EXPECT_EQ(event.*(field.member), std::nullopt) << field.path;
  for (const CountField& field : kCountFields) EXPECT_EQ(event.*(field.member), 0) << field.path;
  EXPECT_FALSE(event.has_series);
}

TEST(EventDecoderFields, ASeriesIsOneEvenWhenItIsEmpty) {
  FrameReader reader;
  EXPECT_TRUE(reader.AddedEvent(ObjectWith("series", "{}")).has_series);
  EXPECT_TRUE(reader.AddedEvent(ObjectWith("series", R"({"count":null,"state":"Ongoing"})")).has_series);
  EXPECT_FALSE(reader.AddedEvent(ObjectWith("series", "null")).has_series);
}

TEST(EventDecoderFields, NameAndVersionAreNeeded) {
  FrameReader reader;
  EXPECT_EQ(reader.AddedError(R"({"metadata":{"resourceVersion":"7"}})"), "ADDED: metadata.name is missing");
  EXPECT_EQ(reader.AddedError(R"({"metadata":{"name":"","resourceVersion":"7"}})"), "ADDED: metadata.name is missing");
  EXPECT_EQ(reader.AddedError(R"({"metadata":{"name":null,"resourceVersion":"7"}})"),
            "ADDED: metadata.name is missing");
  EXPECT_EQ(reader.AddedError(R"({"metadata":{"name":"a"}})"), "ADDED: metadata.resourceVersion is missing");
  EXPECT_EQ(reader.AddedError(R"({"kind":"Event"})"), "ADDED: metadata.name is missing");
}

TEST(EventDecoderFields, AnObjectOfAnotherKindIsNamed) {
  FrameReader reader;
  EXPECT_EQ(reader.AddedError(R"({"kind":"Table","metadata":{"name":"a","resourceVersion":"7"}})"),
            "ADDED: kind: expected Event, got \"Table\"");
  EXPECT_EQ(reader.AddedError(R"({"kind":"Status","status":"Failure","message":"no"})"),
            "ADDED: kind: expected Event, got \"Status\"");
  EXPECT_EQ(reader.AddedError(R"({"kind":1,"metadata":{"name":"a","resourceVersion":"7"}})"),
            "ADDED: kind: expected a string, got a number");
  EXPECT_EQ(reader.AddedEvent(R"({"kind":null,"metadata":{"name":"a","resourceVersion":"7"}})").name, "a");
}

TEST(EventDecoderFields, AnEmptySpellingOfTheControllerDoesNotHideTheOther) {
  FrameReader reader;
  for (const char* fields : {R"("reportingComponent":"","reportingController":"x")",
                             R"("reportingController":"x","reportingComponent":"")"}) {
    const Event event =
        reader.AddedEvent(std::string(R"({"metadata":{"name":"a","resourceVersion":"7"},)") + fields + "}");
    EXPECT_EQ(event.reporting_controller, "x");
  }
}

TEST(EventDecoderFields, UnknownAndRepeatedFieldsDoNoHarm) {
  FrameReader reader;
  const Event event = reader.AddedEvent(
      R"({"new":{"deep":[1,{"count":9}]},"count":2,"metadata":{"managedFields":[{"f:count":{}}],"name":"a",)"
      R"("name":"b","resourceVersion":"7","labels":{"name":"c"}},"count":3,"related":{"kind":"Node"}})");
  EXPECT_EQ(event.name, "b");
  EXPECT_EQ(event.count, 3);
  EXPECT_EQ(event.involved.kind, "");
}

}  // namespace
}  // namespace kube_events::testing
