#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "event/decoding.h"

namespace kube_events::testing {
namespace {

OptionalTime ReadTime(FrameReader& reader, const std::string& text) {
  return reader.AddedEvent(ObjectWith("eventTime", "\"" + text + "\"")).event_time;
}

WallTime Micros(std::int64_t microseconds) { return WallTime{std::chrono::microseconds{microseconds}}; }

TEST(EventDecoderTimes, FractionsHaveUpToNineDigits) {
  FrameReader reader;
  constexpr std::int64_t kSecond = 1'767'323'045'000'000;
  EXPECT_EQ(ReadTime(reader, "2026-01-02T03:04:05Z"), Micros(kSecond));
  EXPECT_EQ(ReadTime(reader, "2026-01-02T03:04:05.5Z"), Micros(kSecond + 500'000));
  EXPECT_EQ(ReadTime(reader, "2026-01-02T03:04:05.123456Z"), Micros(kSecond + 123'456));
  EXPECT_EQ(ReadTime(reader, "2026-01-02T03:04:05.123456789Z"), Micros(kSecond + 123'456));
  EXPECT_EQ(ReadTime(reader, "2026-01-02T03:04:05.000000999Z"), Micros(kSecond));
}

TEST(EventDecoderTimes, OffsetsAreApplied) {
  FrameReader reader;
  const OptionalTime time = ReadTime(reader, "2026-01-02T03:04:05Z");
  EXPECT_EQ(ReadTime(reader, "2026-01-02T05:04:05+02:00"), time);
  EXPECT_EQ(ReadTime(reader, "2026-01-01T21:34:05-05:30"), time);
  EXPECT_EQ(ReadTime(reader, "2026-01-02t03:04:05z"), time);
  EXPECT_EQ(ReadTime(reader, "2026-01-02T03:04:05-00:00"), time);
}

TEST(EventDecoderTimes, YearOneAndTheUnixEpochAreUnset) {
  FrameReader reader;
  for (const char* text : {"0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000000Z", "1970-01-01T00:00:00Z",
                           "1970-01-01T00:00:00.000000Z", "1970-01-01T02:00:00+02:00"}) {
    EXPECT_EQ(ReadTime(reader, text), std::nullopt) << text;
  }
  EXPECT_EQ(ReadTime(reader, "1970-01-01T00:00:01Z"), Micros(1'000'000));
}

TEST(EventDecoderTimes, FarAwayTimesAndLeapSecondsAreTimes) {
  FrameReader reader;
  EXPECT_EQ(ReadTime(reader, "9999-12-31T23:59:59.999999Z"), Micros(253'402'300'799'999'999));
  EXPECT_EQ(ReadTime(reader, "1969-12-31T23:59:59Z"), Micros(-1'000'000));
  EXPECT_EQ(ReadTime(reader, "2016-12-31T23:59:60Z"), ReadTime(reader, "2017-01-01T00:00:00Z"));
  EXPECT_EQ(ReadTime(reader, "2024-02-29T00:00:00Z"), Micros(1'709'164'800'000'000));
}

TEST(EventDecoderTimes, WhatIsNoTimeIsRefused) {
  FrameReader reader;
  for (const char* text :
       {"2026", "2026-01-02", "2026-01-02T03:04:05", "2026-01-02 03:04:05Z", "2026-13-02T03:04:05Z",
        "2026-02-29T03:04:05Z", "2026-01-00T03:04:05Z", "2026-01-02T24:04:05Z", "2026-01-02T03:60:05Z",
        "2026-01-02T03:04:61Z", "2026-01-02T03:04:05.Z", "2026-01-02T03:04:05+2:00", "2026-01-02T03:04:05+24:00",
        "2026-01-02T03:04:05+02:60", "2026-01-02T03:04:05Zx", "+026-01-02T03:04:05Z", "2026-1-2T3:4:5Z", " "}) {
    const std::string error = reader.AddedError(ObjectWith("eventTime", "\"" + std::string(text) + "\""));
    EXPECT_NE(error.find("eventTime: expected a time like"), error.npos) << text << ": " << error;
  }
}

}  // namespace
}  // namespace kube_events::testing
