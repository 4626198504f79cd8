#include "forward/forward_message.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <set>

#include "forward/forward_fixture.h"

namespace kube_events {
namespace {

std::vector<ForwardMessage> Encode(const Batch& batch) {
  ForwardEncoder encoder(TagTemplate::Parse("t").value(), {});
  return encoder.Encode(batch);
}

// A gap's time is when it was observed.
RecordPtr GapAt(WallTime time) {
  Record gap;
  gap.type = RecordType::kGap;
  gap.observed = time;
  return std::make_shared<const Record>(gap);
}

// The ten bytes of the first record's EventTime: the message begins with an array of three, a tag of one letter, the
// length of the entries, and an array of two.
std::string EventTimeAt(std::chrono::microseconds since_1970) {
  return Encode({GapAt(WallTime{since_1970})}).at(0).bytes.substr(1 + 2 + 5 + 1, 10);
}

TEST(ForwardEncoderTest, AMessageBeginsAsTheProtocolSays) {
  const std::string bytes = Encode({MakeEventRecord(1)}).at(0).bytes;
  EXPECT_EQ(bytes.substr(0, 4), "\x93\xa1t\xc6");
  std::uint32_t size = 0;
  for (const char byte : bytes.substr(4, 4)) size = size << 8 | static_cast<std::uint8_t>(byte);
  EXPECT_EQ(bytes.substr(8 + size, 1), "\x82") << "the options";
}

TEST(ForwardEncoderTest, TimesHaveNanoseconds) {
  EXPECT_EQ(EventTimeAt(std::chrono::microseconds(1)), std::string("\xd7\x00\x00\x00\x00\x00\x00\x00\x03\xe8", 10));
  EXPECT_EQ(EventTimeAt(std::chrono::seconds(0x01020304) + std::chrono::microseconds(999'999)),
            std::string("\xd7\x00\x01\x02\x03\x04\x3b\x9a\xc6\x18", 10));
}

TEST(ForwardEncoderTest, TimesThatTheFormatDoesNotHaveBecomeItsEnds) {
  EXPECT_EQ(EventTimeAt(std::chrono::seconds(-5)), std::string("\xd7\x00\x00\x00\x00\x00\x00\x00\x00\x00", 10));
  EXPECT_EQ(EventTimeAt(std::chrono::hours(24 * 365 * 200)),
            std::string("\xd7\x00\xff\xff\xff\xff\x00\x00\x00\x00", 10));
}

TEST(ForwardEncoderTest, EachChunkHasAnIdOfItsOwn) {
  std::set<std::string> ids;
  for (int i = 0; i < 100; ++i) ids.insert(Encode({MakeEventRecord(1)}).at(0).chunk);
  EXPECT_EQ(ids.size(), 100U);
}

TEST(ForwardEncoderTest, NoRecordsAreNoMessages) { EXPECT_TRUE(Encode({}).empty()); }

}  // namespace
}  // namespace kube_events
