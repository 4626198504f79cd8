#include "kube_events/base/timestamp.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace kube_events {
namespace {

using namespace std::chrono_literals;

std::string Text(std::chrono::microseconds since_epoch) {
  std::string out;
  AppendTimestamp(out, WallTime{since_epoch});
  return out;
}

TEST(TimestampTest, AlwaysHasSixDigits) {
  EXPECT_EQ(Text(0us), "1970-01-01T00:00:00.000000Z");
  EXPECT_EQ(Text(1'767'225'600'000'001us), "2026-01-01T00:00:00.000001Z");
  EXPECT_EQ(Text(1'709'251'199'999'999us), "2024-02-29T23:59:59.999999Z");
}

TEST(TimestampTest, TimesBefore1970AreNoException) { EXPECT_EQ(Text(-1us), "1969-12-31T23:59:59.999999Z"); }

TEST(TimestampTest, WhatNoTimestampCanSayBecomesTheNearestThatItCan) {
  EXPECT_EQ(Text(std::chrono::microseconds::max()), "9999-12-31T23:59:59.999999Z");
  EXPECT_EQ(Text(std::chrono::microseconds::min()), "0000-01-01T00:00:00.000000Z");
}

}  // namespace
}  // namespace kube_events
