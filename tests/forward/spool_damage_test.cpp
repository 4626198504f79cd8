// Files of a spool that were cut, overwritten, taken away or put there by somebody: as little as possible is lost, and
// it is said.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "forward/files.h"
#include "forward/spool_file.h"
#include "forward/spool_fixture.h"

namespace kube_events::testing {
namespace {

namespace fs = std::filesystem;

class SpoolDamageTest : public SpoolFixture {
 protected:
  SpoolDamageTest() {
    options_.file_bytes = 100'000;
    Open();
    EXPECT_TRUE(Append(1, 9));
  }

  // The only file.
  fs::path File() const { return Files().at(0); }
  // Where the frame of SmallRecord `number` begins in it.
  std::size_t FrameOf(int number) const {
    const std::size_t object = ContentOf(File()).find(SmallEvent(number));
    return object - SpoolFrameBytes(Record{});
  }
  void Flip(std::size_t at, char bits = 1) const {
    std::string content = ContentOf(File());
    content.at(at) = static_cast<char>(content.at(at) ^ bits);
    SetContent(File(), content);
  }
  void Cut(std::size_t size) const { fs::resize_file(File(), size); }
  // Opens it while it is closed and damaged by `damage`.
  template <typename Damage>
  void Reopen(Damage damage) {
    spool_.reset();
    damage();
    Open();
  }
};

TEST_F(SpoolDamageTest, AFlippedBitCostsOneRecord) {
  const std::size_t at = FrameOf(4);
  Reopen([&] { Flip(at + 60); });
  EXPECT_EQ(All(), "1 2 3 5 6 7 8 9");
  EXPECT_EQ(damaged_, 1u);
  EXPECT_NE(first_problem_.find("00000001.spool is damaged from byte " + std::to_string(at)), std::string::npos)
      << first_problem_;
}

TEST_F(SpoolDamageTest, AnyFlippedBitCostsAtMostOneRecord) {
  const std::string content = ContentOf(File());
  for (std::size_t at = 0; at < FrameOf(3); ++at) {
    Reopen([&] {
      SetContent(File(), content);
      Flip(at, static_cast<char>(1 << at % 8));
    });
    const bool header = at < kSpoolHeaderBytes;
    EXPECT_EQ(spool_->Stats().records, header ? 9u : 8u) << "byte " << at;
    EXPECT_EQ(damaged_, header ? 0u : 1u) << "byte " << at;
  }
}

TEST_F(SpoolDamageTest, WhenTheLastRecordBeforeTheDamageWasObservedIsKnown) {
  Record late = RecordOf(SmallEvent(10));
  late.observed = kObserved + std::chrono::hours{1};
  ASSERT_TRUE(spool_->Append(std::vector<RecordPtr>{std::make_shared<Record>(late)}));
  const std::size_t at = FrameOf(5);
  Reopen([&] { Flip(at + 60); });
  EXPECT_EQ(intact_until_, kObserved) << "within a file";
  ASSERT_TRUE(Append(11, 11));
  Reopen([&] {
    Flip(at + 60);
    Flip(FrameOf(10) + 60);
  });
  EXPECT_EQ(intact_until_, kObserved) << "in front of a damaged end";
  Reopen([&] { SetContent(options_.folder / "00000001.spool", std::string(1000, 'x')); });
  EXPECT_FALSE(intact_until_) << "in the first file of all";
  EXPECT_GT(damaged_, 0u);
}

TEST_F(SpoolDamageTest, ATornEndCostsWhatWasTorn) {
  Reopen([&] { Cut(FrameOf(9) + 30); });
  EXPECT_EQ(All(), "1 2 3 4 5 6 7 8");
  EXPECT_EQ(damaged_, 1u);
  ASSERT_TRUE(Append(10, 10));
  EXPECT_EQ(All(), "1 2 3 4 5 6 7 8 10");
}

TEST_F(SpoolDamageTest, ACutBetweenTwoRecordsIsNoDamage) {
  Reopen([&] { Cut(FrameOf(5)); });
  EXPECT_EQ(All(), "1 2 3 4");
  EXPECT_EQ(damaged_, 0u);
}

TEST_F(SpoolDamageTest, SeveralRecordsInARowAreCounted) {
  Reopen([&] {
    std::string content = ContentOf(File());
    content.replace(FrameOf(3), FrameOf(6) - FrameOf(3), FrameOf(6) - FrameOf(3), '\0');
    SetContent(File(), content);
  });
  EXPECT_EQ(All(), "1 2 6 7 8 9");
  EXPECT_EQ(damaged_, 3u);
}

TEST_F(SpoolDamageTest, BytesThatSomebodyPutInAreSkipped) {
  Reopen([&] {
    std::string content = ContentOf(File());
    content.insert(FrameOf(3), "\xFFKR\xFE something");
    SetContent(File(), content);
  });
  EXPECT_EQ(All(), "1 2 3 4 5 6 7 8 9");
  EXPECT_EQ(damaged_, 1u);
}

TEST_F(SpoolDamageTest, AFrameInsideARecordIsNotTakenForOne) {
  std::string forged;
  AppendSpoolFrame(*SmallRecord(666), 0, 9, forged);
  ASSERT_TRUE(spool_->Append(std::vector<RecordPtr>{std::make_shared<Record>(RecordOf(forged))}));
  ASSERT_TRUE(Append(11, 11));
  Reopen([&] { Flip(ContentOf(File()).find(forged) - 10); });
  EXPECT_EQ(All(), "1 2 3 4 5 6 7 8 9 11");
}

TEST_F(SpoolDamageTest, AFileWithoutGoodHeaderIsLeftAlone) {
  const std::string nonsense(1000, 'x');
  Reopen([&] {
    SetContent(options_.folder / "00000002.spool", nonsense);
    SetContent(options_.folder / "00000003.spool", "");
    SetContent(options_.folder / "00000004.spool", nonsense);
  });
  EXPECT_EQ(All(), "1 2 3 4 5 6 7 8 9");
  EXPECT_EQ(damaged_, 3u);
  EXPECT_NE(first_problem_.find("00000002.spool"), std::string::npos);
  EXPECT_EQ(ContentOf(options_.folder / "00000002.spool"), nonsense);
  ASSERT_TRUE(Append(10, 10));
  EXPECT_EQ(ContentOf(options_.folder / "00000004.spool"), nonsense);
}

TEST_F(SpoolDamageTest, AFileThatWasBeingMadeIsNoDamage) {
  Reopen([&] { SetContent(options_.folder / "00000002.spool", ""); });
  EXPECT_EQ(damaged_, 0u);
  EXPECT_EQ(Files().size(), 1u);
  Reopen([&] { SetContent(options_.folder / "00000002.spool", EncodeSpoolHeader(7).substr(0, 20)); });
  EXPECT_EQ(damaged_, 0u);
  Reopen([&] { SetContent(options_.folder / "00000002.spool", EncodeSpoolHeader(7)); });
  EXPECT_EQ(damaged_, 0u);
  EXPECT_EQ(All(), "1 2 3 4 5 6 7 8 9");
}

TEST_F(SpoolDamageTest, AFileCutWithinItsHeaderCostsThatFile) {
  ASSERT_TRUE(spool_->Append(std::vector<RecordPtr>{SmallRecord(10, std::string(200'000, 'x')), SmallRecord(11)}));
  ASSERT_EQ(Files().size(), 3u);
  Reopen([&] { fs::resize_file(Files()[1], 10); });
  EXPECT_EQ(All(), "1 2 3 4 5 6 7 8 9 11");
  EXPECT_EQ(damaged_, 1u);
}

TEST_F(SpoolDamageTest, AMissingFileInTheMiddleIsSaid) {
  ASSERT_TRUE(spool_->Append(std::vector<RecordPtr>{SmallRecord(10, std::string(200'000, 'x')), SmallRecord(11)}));
  Reopen([&] { fs::remove(Files()[1]); });
  EXPECT_EQ(All(), "1 2 3 4 5 6 7 8 9 11");
  EXPECT_EQ(damaged_, 1u);
  EXPECT_NE(first_problem_.find("00000002.spool is missing"), std::string::npos) << first_problem_;
}

TEST_F(SpoolDamageTest, OtherFilesInTheFolderAreIgnored) {
  Reopen([&] {
    for (const char* name : {"1.spool", "x.spool", "00000009.spool.bak", ".spool", "-0000001.spool", "notes.txt"}) {
      SetContent(options_.folder / name, "x");
    }
  });
  EXPECT_EQ(damaged_, 0u);
  EXPECT_EQ(All(), "1 2 3 4 5 6 7 8 9");
}

TEST_F(SpoolDamageTest, AFolderInTheFolderIsNoFile) {
  Reopen([&] { fs::create_directory(options_.folder / "00000002.spool"); });
  EXPECT_EQ(damaged_, 1u);
  EXPECT_EQ(All(), "1 2 3 4 5 6 7 8 9");
}

TEST_F(SpoolDamageTest, ADamagedPositionOnlyRepeats) {
  spool_->RemoveBefore(4);
  const std::string position = ContentOf(options_.folder / "position");
  for (const std::string& damaged :
       {std::string(), position.substr(0, 20), std::string(51, 'x'), "1" + position.substr(1), std::string(51, '\0')}) {
    Reopen([&] { SetContent(options_.folder / "position", damaged); });
    EXPECT_TRUE(All().ends_with("5 6 7 8 9")) << All();
  }
  Reopen([&] { SetContent(options_.folder / "position", position); });
  EXPECT_EQ(All(), "5 6 7 8 9");
}

TEST_F(SpoolDamageTest, APositionOfAnotherFileMeansNothing) {
  spool_->RemoveBefore(4);
  Reopen([&] { fs::remove(File()); });
  ASSERT_TRUE(Append(1, 9));
  Open();
  EXPECT_EQ(All(), "1 2 3 4 5 6 7 8 9");
}

TEST_F(SpoolDamageTest, WhatBecomesUnreadableWhileItIsOpenIsOneGapWithAllNumbersKept) {
  Flip(FrameOf(3) + 50);
  Flip(FrameOf(4) + 50);
  EXPECT_EQ(All(), "1 2 gap gap 5 6 7 8 9");
  const auto records = spool_->Peek(0, 9, 100'000).value();
  EXPECT_EQ(records[2], records[3]);
  EXPECT_EQ(records[2]->gap_reason, "spool");
  EXPECT_EQ(records[2]->gap_from, kObserved);
  EXPECT_EQ(records[2]->observed, kObserved);
  EXPECT_EQ(spool_->Peek(0, 9, 100'000).value()[2], records[2]);
}

TEST_F(SpoolDamageTest, WhatIsCutOffWhileItIsOpenIsAGap) {
  Cut(FrameOf(8) + 5);
  EXPECT_EQ(All(), "1 2 3 4 5 6 7 gap gap");
}

TEST_F(SpoolDamageTest, AFileThatIsDeletedWhileItIsOpenIsAGap) {
  fs::remove(File());
  EXPECT_EQ(All(), "gap gap gap gap gap gap gap gap gap");
  spool_->RemoveBefore(9);
  ASSERT_TRUE(Append(10, 10));
  EXPECT_EQ(All(), "10");
}

}  // namespace
}  // namespace kube_events::testing
