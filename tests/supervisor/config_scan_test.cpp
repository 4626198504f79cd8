#include "kube_events/supervisor/config_scan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/temp_dir.h"

namespace kube_events {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class ConfigScanTest : public testing::Test {
 protected:
  ConfigSources Sources() const {
    ConfigSources sources;
    sources.config = dir_.path() / "main.conf";
    sources.watched = watched_;
    sources.environment = [](const std::string& name) {
      return name == "PART" ? std::optional<std::string>("part") : std::nullopt;
    };
    return sources;
  }
  ConfigScan Scan() const { return ScanConfiguration(Sources()); }
  bool Watches(const ConfigScan& scan, const std::string& folder, const std::string& name) {
    const auto found = scan.folders.find(folder.empty() ? dir_.path() : dir_.path() / folder);
    return found != scan.folders.end() && found->second.Includes(name);
  }

  TempDir dir_;
  std::vector<fs::path> watched_;
};

TEST_F(ConfigScanTest, ContentAndStampFollowTheFile) {
  dir_.Write("main.conf", "[SERVICE]\n");
  const auto first = Scan().seen;
  EXPECT_EQ(Scan().seen, first);
  fs::last_write_time(dir_.path() / "main.conf", fs::file_time_type::clock::now() + std::chrono::hours{1});
  const auto touched = Scan().seen;
  EXPECT_EQ(touched.content, first.content);
  EXPECT_NE(touched.stamp, first.stamp);
  dir_.Write("main.conf", "[INPUT]\n");
  EXPECT_NE(Scan().seen.content, first.content);
}

TEST_F(ConfigScanTest, IncludesAreFollowedRelativeToTheMainFileWithVariablesAndPatterns) {
  dir_.Write("main.conf",
             "[SERVICE]\n  parsers_file sub/parsers.conf\n@INCLUDE sub/${PART}.conf\n@INCLUDE more/*.conf\n");
  dir_.Write("sub/part.conf", "@INCLUDE sub/nested.conf\n");
  dir_.Write("sub/nested.conf", "[INPUT]\n");
  dir_.Write("sub/parsers.conf", "[PARSER]\n");
  dir_.Write("more/a.conf", "[INPUT]\n");
  const auto scan = Scan();
  EXPECT_THAT(scan.files,
              ElementsAre(dir_.path() / "main.conf", dir_.path() / "more/a.conf", dir_.path() / "sub/nested.conf",
                          dir_.path() / "sub/parsers.conf", dir_.path() / "sub/part.conf"));
  EXPECT_THAT(scan.warnings, IsEmpty());
  EXPECT_TRUE(Watches(scan, "more", "b.conf")) << "a new file may match";
  EXPECT_TRUE(Watches(scan, "sub", "nested.conf"));
  EXPECT_FALSE(Watches(scan, "sub", "stranger"));
  dir_.Write("more/b.conf", "[OUTPUT]\n");
  EXPECT_NE(Scan().seen.content, scan.seen.content);
}

TEST_F(ConfigScanTest, AMissingIncludeIsAWarningAndItsComingAChange) {
  dir_.Write("main.conf", "[SERVICE]\n@INCLUDE later.conf\n");
  const auto scan = Scan();
  EXPECT_THAT(scan.warnings, ElementsAre(HasSubstr("later.conf: No such file or directory")));
  EXPECT_EQ(scan.seen.refusal, "") << "that is for the check to say";
  dir_.Write("later.conf", "");
  EXPECT_NE(Scan().seen.content, scan.seen.content);
}

TEST_F(ConfigScanTest, FilesThatIncludeEachOtherComeToAnEnd) {
  dir_.Write("main.conf", "[SERVICE]\n@INCLUDE other.conf\n");
  dir_.Write("other.conf", "@INCLUDE main.conf\n");
  EXPECT_EQ(Scan().files.size(), 2U);
}

TEST_F(ConfigScanTest, OnlyAnEmptyWholeIsRefused) {
  EXPECT_THAT(Scan().seen.refusal, HasSubstr("main.conf: No such file"));
  dir_.Write("main.conf", "# nothing\n@INCLUDE part.conf\n");
  dir_.Write("part.conf", "");
  EXPECT_THAT(Scan().seen.refusal, HasSubstr("is empty"));
  dir_.Write("part.conf", "[INPUT]\n");
  EXPECT_EQ(Scan().seen.refusal, "");
}

TEST_F(ConfigScanTest, EveryLinkOnTheWayIsWatched) {
  dir_.Write("versions/1/real.conf", "[SERVICE]\n");
  fs::create_directory_symlink("versions/1", dir_.path() / "current");
  fs::create_symlink("current/real.conf", dir_.path() / "main.conf");
  const auto scan = Scan();
  EXPECT_TRUE(Watches(scan, "", "main.conf"));
  EXPECT_TRUE(Watches(scan, "", "current"));
  EXPECT_TRUE(Watches(scan, "versions/1", "real.conf"));
  EXPECT_FALSE(Watches(scan, "", "something else"));
}

TEST_F(ConfigScanTest, WatchedFoldersCountWithAllBelowButNotTheVersionsOfAVolume) {
  dir_.Write("main.conf", "[SERVICE]\n");
  dir_.Write("extra/deep/file", "1");
  dir_.Write("extra/..2026/file", "1");
  watched_ = {dir_.path() / "extra"};
  const auto scan = Scan();
  EXPECT_THAT(scan.files, ElementsAre(dir_.path() / "extra/deep/file", dir_.path() / "main.conf"));
  EXPECT_TRUE(Watches(scan, "extra/deep", "anything"));
  EXPECT_TRUE(Watches(scan, "", "extra")) << "it may vanish";
}

TEST_F(ConfigScanTest, AHugeFileIsHashedButNotSearched) {
  dir_.Write("main.conf", "[SERVICE]\n");
  fs::resize_file(dir_.path() / "main.conf", 5 * 1024 * 1024);
  const auto scan = Scan();
  EXPECT_THAT(scan.warnings, ElementsAre(HasSubstr("too large to be searched")));
  EXPECT_EQ(scan.seen.refusal, "");
}

// The stamp that polling compares, after one scan of what is there.
class PollingStampTest : public ConfigScanTest {
 protected:
  void Look() { last_ = Scan(); }
  std::uint64_t Stamp() const { return StampOf(Sources(), last_); }

