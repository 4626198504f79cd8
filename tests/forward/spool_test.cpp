#include "kube_events/forward/spool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <string>
#include <thread>

#include "forward/spool_fixture.h"

namespace kube_events::testing {
namespace {

namespace fs = std::filesystem;

class SpoolTest : public SpoolFixture {
 protected:
  SpoolTest() { Open(); }
};

TEST_F(SpoolTest, GivesRecordsBackInOrder) {
  ASSERT_TRUE(Append(1, 3));
  ASSERT_TRUE(Append(4, 4));
  EXPECT_EQ(All(), "1 2 3 4");
  EXPECT_EQ(spool_->Stats().records, 4u);
}

TEST_F(SpoolTest, KeepsEverythingThatARecordHas) {
  const std::string bytes("\0\xFF any bytes", 12);
  const Record gap = GapOf("overflow", "scope \xFF");
  ASSERT_TRUE(spool_->Append(std::vector<RecordPtr>{std::make_shared<Record>(RecordOf(bytes, RecordType::kDeleted)),
                                                    std::make_shared<Record>(gap)}));
  Open();
  const auto records = spool_->Peek(0, 10, 1'000'000).value();
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[0]->type, RecordType::kDeleted);
  EXPECT_EQ(records[0]->object, bytes);
  EXPECT_EQ(records[0]->observed, kObserved);
  EXPECT_FALSE(records[0]->gap_from);
  EXPECT_EQ(records[1]->type, RecordType::kGap);
  EXPECT_EQ(records[1]->gap_scope, gap.gap_scope);
  EXPECT_EQ(records[1]->gap_from, gap.gap_from);
  EXPECT_EQ(records[1]->gap_reason, "overflow");
}

TEST_F(SpoolTest, AnotherProcessFindsWhatWasLeft) {
  ASSERT_TRUE(Append(1, 20));
  spool_->RemoveBefore(5);
  Open();
  EXPECT_EQ(damaged_, 0u);
  EXPECT_EQ(spool_->Front(), 0u);
  EXPECT_EQ(All(), "6 7 8 9 10 11 12 13 14 15 16 17 18 19 20");
  ASSERT_TRUE(Append(21, 21));
  EXPECT_EQ(From(14), "20 21");
}

TEST_F(SpoolTest, APositionInsideTheOldestFileIsKept) {
  options_.file_bytes = 1'000'000;
  Open();
  ASSERT_TRUE(Append(1, 5));
  spool_->RemoveBefore(3);
  ASSERT_EQ(Files().size(), 1u);
  Open();
  EXPECT_EQ(All(), "4 5");
  spool_->RemoveBefore(1);
  Open();
  EXPECT_EQ(All(), "5");
}

TEST_F(SpoolTest, PeekKeepsToItsLimits) {
  ASSERT_TRUE(Append(1, 3));
  EXPECT_EQ(spool_->Peek(0, 2, 1'000'000).value().size(), 2u);
  EXPECT_EQ(spool_->Peek(0, 100, 1).value().size(), 1u);
  EXPECT_EQ(spool_->Peek(0, 0, 0).value().size(), 1u);
  const std::size_t two = SmallRecord(1)->object.size() * 2 + 100;
  EXPECT_EQ(spool_->Peek(0, 100, two).value().size(), 2u);
  EXPECT_TRUE(spool_->Peek(3, 100, 100).value().empty());
}

TEST_F(SpoolTest, PeekRemovesNothing) {
  ASSERT_TRUE(Append(1, 3));
  EXPECT_EQ(All(), "1 2 3");
  EXPECT_EQ(All(), "1 2 3");
}

TEST_F(SpoolTest, FilesAreBoundedAndDeletedWhenTheyAreDone) {
  ASSERT_TRUE(Append(1, 30));
  const std::size_t files = Files().size();
  EXPECT_GT(files, 4u);
  for (const fs::path& file : Files()) EXPECT_LE(fs::file_size(file), options_.file_bytes) << file;
  spool_->RemoveBefore(15);
  EXPECT_LT(Files().size(), files);
  EXPECT_EQ(spool_->Front(), 15u);
  spool_->RemoveBefore(30);
  EXPECT_TRUE(Files().empty());
  EXPECT_EQ(spool_->Stats().bytes, 0u);
  EXPECT_EQ(spool_->Stats().records, 0u);
  ASSERT_TRUE(Append(31, 31));
  EXPECT_EQ(All(), "31");
  EXPECT_EQ(spool_->Front(), 30u);
}

TEST_F(SpoolTest, ARecordLargerThanAFileHasOneOfItsOwn) {
  const auto large = std::make_shared<Record>(RecordOf(SmallEvent(7, std::string(5000, 'x'))));
  ASSERT_TRUE(spool_->Append(std::vector<RecordPtr>{SmallRecord(1), large, SmallRecord(2)}));
  EXPECT_EQ(Files().size(), 3u);
  EXPECT_EQ(All(), "1 7 2");
}

TEST_F(SpoolTest, CountsTheBytesThatItsFilesHave) {
  ASSERT_TRUE(Append(1, 30));
  std::uint64_t bytes = 0;
  for (const fs::path& file : Files()) bytes += fs::file_size(file);
  EXPECT_EQ(spool_->Stats().bytes, bytes);
  Open();
  EXPECT_EQ(spool_->Stats().bytes, bytes);
}

TEST_F(SpoolTest, IsFullAtItsBytes) {
  options_.max_bytes = 10'000;
  Open();
  int last = 0;
  Result<void> appended;
  while ((appended = Append(last + 1, last + 1))) ++last;
  EXPECT_EQ(appended.error().kind, ErrorKind::kConflict);
  EXPECT_EQ(appended.error().reason, "full");
  EXPECT_NE(appended.error().message.find(options_.folder.string()), std::string::npos);
  EXPECT_GT(spool_->Stats().bytes, options_.max_bytes * 8 / 10);
  EXPECT_LE(spool_->Stats().bytes, options_.max_bytes);
  EXPECT_EQ(spool_->End(), static_cast<std::uint64_t>(last));
  spool_->RemoveBefore(static_cast<std::uint64_t>(last));
  EXPECT_TRUE(Append(1, 1));
}

TEST_F(SpoolTest, DroppingTheOldestMakesRoomAndCountsWhatIsLost) {
  options_.max_bytes = 10'000;
  Open();
  int last = 0;
  while (Append(last + 1, last + 1)) ++last;
  spool_->RemoveBefore(1);
  const auto batch = Batch(1001, 1003);
  const std::uint64_t lost = spool_->DropOldestFor(batch);
  EXPECT_GT(lost, 0u);
  EXPECT_EQ(spool_->Front(), 1 + lost);
  EXPECT_TRUE(spool_->Peek(1, 10, 1000).value().empty());
  ASSERT_TRUE(spool_->Append(batch));
  EXPECT_EQ(spool_->DropOldestFor({}), 0u);
  EXPECT_LE(spool_->Stats().bytes, options_.max_bytes);
  Open();
  EXPECT_EQ(damaged_, 0u);
  EXPECT_TRUE(All().ends_with("1001 1002 1003"));
}

TEST_F(SpoolTest, WhatIsTooMuchForAnEmptySpoolIsFullAfterDroppingAll) {
  options_.max_bytes = 1000;
  Open();
  ASSERT_TRUE(Append(1, 1));
  EXPECT_EQ(spool_->DropOldestFor(Batch(1, 100)), 1u);
  EXPECT_TRUE(Files().empty());
  const auto appended = Append(1, 100);
  ASSERT_FALSE(appended);
  EXPECT_EQ(appended.error().reason, "full");
}

TEST_F(SpoolTest, RemovingTwiceOrTooMuchIsHarmless) {
  ASSERT_TRUE(Append(1, 3));
  spool_->RemoveBefore(2);
  spool_->RemoveBefore(1);
  EXPECT_EQ(spool_->Front(), 2u);
  spool_->RemoveBefore(1000);
  EXPECT_EQ(spool_->Front(), 3u);
  EXPECT_EQ(spool_->End(), 3u);
}

TEST_F(SpoolTest, TwoNeverShareAFolder) {
  const auto second = Spool::Open(options_);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().kind, ErrorKind::kConfiguration);
  EXPECT_NE(second.error().message.find("another process uses it"), std::string::npos) << second.error().message;
  spool_.reset();
  EXPECT_TRUE(Spool::Open(options_));
}

