#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "forward/disk_trouble.h"
#include "forward/files.h"
#include "forward/samples.h"
#include "kube/temp_dir.h"
#include "kube_events/forward/sinks.h"
#include "support/fake_clock.h"

namespace kube_events::testing {
namespace {

class FileSinkTest : public ::testing::Test {
 protected:
  FileSinkTest() {
    settings_.id = "file";
    settings_.kind = SinkKind::kFile;
    settings_.file.path = path_;
  }

  Result<std::unique_ptr<Sink>> Make() const { return MakeFileSink(settings_, {clock_, {}, "prod", ""}); }
  static std::vector<RecordPtr> Batch(int first, int last) {
    std::vector<RecordPtr> batch;
    for (int i = first; i <= last; ++i) batch.push_back(SmallRecord(i));
    return batch;
  }
  static std::string Lines(int first, int last, RecordFormat format = RecordFormat::kRaw) {
    std::string lines;
    for (const RecordPtr& record : Batch(first, last)) lines += JsonOf(*record, {format, "prod"}) + "\n";
    return lines;
  }

  FakeClock clock_;
  TempDir dir_;
  const std::filesystem::path path_ = dir_.path() / "events.json";
  SinkSettings settings_;
};

TEST_F(FileSinkTest, WritesOneLineForEachRecord) {
  const auto sink = Make().value();
  ASSERT_TRUE(sink->Send(Batch(1, 3), {}));
  ASSERT_TRUE(sink->Send(Batch(4, 4), {}));
  EXPECT_EQ(ContentOf(path_), Lines(1, 4));
}

TEST_F(FileSinkTest, WritesTheFormatThatIsAskedFor) {
  settings_.format = RecordFormat::kFlat;
  ASSERT_TRUE(Make().value()->Send(Batch(1, 2), {}));
  EXPECT_EQ(ContentOf(path_), Lines(1, 2, RecordFormat::kFlat));
}

TEST_F(FileSinkTest, OpensNothingBeforeTheFirstBatch) {
  const auto sink = Make().value();
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(FileSinkTest, RotatesAsTheSettingsSay) {
  settings_.file.max_bytes = Lines(1, 2).size();
  settings_.file.max_files = 1;
  const auto sink = Make().value();
  for (int i = 1; i <= 5; ++i) ASSERT_TRUE(sink->Send(Batch(i, i), {}));
  EXPECT_EQ(ContentOf(path_), Lines(5, 5));
  EXPECT_EQ(ContentOf(path_.string() + ".1"), Lines(3, 4));
}

TEST_F(FileSinkTest, OpensTheFileAnewOnRequest) {
  const auto sink = Make().value();
  ASSERT_TRUE(sink->Send(Batch(1, 1), {}));
  SetContent(path_, "torn by somebody");
  sink->Reopen();
  ASSERT_TRUE(sink->Send(Batch(2, 2), {}));
  EXPECT_EQ(ContentOf(path_), "torn by somebody\n" + Lines(2, 2));
}

TEST_F(FileSinkTest, AFullDiskIsAReasonToTryAgain) {
  const auto sink = Make().value();
  ASSERT_TRUE(sink->Send(Batch(1, 1), {}));
  {
    const FileSizeLimit limit(Lines(1, 2).size());
    const auto sent = sink->Send(Batch(2, 3), {});
    ASSERT_FALSE(sent);
    EXPECT_EQ(sent.error().kind, ErrorKind::kRetry);
    EXPECT_EQ(ContentOf(path_), Lines(1, 1));
  }
  ASSERT_TRUE(sink->Send(Batch(2, 3), {}));
  EXPECT_EQ(ContentOf(path_), Lines(1, 3));
}

TEST_F(FileSinkTest, WritesNothingAfterAStop) {
  std::stop_source stop;
  stop.request_stop();
  SendLimits limits;
  limits.stop = stop.get_token();
  const auto sent = Make().value()->Send(Batch(1, 1), limits);
  ASSERT_FALSE(sent);
  EXPECT_EQ(sent.error().kind, ErrorKind::kCancelled);
  EXPECT_EQ(ContentOf(path_), "");
}

TEST_F(FileSinkTest, SettingsThatCannotWorkAreRefused) {
  for (const std::filesystem::path& path : {std::filesystem::path(), dir_.path(), dir_.path() / ""}) {
    settings_.file.path = path;
    ASSERT_FALSE(Make()) << path;
    EXPECT_EQ(Make().error().kind, ErrorKind::kConfiguration);
  }
  settings_.file.path = path_;
  settings_.file.max_files = -1;
  EXPECT_FALSE(Make());
}

}  // namespace
}  // namespace kube_events::testing
