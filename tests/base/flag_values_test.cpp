#include "kube_events/base/flag_values.h"

#include <gtest/gtest.h>

#include <string>

namespace kube_events::flag_values {
namespace {

TEST(ParseSizeTest, ReadsBytesAndBinaryUnits) {
  EXPECT_EQ(ParseSize("0", 0, 10), 0U);
  EXPECT_EQ(ParseSize("1048576", 0, 1U << 30), 1U << 20);
  EXPECT_EQ(ParseSize("64Ki", 0, 1U << 30), 64U << 10);
  EXPECT_EQ(ParseSize("16Mi", 0, 1U << 30), 16U << 20);
  EXPECT_EQ(ParseSize("16MiB", 0, 1U << 30), 16U << 20);
  EXPECT_EQ(ParseSize("2Gi", 0, std::uint64_t{1} << 40), std::uint64_t{2} << 30);
}

TEST(ParseSizeTest, RefusesWhatIsNoSizeOrOutOfRangeAndSaysWhatToWrite) {
  for (const char* text : {"", "Mi", "-1", "1.5Mi", "1MB", "1M", "1 Mi", "16mi", "0x10", "99999999999999999999",
                           "18446744073709551615Gi", "17179869184Gi"}) {
    const auto size = ParseSize(text, 0, std::uint64_t{1} << 40);
    ASSERT_FALSE(size) << text << " gave " << *size;
    EXPECT_EQ(size.error().kind, ErrorKind::kConfiguration);
    EXPECT_NE(size.error().message.find("16Mi"), std::string::npos) << size.error().message;
  }
  EXPECT_FALSE(ParseSize("1Ki", 1025, 2048));
  EXPECT_TRUE(ParseSize("2Ki", 1025, 2048));
  EXPECT_FALSE(ParseSize("3Ki", 1025, 2048));
}

TEST(FormatSizeTest, IsTheShortestThatReadsBack) {
  for (const char* text : {"0", "1", "1023", "1Ki", "1025", "64Ki", "1Mi", "100Mi", "4Gi", "1024Gi"}) {
    EXPECT_EQ(FormatSize(ParseSize(text, 0, std::uint64_t{1} << 50).value()), text);
  }
}

}  // namespace
}  // namespace kube_events::flag_values