TEST_F(SpoolTest, NobodyElseMayReadIt) {
  ASSERT_TRUE(Append(1, 3));
  spool_->RemoveBefore(1);
  constexpr auto kOthers = fs::perms::group_all | fs::perms::others_all;
  EXPECT_EQ(fs::status(options_.folder).permissions() & kOthers, fs::perms::none);
  for (const auto& entry : fs::directory_iterator(options_.folder)) {
    EXPECT_EQ(entry.status().permissions() & kOthers, fs::perms::none) << entry.path();
  }
}

TEST_F(SpoolTest, MakesFoldersAboveItToo) {
  options_.folder = dir_.path() / "a" / "b" / "c";
  Open();
  EXPECT_TRUE(Append(1, 1));
}

TEST_F(SpoolTest, NothingIsAppendedForNothing) {
  EXPECT_TRUE(spool_->Append({}));
  EXPECT_TRUE(Files().empty());
}

TEST_F(SpoolTest, TwoThreadsPassEverythingOnInOrder) {
  constexpr int kRecords = 500;
  std::atomic<bool> failed{false};
  const std::jthread spooling([&] {
    for (int i = 1; i <= kRecords && !failed; i += 10) failed = !Append(i, i + 9);
  });
  int expected = 1;
  while (expected <= kRecords && !failed) {
    const std::uint64_t front = spool_->Front();
    const auto records = spool_->Peek(front, 7, 100'000).value();
    for (const RecordPtr& record : records) {
      ASSERT_EQ(NameOf(*record), std::to_string(expected));
      ++expected;
    }
    spool_->RemoveBefore(front + records.size());
    std::this_thread::yield();
  }
  EXPECT_FALSE(failed);
  EXPECT_EQ(spool_->Stats().records, 0u);
}

}  // namespace
}  // namespace kube_events::testing
