// Whoever copies a sink out of the documentation or the manifests gets one that is taken.
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "kube_events/forward/sink_settings.h"
#include "metrics/source_file.h"

namespace kube_events {
namespace {

constexpr const char* kPages[] = {"README.md", "docs/forwarding.md", "docs/migration-from-sumologic.md"};

// What stands in quotes behind --forward.
std::vector<std::string> UrlsOf(const std::string& page) {
  const std::regex pattern("--forward '([^']*)'");
  std::vector<std::string> urls;
  for (std::sregex_iterator found(page.begin(), page.end(), pattern), end; found != end; ++found) {
    urls.push_back((*found)[1]);
  }
  return urls;
}

// The blocks of YAML that are files of --forward-config: their list of sinks tells them from configurations of Vector.
std::vector<std::string> FilesOf(const std::string& page) {
  const std::regex pattern("```yaml\n(sinks:\n *- [^`]*)```");
  std::vector<std::string> files;
  for (std::sregex_iterator found(page.begin(), page.end(), pattern), end; found != end; ++found) {
    files.push_back((*found)[1]);
  }
  return files;
}

// With the sinks that are only there as comments: "  # - name: x" and the lines below it.
std::string WithExamples(const std::string& file) {
  return std::regex_replace(file, std::regex("\n  # (- |  )"), "\n  $1");
}

TEST(ForwardDocsTest, EveryUrlOfTheDocumentationIsTaken) {
  std::size_t urls = 0;
  for (const char* page : kPages) {
    for (const std::string& url : UrlsOf(ReadSourceFile(page))) {
      const auto sink = ParseSinkUrl(url, {});
      EXPECT_TRUE(sink) << page << ": " << sink.error().message;
      ++urls;
    }
  }
  EXPECT_GE(urls, 10U) << "the pages have more, so they are not found";
}

TEST(ForwardDocsTest, EveryFileOfTheDocumentationIsTaken) {
  std::size_t files = 0;
  for (const char* page : kPages) {
    for (const std::string& file : FilesOf(ReadSourceFile(page))) {
      const auto sinks = ParseForwardConfig(file, page, {});
      EXPECT_TRUE(sinks) << sinks.error().message << "\n" << file;
      ++files;
    }
  }
  EXPECT_GE(files, 2U) << "the pages have more, so they are not found";
}

TEST(ForwardDocsTest, TheFileOfTheManifestsIsTakenAlsoWithItsExamples) {
  const std::string file = ReadSourceFile("manifests/forwarding/forward.yaml");
  const auto sinks = ParseForwardConfig(file, "forward.yaml", {});
  ASSERT_TRUE(sinks) << sinks.error().message;
  EXPECT_EQ(sinks->size(), 1U);
  const auto more = ParseForwardConfig(WithExamples(file), "forward.yaml", {});
  ASSERT_TRUE(more) << more.error().message << WithExamples(file);
  EXPECT_EQ(more->size(), 3U);
}

}  // namespace
}  // namespace kube_events
