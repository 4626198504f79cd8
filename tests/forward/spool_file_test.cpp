#include "forward/spool_file.h"

#include <gtest/gtest.h>

#include <string>

#include "forward/samples.h"

namespace kube_events::testing {
namespace {

constexpr std::uint64_t kId = 0x0123456789abcdef;

std::string FrameOf(const Record& record, std::uint32_t index = 0) {
  std::string bytes;
  AppendSpoolFrame(record, kId, index, bytes);
  return bytes;
}

TEST(SpoolFileTest, HeaderReadsBackFromEitherCopy) {
  const std::string header = EncodeSpoolHeader(kId);
  ASSERT_EQ(header.size(), kSpoolHeaderBytes);
  EXPECT_EQ(DecodeSpoolHeader(header + "more"), kId);
  for (std::size_t at = 0; at < header.size(); ++at) {
    std::string damaged = header;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x40);
    EXPECT_EQ(DecodeSpoolHeader(damaged), kId) << at;
    EXPECT_FALSE(DecodeSpoolHeader(header.substr(0, at))) << at;
  }
  EXPECT_FALSE(DecodeSpoolHeader(std::string(100, 'x')));
}

TEST(SpoolFileTest, UnfinishedHeadersAreKnown) {
  const std::string header = EncodeSpoolHeader(kId);
  for (std::size_t size = 0; size < header.size(); ++size) EXPECT_TRUE(IsUnfinishedSpoolHeader(header.substr(0, size)));
  EXPECT_FALSE(IsUnfinishedSpoolHeader(header));
  EXPECT_FALSE(IsUnfinishedSpoolHeader("x"));
}

TEST(SpoolFileTest, FramesHaveTheSizeThatIsSaid) {
  for (const Record& record : {RecordOf(SmallEvent(1)), GapOf(), Record{}}) {
    EXPECT_EQ(FrameOf(record).size(), SpoolFrameBytes(record));
  }
}

TEST(SpoolFileTest, AFrameOfAnotherFileIsNoFrame) {
  EXPECT_TRUE(DecodeSpoolFrame(FrameOf(GapOf()), kId));
  EXPECT_FALSE(DecodeSpoolFrame(FrameOf(GapOf()), kId + 1));
}

TEST(SpoolFileTest, NoCutFrameIsAFrame) {
  const std::string frame = FrameOf(RecordOf(SmallEvent(1)));
  for (std::size_t size = 0; size < frame.size(); ++size) EXPECT_FALSE(DecodeSpoolFrame(frame.substr(0, size), kId));
}

TEST(SpoolFileTest, AFrameThatComesAgainIsSkipped) {
  const std::string frame = FrameOf(GapOf(), 0);
  const SpoolScan scan = ScanSpoolFile(EncodeSpoolHeader(kId) + frame + frame, kId);
  EXPECT_EQ(scan.offsets.size(), 1u);
  EXPECT_EQ(scan.damaged, 1u);
}

TEST(SpoolFileTest, NothingIsInAFileOfAHeaderOnly) {
  const SpoolScan scan = ScanSpoolFile(EncodeSpoolHeader(kId), kId);
  EXPECT_TRUE(scan.offsets.empty());
  EXPECT_EQ(scan.damaged, 0u);
  EXPECT_EQ(ScanSpoolFile("", kId).damaged, 0u);
}

// Files of a released version have to be readable by the next one: a change of these bytes needs another magic.
TEST(SpoolFileTest, TheFormatStaysAsItIs) {
  const std::string header = EncodeSpoolHeader(kId).substr(0, 16);
  EXPECT_EQ(header, "KESPOOL1\xEF\xCD\xAB\x89\x67\x45\x23\x01");
  const std::string frame = FrameOf({RecordType::kModified, "{}", WallTime{std::chrono::microseconds{258}}}, 3);
  EXPECT_EQ(frame.substr(0, 4), "\xFFKR\xFE");
  EXPECT_EQ(frame.substr(12), std::string("\x03\0\0\0"
                                          "\x1c\0\0\0"
                                          "\x01"
                                          "\0"
                                          "\x02\x01\0\0\0\0\0\0"
                                          "\0\0\0\0\0\0\0\0"
                                          "\0\0\0\0"
                                          "\0\0\0\0"
                                          "{}",
                                          36));
  EXPECT_EQ(frame.substr(4, 8), "\xFE\x53\x46\xBA\x3A\x2C\x72\x8E");
}

TEST(SpoolFileTest, AnEventKeepsWhatIsKnownOfIt) {
  Record record = RecordOf(SmallEvent(1));
  const auto anonymous = DecodeSpoolFrame(FrameOf(record), kId);
  ASSERT_TRUE(anonymous);
  EXPECT_EQ(anonymous->id, "");
  EXPECT_FALSE(anonymous->happened);
  record.id = "u1/1";
  record.happened = kObserved - std::chrono::hours{1};
  const auto known = DecodeSpoolFrame(FrameOf(record), kId);
  ASSERT_TRUE(known);
  EXPECT_EQ(known->id, record.id);
  EXPECT_EQ(known->happened, record.happened);
  EXPECT_EQ(known->object, record.object);
  EXPECT_EQ(known->gap_scope, "");
  EXPECT_FALSE(known->gap_from);
}

}  // namespace
}  // namespace kube_events::testing
