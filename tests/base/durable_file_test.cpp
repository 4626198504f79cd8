#include "kube_events/base/durable_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "kube/temp_dir.h"
#include "kube_events/base/file_descriptor.h"

namespace kube_events {
namespace {

class DurableFileTest : public ::testing::Test {
 protected:
  TempDir dir_;
  std::filesystem::path path_ = dir_.path() / "file";
  UniqueFd file_{::open(path_.c_str(), O_WRONLY | O_CREAT, 0600)};
};

TEST_F(DurableFileTest, WritesAllOfALongText) {
  const std::string text(std::size_t{3} << 20, 'x');
  ASSERT_EQ(WriteAll(file_.get(), text), 0);
  std::stringstream content;
  content << std::ifstream(path_).rdbuf();
  EXPECT_EQ(content.str(), text);
  EXPECT_TRUE(FlushFolderOf(path_));
}

TEST_F(DurableFileTest, SaysWhatFailedAndWhere) {
  const UniqueFd full(::open("/dev/full", O_WRONLY));
  EXPECT_EQ(WriteAll(full.get(), "x"), ENOSPC);
  const auto flushed = FlushFolderOf(dir_.path() / "missing" / "file");
  ASSERT_FALSE(flushed);
  EXPECT_EQ(flushed.error().kind, ErrorKind::kRetry);
  EXPECT_EQ(flushed.error().message,
            "cannot flush " + (dir_.path() / "missing").string() + ": No such file or directory");
}

TEST_F(DurableFileTest, NoticesThatAFileWasDeletedMovedAwayOrReplaced) {
  EXPECT_TRUE(IsStillAt(file_.get(), path_));
  std::filesystem::rename(path_, dir_.path() / "moved");
  EXPECT_FALSE(IsStillAt(file_.get(), path_));
  dir_.Write("file", "another");
  EXPECT_FALSE(IsStillAt(file_.get(), path_));
  EXPECT_TRUE(IsStillAt(file_.get(), dir_.path() / "moved"));
  std::filesystem::remove(dir_.path() / "moved");
  EXPECT_FALSE(IsStillAt(file_.get(), dir_.path() / "moved"));
}

}  // namespace
}  // namespace kube_events
