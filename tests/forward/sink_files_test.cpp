#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "forward/files.h"
#include "kube/temp_dir.h"
#include "kube_events/forward/sink_settings.h"

namespace kube_events::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<SinkSettings> Sinks(const std::vector<std::string>& urls) {
  std::vector<SinkSettings> sinks;
  for (const std::string& url : urls) {
    auto settings = ParseSinkUrl(url, {});
    EXPECT_TRUE(settings) << url << ": " << (settings ? "" : settings.error().message);
    if (settings) sinks.push_back(std::move(*settings));
  }
  return sinks;
}

// "" where they are taken.
std::string Complaint(const Result<void>& checked) {
  if (checked) return {};
  EXPECT_EQ(checked.error().kind, ErrorKind::kConfiguration);
  EXPECT_EQ(checked.error().message.find('\n'), std::string::npos) << checked.error().message;
  return checked.error().message;
}
std::string Together(const std::vector<std::string>& urls) { return Complaint(CheckDistinctSinks(Sinks(urls))); }
std::string Alone(const std::string& url) { return Complaint(CheckSinkFiles(Sinks({url}))); }

class SinkFilesTest : public ::testing::Test {
 protected:
  std::string Url(const std::string& name, const std::string& options = "name=one") const {
    return "file://" + (dir_.path() / name).string() + "?" + options;
  }
  std::string At(const std::string& name) const { return (dir_.path() / name).string(); }

  TempDir dir_;
};

TEST(DistinctSinksTest, TwoOfOneIdAreRefused) {
  EXPECT_EQ(Together({"stdout:", "file:///a/b", "http://h/", "http://h/?name=warnings&event-types=Warning"}), "");
  EXPECT_THAT(Together({"stdout:", "file:///a/b", "stdout:"}),
              AllOf(HasSubstr("\"stdout:\""), HasSubstr("option name")));
}

TEST(DistinctSinksTest, AComplaintDoesNotShowThePathOfAUrl) {
  EXPECT_THAT(Together({"https://h/services/SECRET", "https://h/services/SECRET"}),
              AllOf(HasSubstr("\"https://h/...\""), Not(HasSubstr("SECRET"))));
  EXPECT_THAT(Together({"https://h/SECRET?dead-letter=/d/x", "file:///d/x"}),
              AllOf(HasSubstr("both write /d/x"), Not(HasSubstr("SECRET"))));
}

TEST(DistinctSinksTest, TwoThatWriteStandardOutputAreRefused) {
  EXPECT_THAT(Together({"stdout:?name=a", "http://h/", "stdout:?name=b&event-types=Warning"}),
              HasSubstr("two sinks write standard output"));
}

TEST(DistinctSinksTest, TwoThatWriteOneFileAreRefusedAlsoWhereOneRotatesIt) {
  const std::string all = "give each a file of its own";
  EXPECT_THAT(Together({"file:///a/b", "file:///a/./b?name=other"}), HasSubstr(all));
  EXPECT_THAT(Together({"file:///a/b?name=x&max-files=2", "file:///a/b.2?name=y"}),
              AllOf(HasSubstr("sinks \"x\" and \"y\" both write /a/b.2"), HasSubstr(all)));
  EXPECT_THAT(Together({"file:///a/b.1?name=y", "file:///a/b?name=x&max-files=2"}), HasSubstr(all));
  EXPECT_THAT(Together({"file:///a/b?name=x", "file:///a/b.1?name=y&max-bytes=0"}), HasSubstr(all));
  EXPECT_EQ(Together({"file:///a/b?name=x&max-files=2", "file:///a/b.3?name=y"}), "");
  EXPECT_EQ(Together({"file:///a/b?name=x&max-bytes=0", "file:///a/b.1?name=y"}), "");
}

TEST(DistinctSinksTest, DeadLetterFilesAreFilesToo) {
  EXPECT_THAT(Together({"file:///a/b?dead-letter=/a/b"}), HasSubstr("writes /a/b twice"));
  EXPECT_THAT(Together({"file:///a/b?name=x&dead-letter=/a/b.4"}), HasSubstr("sink \"x\" writes /a/b.4 twice"));
  EXPECT_THAT(Together({"http://a/?dead-letter=/d/x", "http://b/?dead-letter=/d//x"}), HasSubstr("both write /d/x"));
  EXPECT_THAT(Together({"http://a/?dead-letter=/d/x", "file:///d/x.1"}), HasSubstr("both write /d/x.1"));
  EXPECT_EQ(Together({"http://a/?dead-letter=/d/x", "http://b/?dead-letter=/d/y"}), "");
}

TEST_F(SinkFilesTest, ASymbolicLinkIsTheFileThatItLeadsTo) {
  fs::create_directory_symlink(dir_.path(), At("folder"));
  fs::create_symlink("real", At("link"));  // which is not there yet
  EXPECT_THAT(Together({Url("real"), Url("link", "name=two")}), HasSubstr(At("real")));
  EXPECT_THAT(Together({Url("real"), Url("folder/real", "name=two")}), HasSubstr(At("real")));
  EXPECT_THAT(Together({Url("link"), Url("real.1", "name=two")}), HasSubstr(At("real.1")));
  EXPECT_EQ(Together({Url("link"), Url("link.1", "name=two")}), "");
}

TEST_F(SinkFilesTest, RegularFilesAreTakenWhetherTheyAreThereOrNot) {
  SetContent(At("there"), "x\n");
  fs::create_symlink("there", At("link"));
  fs::create_symlink("none", At("dangling"));
  for (const char* name : {"there", "new", "link", "dangling"}) EXPECT_EQ(Alone(Url(name)), "") << name;
  EXPECT_FALSE(fs::exists(At("new")));
  EXPECT_EQ(ContentOf(At("there")), "x\n");
}

TEST_F(SinkFilesTest, DevicesAreRefusedAlsoBehindLinksAndAsDeadLetterFiles) {
  fs::create_symlink("/dev/stderr", At("link"));
  const std::vector<std::string> urls = {"file:///dev/stderr",
                                         "file:///dev/null",
                                         "file:///proc/self/fd/1",
                                         "file:///tmp/../dev/stdout",
                                         "http://h/?dead-letter=/dev/stderr",
                                         Url("link")};
  for (const std::string& url : urls) EXPECT_THAT(Alone(url), HasSubstr("use stdout:")) << url;
}

TEST_F(SinkFilesTest, WhatIsNoRegularFileIsRefused) {
  ASSERT_EQ(::mkfifo(At("pipe").c_str(), 0600), 0);
  EXPECT_THAT(Alone(Url("pipe")), AllOf(HasSubstr("sink \"one\""), HasSubstr(At("pipe") + " is not a regular file")));
  EXPECT_THAT(Alone("file://" + dir_.path().string()), HasSubstr("is a folder; name a file in it"));
  EXPECT_THAT(Alone("http://h/?dead-letter=" + dir_.path().string()), HasSubstr("is a folder"));
}

TEST_F(SinkFilesTest, AFolderThatIsMissingIsNamed) {
  const std::string missing = "the folder " + At("none") + " of ";
  EXPECT_THAT(Alone(Url("none/file")), AllOf(HasSubstr(missing), HasSubstr("create it")));
  EXPECT_THAT(Alone("https://h/SECRET?dead-letter=" + At("none/dead")),
              AllOf(HasSubstr(missing), Not(HasSubstr("SECRET"))));
}

}  // namespace
}  // namespace kube_events::testing
