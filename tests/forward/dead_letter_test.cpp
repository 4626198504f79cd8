#include "kube_events/forward/dead_letter.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "forward/disk_trouble.h"
#include "forward/files.h"
#include "forward/samples.h"
#include "kube/temp_dir.h"

namespace kube_events::testing {
namespace {

using nlohmann::json;

class DeadLetterFileTest : public ::testing::Test {
 protected:
  Result<void> Append(const Record& record, const Error& why = {ErrorKind::kInvalid, "400 \"no\"", {}, "rejected"}) {
    return file_.Append("http://receiver", why, record, kObserved);
  }

  TempDir dir_;
  const std::filesystem::path path_ = dir_.path() / "dead";
  DeadLetterFile file_{path_};
};

TEST_F(DeadLetterFileTest, SaysWhatWasRejectedByWhomWhenAndWhy) {
  ASSERT_TRUE(Append(RecordOf(SmallEvent(1))));
  EXPECT_EQ(json::parse(ContentOf(path_)), (json{{"time", "2026-01-01T00:00:00.000000Z"},
                                                 {"sink", "http://receiver"},
                                                 {"reason", "rejected"},
                                                 {"message", "400 \"no\""},
                                                 {"record", json::parse(JsonOf(RecordOf(SmallEvent(1))))}}));
}

TEST_F(DeadLetterFileTest, NamesTheKindWhereThereIsNoReason) {
  ASSERT_TRUE(Append(RecordOf(SmallEvent(1)), {ErrorKind::kInvalid, "no"}));
  EXPECT_EQ(json::parse(ContentOf(path_))["reason"], ToString(ErrorKind::kInvalid));
}

TEST_F(DeadLetterFileTest, IsOneLineOfJsonForEachRecordWhateverItHolds) {
  ASSERT_TRUE(Append(RecordOf("nonsense\n\xFF"), {ErrorKind::kInvalid, "\xFF\n"}));
  ASSERT_TRUE(Append(GapOf()));
  std::istringstream lines(ContentOf(path_));
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) EXPECT_TRUE(json::accept(line)) << line;
  EXPECT_EQ(count, 2);
}

TEST_F(DeadLetterFileTest, IsForItsUserOnlyAndBounded) {
  const Record large = RecordOf(SmallEvent(1, std::string(std::size_t{12} << 20, 'x')));
  for (int i = 0; i < 7; ++i) ASSERT_TRUE(Append(large));
  std::uintmax_t bytes = 0;
  for (const auto& file : std::filesystem::directory_iterator(dir_.path())) {
    bytes += file.file_size();
    EXPECT_EQ(file.status().permissions() & (std::filesystem::perms::group_all | std::filesystem::perms::others_all),
              std::filesystem::perms::none);
  }
  EXPECT_LE(bytes, std::uintmax_t{64} << 20);
  EXPECT_TRUE(std::filesystem::exists(path_.string() + ".1"));
}

TEST_F(DeadLetterFileTest, APlaceWhereNoFileCanBeIsToldAtTheStart) {
  EXPECT_TRUE(DeadLetterFile::Check(path_));
  ASSERT_TRUE(Append(RecordOf(SmallEvent(1))));
  EXPECT_TRUE(DeadLetterFile::Check(path_));
  for (const std::filesystem::path& wrong : {dir_.path() / "none" / "dead", dir_.path(), path_ / "dead"}) {
    const auto checked = DeadLetterFile::Check(wrong);
    ASSERT_FALSE(checked) << wrong;
    EXPECT_EQ(checked.error().kind, ErrorKind::kConfiguration);
    EXPECT_NE(checked.error().message.find(wrong.string()), std::string::npos) << checked.error().message;
  }
}

TEST_F(DeadLetterFileTest, AFullDiskIsAReasonToTryAgain) {
  const FileSizeLimit limit(10);
  const auto appended = Append(RecordOf(SmallEvent(1)));
  ASSERT_FALSE(appended);
  EXPECT_EQ(appended.error().kind, ErrorKind::kRetry);
  EXPECT_EQ(ContentOf(path_), "");
}

}  // namespace
}  // namespace kube_events::testing