  ConfigScan last_;
};

TEST_F(PollingStampTest, ChangesWithFilesOldAndNew) {
  dir_.Write("main.conf", "[SERVICE]\n");
  fs::create_directory(dir_.path() / "extra");
  watched_ = {dir_.path() / "extra"};
  Look();
  const auto stamp = Stamp();
  EXPECT_EQ(Stamp(), stamp);
  dir_.Write("extra/deep/new", "1");
  const auto with_new = Stamp();
  EXPECT_NE(with_new, stamp);
  dir_.Write("main.conf", "[SERVICE]\n\n");
  EXPECT_NE(Stamp(), with_new);
}

TEST_F(PollingStampTest, ChangesWithANewFileThatAnIncludeMatches) {
  dir_.Write("main.conf", "@INCLUDE conf.d/*.conf\n");
  dir_.Write("conf.d/a.conf", "[INPUT]\n");
  Look();
  const auto stamp = Stamp();
  EXPECT_EQ(Stamp(), stamp);
  dir_.Write("conf.d/b.conf", "[OUTPUT]\n");
  const auto with_new = Stamp();
  EXPECT_NE(with_new, stamp);
  fs::remove(dir_.path() / "conf.d/b.conf");
  EXPECT_NE(Stamp(), with_new);
}

TEST_F(PollingStampTest, ChangesWhenALinkInAnIncludedFolderLeadsSomewhereAtLast) {
  dir_.Write("main.conf", "@INCLUDE parts/*/*.conf\n");
  dir_.Write("parts/one/a.conf", "[INPUT]\n");
  fs::create_directory_symlink(dir_.path() / "later", dir_.path() / "parts/two");
  Look();
  const auto stamp = Stamp();
  dir_.Write("later/a.conf", "[INPUT]\n");
  EXPECT_NE(Stamp(), stamp);
}

TEST_F(PollingStampTest, DoesNotChangeWithWhatNoIncludeCanMatch) {
  dir_.Write("main.conf", "@INCLUDE conf.d/*.conf\n");
  dir_.Write("conf.d/a.conf", "[INPUT]\n");
  dir_.Write("conf.d/deep/stranger", "1");
  Look();
  const auto stamp = Stamp();
  dir_.Write("conf.d/deep/stranger", "12");
  dir_.Write("conf.d/deep/another", "1");
  EXPECT_EQ(Stamp(), stamp);
}

TEST_F(ConfigScanTest, FoldersThatAPatternMatchesAreWatchedAndThoseThatItMayMatchSoon) {
  dir_.Write("main.conf", "@INCLUDE parts/*/*.conf\n");
  dir_.Write("parts/one/a.conf", "[INPUT]\n");
  dir_.Write("elsewhere/a.conf", "[INPUT]\n");
  fs::create_directory_symlink(dir_.path() / "elsewhere", dir_.path() / "parts/two");
  const auto scan = Scan();
  EXPECT_TRUE(Watches(scan, "parts/one", "b.conf"));
  EXPECT_TRUE(Watches(scan, "parts/two", "b.conf"));
  EXPECT_TRUE(Watches(scan, "parts", "three"));
  EXPECT_FALSE(Watches(scan, "", "stranger"));
}

TEST(HashTextTest, IsSixteenDigits) {
  EXPECT_EQ(HashText(0), "0000000000000000");
  EXPECT_EQ(HashText(0x0123456789abcdefULL), "0123456789abcdef");
}

}  // namespace
}  // namespace kube_events
