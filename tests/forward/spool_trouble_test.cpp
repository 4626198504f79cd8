// Disks and folders that do not do what a spool wants: nothing half remains, and work goes on when they do again.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>

#include "forward/disk_trouble.h"
#include "forward/files.h"
#include "forward/spool_fixture.h"

namespace kube_events::testing {
namespace {

namespace fs = std::filesystem;

class SpoolTroubleTest : public SpoolFixture {
 protected:
  SpoolTroubleTest() {
    options_.file_bytes = 2000;
    Open();
  }

  std::string OpenError() const {
    const auto opened = Spool::Open(options_);
    if (opened) return "";
    EXPECT_EQ(opened.error().kind, ErrorKind::kConfiguration);
    return opened.error().message;
  }
};

TEST_F(SpoolTroubleTest, AFailedAppendLeavesNothing) {
  ASSERT_TRUE(Append(1, 2));
  const std::uint64_t bytes = spool_->Stats().bytes;
  const std::string content = ContentOf(Files().at(0));
  {
    const FileSizeLimit limit(bytes + 300);
    const auto appended = Append(3, 6);
    ASSERT_FALSE(appended);
    EXPECT_EQ(appended.error().kind, ErrorKind::kRetry);
    EXPECT_NE(appended.error().message.find(options_.folder.string()), std::string::npos);
  }
  EXPECT_EQ(spool_->End(), 2u);
  EXPECT_EQ(spool_->Stats().bytes, bytes);
  EXPECT_EQ(ContentOf(Files().at(0)), content);
  EXPECT_EQ(Files().size(), 1u);
  EXPECT_EQ(All(), "1 2");
  ASSERT_TRUE(Append(3, 6));
  EXPECT_EQ(All(), "1 2 3 4 5 6");
  Open();
  EXPECT_EQ(damaged_, 0u);
  EXPECT_EQ(All(), "1 2 3 4 5 6");
}

TEST_F(SpoolTroubleTest, AFailureInALaterFileTakesTheEarlierOnesBackToo) {
  ASSERT_TRUE(Append(1, 2));
  auto batch = Batch(3, 30);
  batch.push_back(SmallRecord(31, std::string(10'000, 'x')));
  {
    const FileSizeLimit limit(5000);
    ASSERT_FALSE(spool_->Append(batch));
  }
  EXPECT_EQ(Files().size(), 1u);
  Open();
  EXPECT_EQ(damaged_, 0u);
  EXPECT_EQ(All(), "1 2");
}

TEST_F(SpoolTroubleTest, AFileThatCannotEvenBeBegunLeavesNothing) {
  {
    const FileSizeLimit limit(10);
    EXPECT_FALSE(Append(1, 2));
    EXPECT_FALSE(Append(1, 2));
  }
  EXPECT_TRUE(Files().empty());
  ASSERT_TRUE(Append(1, 2));
  EXPECT_EQ(All(), "1 2");
}

TEST_F(SpoolTroubleTest, AFailedAppendLeavesNoHoleThatLooksLikeAMissingFile) {
  ASSERT_TRUE(Append(1, 2));
  {
    const FileSizeLimit limit(100);
    EXPECT_FALSE(Append(3, 3));
    EXPECT_FALSE(Append(3, 3));
  }
  ASSERT_TRUE(Append(3, 3));
  Open();
  EXPECT_EQ(damaged_, 0u) << first_problem_;
  EXPECT_EQ(All(), "1 2 3");
}

TEST_F(SpoolTroubleTest, SurvivesADiskThatIsReallyFull) {
  fs::create_directory(dir_.path() / "disk");
  const SmallDisk disk(dir_.path() / "disk", "128k");
  if (!disk.mounted()) GTEST_SKIP() << "a tmpfs cannot be mounted here";
  options_.folder = dir_.path() / "disk" / "sink";
  options_.file_bytes = 50'000;
  Open();
  int last = 0;
  Result<void> appended;
  while ((appended = Append(last + 1, last + 100))) last += 100;
  EXPECT_EQ(appended.error().kind, ErrorKind::kRetry);
  EXPECT_NE(appended.error().message.find("No space left"), std::string::npos) << appended.error().message;
  EXPECT_GT(last, 0);
  const std::string before = All();
  Open();
  EXPECT_EQ(damaged_, 0u);
  EXPECT_EQ(All(), before);
  spool_->RemoveBefore(spool_->End());
  EXPECT_TRUE(Append(1, 100));
  spool_.reset();
}

TEST_F(SpoolTroubleTest, AFolderThatMayNotBeWrittenIsRefused) {
  if (!AsNobody::Works()) GTEST_SKIP() << "only root can become somebody who may not write here";
  spool_.reset();
  const AsNobody nobody;
  EXPECT_NE(OpenError().find("Permission denied"), std::string::npos) << OpenError();
  options_.folder = dir_.path() / "new";
  EXPECT_NE(OpenError().find(options_.folder.string()), std::string::npos) << OpenError();
}

TEST_F(SpoolTroubleTest, AFolderThatBecomesReadOnlyIsAReasonToTryAgain) {
  if (!AsNobody::Works()) GTEST_SKIP() << "only root can become somebody who may not write here";
  {
    const AsNobody nobody;
    const auto appended = Append(1, 2);
    ASSERT_FALSE(appended);
    EXPECT_EQ(appended.error().kind, ErrorKind::kRetry);
  }
  EXPECT_TRUE(Append(1, 2));
}

TEST_F(SpoolTroubleTest, WhereAFolderCannotBeItIsRefused) {
  spool_.reset();
  SetContent(dir_.path() / "file", "x");
  options_.folder = dir_.path() / "file";
  EXPECT_NE(OpenError().find("Not a directory"), std::string::npos) << OpenError();
  options_.folder = dir_.path() / "file" / "below";
  EXPECT_NE(OpenError(), "");
}

TEST_F(SpoolTroubleTest, AFolderThatIsDeletedWhileItIsUsedIsMadeAnew) {
  ASSERT_TRUE(Append(1, 2));
  fs::remove_all(options_.folder);
  EXPECT_FALSE(Append(3, 3)) << "went into a file that is gone";
  ASSERT_TRUE(Append(3, 4));
  EXPECT_EQ(All(), "gap gap 3 4");
  EXPECT_NE(OpenError().find("another process uses it"), std::string::npos);
  Open();
  EXPECT_EQ(All(), "3 4");
}

TEST_F(SpoolTroubleTest, AFileThatIsMovedAwayIsNotWrittenToAnyMore) {
  ASSERT_TRUE(Append(1, 2));
  fs::rename(Files().at(0), dir_.path() / "moved");
  EXPECT_FALSE(Append(3, 3));
  ASSERT_TRUE(Append(3, 3));
  EXPECT_EQ(From(2), "3");
}

TEST_F(SpoolTroubleTest, AFileThatMayNotBeReadNowIsAReasonToTryAgain) {
  if (!AsNobody::Works()) GTEST_SKIP() << "only root can become somebody who may not read here";
  ASSERT_TRUE(Append(1, 2));
  {
    const AsNobody nobody;
    const auto peeked = spool_->Peek(0, 10, 1000);
    ASSERT_FALSE(peeked);
    EXPECT_EQ(peeked.error().kind, ErrorKind::kRetry);
  }
  EXPECT_EQ(All(), "1 2");
}

}  // namespace
}  // namespace kube_events::testing
