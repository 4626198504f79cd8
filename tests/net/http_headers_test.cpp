#include "kube_events/net/http_headers.h"

#include <gtest/gtest.h>

#include <string>

namespace kube_events {
namespace {

using std::chrono::seconds;

// 1994-11-06T08:49:37Z, the example of the HTTP standard.
constexpr WallTime kExample{seconds{784'111'777}};

TEST(ParseHttpDate, ReadsTheThreeSpellings) {
  EXPECT_EQ(ParseHttpDate("Sun, 06 Nov 1994 08:49:37 GMT"), kExample);
  EXPECT_EQ(ParseHttpDate("Sunday, 06-Nov-94 08:49:37 GMT"), kExample);
  EXPECT_EQ(ParseHttpDate("Sun Nov  6 08:49:37 1994"), kExample);
  EXPECT_EQ(ParseHttpDate("  Sun, 06 Nov 1994 08:49:37 GMT "), kExample);
}

TEST(ParseHttpDate, TakesALeapSecondAsTheNextMinute) {
  EXPECT_EQ(ParseHttpDate("Sat, 31 Dec 2016 23:59:60 GMT"), ParseHttpDate("Sun, 01 Jan 2017 00:00:00 GMT"));
}

TEST(ParseHttpDate, KnowsLeapYears) {
  EXPECT_TRUE(ParseHttpDate("Thu, 29 Feb 2024 00:00:00 GMT"));
  EXPECT_FALSE(ParseHttpDate("Wed, 29 Feb 2023 00:00:00 GMT"));
}

TEST(ParseHttpDate, PutsTwoDigitYearsIntoTheRightCentury) {
  EXPECT_EQ(ParseHttpDate("Friday, 01-Jan-27 00:00:00 GMT"), ParseHttpDate("Fri, 01 Jan 2027 00:00:00 GMT"));
}

TEST(ParseHttpDate, RefusesEverythingElse) {
  for (const char* text :
       {"", ",", "Sun", "0", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 CET", "Sun, 06 Nov 1994 GMT",
        "Sun, 06 Now 1994 08:49:37 GMT", "Sun, 32 Jan 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT",
        "Sun, 06 Nov 1994 08:60:00 GMT", "Sun, 06 Nov 1994 08:49:61 GMT", "Sun, -6 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 08:49:3x GMT", "Sun, 06 Nov 99999999999 08:49:37 GMT", "Sun Nov  6 08:49:37", "1994-11-06"}) {
    EXPECT_FALSE(ParseHttpDate(text)) << text;
  }
}

TEST(ParseHttpDate, RefusesNumbersThatTheCalendarTypesWouldCut) {
  for (const char* text : {"Sun, 262 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 67530 08:49:37 GMT",
                           "Sun Nov  6 08:49:37 67530", "Sun Nov 262 08:49:37 1994"}) {
    EXPECT_FALSE(ParseHttpDate(text)) << text;
  }
}

TEST(ParseRetryAfter, ReadsSeconds) {
  EXPECT_EQ(ParseRetryAfter("0"), seconds{0});
  EXPECT_EQ(ParseRetryAfter("120"), seconds{120});
  EXPECT_EQ(ParseRetryAfter(" 7 "), seconds{7});
}

TEST(ParseRetryAfter, IsBoundedByADay) {
  EXPECT_EQ(ParseRetryAfter("86401"), seconds{86'400});
  EXPECT_EQ(ParseRetryAfter("99999999999999999999999"), seconds{86'400});
}

TEST(ParseRetryAfter, ReadsADateFromThatOfTheServer) {
  const OptionalTime now = ParseHttpDate("Sun, 06 Nov 1994 08:49:37 GMT");
  EXPECT_EQ(ParseRetryAfter("Sun, 06 Nov 1994 08:51:37 GMT", now), seconds{120});
  EXPECT_EQ(ParseRetryAfter("Sun, 06 Nov 1994 08:00:00 GMT", now), seconds{0});
  EXPECT_EQ(ParseRetryAfter("Mon, 06 Nov 1995 08:49:37 GMT", now), seconds{86'400});
  EXPECT_EQ(ParseRetryAfter("120", now), seconds{120});
  EXPECT_FALSE(ParseRetryAfter("tomorrow", now));
}

TEST(ParseRetryAfter, RefusesNonsenseAndDatesWithoutOneToCountFrom) {
  for (const char* text : {"", " ", "-1", "1.5", "1s", "Sun, 06 Nov 1994 08:49:37 GMT"}) {
    EXPECT_FALSE(ParseRetryAfter(text)) << text;
  }
}

TEST(CheckHeaders, AcceptsOrdinaryHeaders) {
  EXPECT_TRUE(CheckHeaders({{"Authorization", "Bearer a.b-c_d=="}, {"Accept", "application/json"}, {"X-Empty", ""}}));
  EXPECT_TRUE(CheckHeaders({{"X-Utf8", "\xc3\xa4\tb"}}));
}

TEST(CheckHeaders, RefusesLineBreaksAndControlCharactersWithoutShowingTheValue) {
  for (const std::string& value : {std::string("secret\r\nX-Evil: 1"), std::string("secret\n"), std::string("secret\r"),
                                   std::string("secret\0x", 8), std::string("secret\x7f")}) {
    const auto result = CheckHeaders({{"Authorization", value}});
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().kind, ErrorKind::kConfiguration);
    EXPECT_NE(result.error().message.find("Authorization"), std::string::npos);
    EXPECT_EQ(result.error().message.find("secret"), std::string::npos);
  }
}

TEST(CheckHeaders, RefusesNamesThatAreNoTokens) {
  for (const char* name : {"", "A B", "A:", "A\r\nB", "\xc3\xa4"}) EXPECT_FALSE(CheckHeaders({{name, "x"}})) << name;
}

}  // namespace
}  // namespace kube_events
