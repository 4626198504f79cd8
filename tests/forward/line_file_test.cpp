#include "forward/line_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>

#include "forward/disk_trouble.h"
#include "forward/files.h"
#include "kube/temp_dir.h"

namespace kube_events::testing {
namespace {

namespace fs = std::filesystem;

class LineFileTest : public ::testing::Test {
 protected:
  LineFile Open(std::uint64_t max_bytes = 0, int max_files = 3) {
    return LineFile({path_, max_bytes, max_files, 0640});
  }
  std::string Rotated(int number) const { return ContentOf(path_.string() + "." + std::to_string(number)); }

  TempDir dir_;
  const fs::path path_ = dir_.path() / "lines";
};

TEST_F(LineFileTest, AppendsToWhatIsThere) {
  SetContent(path_, "a\n");
  LineFile file = Open();
  ASSERT_TRUE(file.Append("b\nc\n"));
  ASSERT_TRUE(file.Append("d\n"));
  EXPECT_EQ(ContentOf(path_), "a\nb\nc\nd\n");
}

TEST_F(LineFileTest, ANewFileIsNotForEverybody) {
  ASSERT_TRUE(Open().Append("a\n"));
  EXPECT_EQ(fs::status(path_).permissions() & fs::perms::others_all, fs::perms::none);
}

TEST_F(LineFileTest, EndsALineThatAnEarlierProcessHasTorn) {
  SetContent(path_, "whole\nhal");
  LineFile file = Open();
  ASSERT_TRUE(file.Append("a\n"));
  ASSERT_TRUE(file.Append("b\n"));
  EXPECT_EQ(ContentOf(path_), "whole\nhal\na\nb\n");
}

TEST_F(LineFileTest, OpensAnewWhatWasDeletedOrMovedAway) {
  LineFile file = Open();
  ASSERT_TRUE(file.Append("a\n"));
  fs::rename(path_, dir_.path() / "moved");
  ASSERT_TRUE(file.Append("b\n"));
  EXPECT_EQ(ContentOf(dir_.path() / "moved"), "a\n");
  EXPECT_EQ(ContentOf(path_), "b\n");
  fs::remove(path_);
  ASSERT_TRUE(file.Append("c\n"));
  EXPECT_EQ(ContentOf(path_), "c\n");
}

TEST_F(LineFileTest, GoesOnBehindWhatSomebodyTruncated) {
  LineFile file = Open();
  ASSERT_TRUE(file.Append("a\n"));
  fs::resize_file(path_, 0);
  ASSERT_TRUE(file.Append("b\n"));
  EXPECT_EQ(ContentOf(path_), "b\n");
}

TEST_F(LineFileTest, RotatesBeforeItGrowsBeyondItsSize) {
  LineFile file = Open(4, 2);
  for (const char* line : {"a\n", "b\n", "c\n", "d\n", "e\n", "f\n", "g\n"}) ASSERT_TRUE(file.Append(line));
  EXPECT_EQ(ContentOf(path_), "g\n");
  EXPECT_EQ(Rotated(1), "e\nf\n");
  EXPECT_EQ(Rotated(2), "c\nd\n");
  EXPECT_FALSE(fs::exists(path_.string() + ".3"));
}

TEST_F(LineFileTest, ASymbolicLinkStaysAndTheFileBehindItIsRotated) {
  fs::create_symlink("real", path_);  // which is not there yet
  LineFile file = Open(4);
  for (const char* line : {"a\n", "b\n", "c\n"}) ASSERT_TRUE(file.Append(line));
  EXPECT_TRUE(fs::is_symlink(path_));
  EXPECT_EQ(ContentOf(dir_.path() / "real"), "c\n");
  EXPECT_EQ(ContentOf(dir_.path() / "real.1"), "a\nb\n");
  EXPECT_FALSE(fs::exists(path_.string() + ".1"));
  fs::remove(path_);
  fs::create_symlink("other", path_);
  ASSERT_TRUE(file.Append("d\n"));
  EXPECT_EQ(ContentOf(dir_.path() / "other"), "d\n");
}

TEST_F(LineFileTest, KeepsNoRotatedFileWhereNoneIsWanted) {
  LineFile file = Open(4, 0);
  for (const char* line : {"a\n", "b\n", "c\n"}) ASSERT_TRUE(file.Append(line));
  EXPECT_EQ(ContentOf(path_), "c\n");
  EXPECT_FALSE(fs::exists(path_.string() + ".1"));
}

TEST_F(LineFileTest, ABatchThatIsLargerThanAFileHasOneOfItsOwn) {
  LineFile file = Open(4, 2);
  ASSERT_TRUE(file.Append("long long\n"));
  EXPECT_FALSE(fs::exists(path_.string() + ".1"));
  ASSERT_TRUE(file.Append("b\n"));
  EXPECT_EQ(ContentOf(path_), "b\n");
  EXPECT_EQ(Rotated(1), "long long\n");
}

TEST_F(LineFileTest, GoesOnWithAFileThatCannotBeRotatedAndSaysWhy) {
  fs::create_directories(path_.string() + ".1/x");
  LineFile file = Open(4, 1);
  ASSERT_TRUE(file.Append("abc\n"));
  EXPECT_EQ(file.rotation_problem(), "");
  ASSERT_TRUE(file.Append("d\n"));
  EXPECT_EQ(ContentOf(path_), "abc\nd\n");
  EXPECT_NE(file.rotation_problem().find("cannot rotate " + path_.string()), std::string::npos);
}

TEST_F(LineFileTest, ATornLineIsEndedBeforeItsFileIsRotated) {
  SetContent(path_, "abc");
  ASSERT_TRUE(Open(4, 1).Append("d\n"));
  EXPECT_EQ(Rotated(1), "abc\n");
  EXPECT_EQ(ContentOf(path_), "d\n");
}

TEST_F(LineFileTest, LeavesNothingOfABatchThatDidNotFitOnTheDisk) {
  LineFile file = Open();
  ASSERT_TRUE(file.Append("a\n"));
  {
    const FileSizeLimit limit(10);
    const auto appended = file.Append("0123456789\n0123456789\n");
    ASSERT_FALSE(appended);
    EXPECT_EQ(appended.error().kind, ErrorKind::kRetry);
    EXPECT_NE(appended.error().message.find(path_.string()), std::string::npos);
    EXPECT_EQ(ContentOf(path_), "a\n");
    EXPECT_TRUE(file.Append("b\n"));
  }
  ASSERT_TRUE(file.Append("c\n"));
  EXPECT_EQ(ContentOf(path_), "a\nb\nc\n");
}

TEST_F(LineFileTest, ATornLineStaysKnownWhileTheDiskIsFull) {
  SetContent(path_, "torn");
  LineFile file = Open();
  {
    const FileSizeLimit limit(6);
    EXPECT_FALSE(file.Append("0123456789\n"));
  }
  EXPECT_EQ(ContentOf(path_), "torn");
  ASSERT_TRUE(file.Append("a\n"));
  EXPECT_EQ(ContentOf(path_), "torn\na\n");
}

TEST_F(LineFileTest, SurvivesADiskThatIsReallyFull) {
  fs::create_directory(dir_.path() / "disk");
  const SmallDisk disk(dir_.path() / "disk", "64k");
  if (!disk.mounted()) GTEST_SKIP() << "a tmpfs cannot be mounted here";
  const fs::path path = dir_.path() / "disk" / "lines";
  LineFile file({path, 0, 0, 0600});
  ASSERT_TRUE(file.Append("a\n"));
  const auto appended = file.Append(std::string(200'000, 'x') + "\n");
  ASSERT_FALSE(appended);
  EXPECT_NE(appended.error().message.find("No space left"), std::string::npos) << appended.error().message;
  EXPECT_EQ(ContentOf(path), "a\n");
  EXPECT_TRUE(file.Append("b\n"));
}

TEST_F(LineFileTest, RefusesWhatIsNoFileWithoutWaitingForIt) {
  ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
  const auto appended = Open().Append("a\n");
  ASSERT_FALSE(appended);
  EXPECT_NE(appended.error().message.find("not a regular file"), std::string::npos);
}

TEST_F(LineFileTest, SaysWhichFolderIsMissingAndGoesOnWhenItIsThere) {
  const fs::path path = dir_.path() / "later" / "lines";
  LineFile file({path, 0, 0, 0600});
  const auto appended = file.Append("a\n");
  ASSERT_FALSE(appended);
  EXPECT_EQ(appended.error().kind, ErrorKind::kRetry);
  EXPECT_EQ(appended.error().message, "cannot open " + path.string() + ": No such file or directory");
  fs::create_directory(path.parent_path());
  EXPECT_TRUE(file.Append("a\n"));
}

}  // namespace
}  // namespace kube_events::testing
