// What Prometheus' own tool says about our pages and documented alerts. Debian has it in the package prometheus.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <regex>

#include "kube_events/metrics/event_counters.h"
#include "kube_events/metrics/self_metrics.h"
#include "metrics/source_file.h"

namespace kube_events {
namespace {

struct Outcome {
  int status;
  std::string output;
};

Outcome RunShell(const std::string& command) {
  Outcome outcome{-1, {}};
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return outcome;
  char buffer[4096];
  while (const auto size = fread(buffer, 1, sizeof buffer, pipe)) outcome.output.append(buffer, size);
  const int status = pclose(pipe);
  outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return outcome;
}

class PromtoolTest : public testing::Test {
 protected:
  void SetUp() override {
    if (RunShell("command -v promtool").status != 0) {
      GTEST_SKIP() << "promtool is not installed (Debian package prometheus), so Prometheus' own opinion is not asked";
    }
    std::string pattern = testing::TempDir() + "promtoolXXXXXX";
    directory_ = mkdtemp(pattern.data());
    // Every metric, and label values that have to be cleaned and escaped.
    metrics_.SetSources(
        {[] { return 1.0; }, [] { return 2.0; }, [] { return 3.0; }, [] { return 4.0; }, [] { return 5.0; }});
    metrics_.CountApiError("list", "a\\b\"c\nd\xff");
    counters_.Add({"Normal", "", "Node", "größe \\ \" \n { } , # EOF"}, 1);
    counters_.Add({"Warning", "\xff\xfe", std::string_view("\0", 1), "x y"}, 2);
    for (int i = 0; i < 5; ++i) counters_.Add({.reason = std::to_string(i)}, 3);
  }
  void TearDown() override {
    if (!directory_.empty()) std::filesystem::remove_all(directory_);
  }

  std::string Page(ExpositionFormat format) const {
    const std::vector<const MetricSource*> sources{&counters_, &metrics_};
    return RenderPage(sources, format);
  }
  std::string WriteFile(const std::string& name, const std::string& content) const {
    std::ofstream(directory_ + "/" + name) << content;
    return directory_ + "/" + name;
  }

  EventCounters counters_{4};
  SelfMetrics metrics_{{.version = "1.2.3", .revision = "abc", .scopes = {"all"}}};
  std::string directory_;
};

TEST_F(PromtoolTest, FindsNoFaultWithTheTextPage) {
  const auto outcome = RunShell("promtool check metrics <" + WriteFile("page", Page(ExpositionFormat::kText)));
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.output, "");
}

TEST_F(PromtoolTest, ReadsTheOpenMetricsPage) {
  // This command wants a timestamp behind every sample, and nothing else on top of the format.
  const std::string page = Page(ExpositionFormat::kOpenMetrics);
  const std::string stamped = std::regex_replace(page, std::regex("\n([^#\n][^\n]*)"), "\n$1 1700000000");
  const auto outcome = RunShell("promtool tsdb create-blocks-from openmetrics " + WriteFile("page", stamped) + " " +
                                directory_ + "/blocks");
  EXPECT_EQ(outcome.status, 0) << outcome.output;
  const auto broken =
      RunShell("promtool tsdb create-blocks-from openmetrics " +
               WriteFile("broken", stamped.substr(0, stamped.size() - 6)) + " " + directory_ + "/blocks2");
  EXPECT_NE(broken.status, 0) << "the tool is expected to notice a missing end";
}

TEST_F(PromtoolTest, AcceptsTheDocumentedAlerts) {
  const std::string text = ReadSourceFile("docs/metrics.md");
  const auto begin = text.find("```yaml\n");
  ASSERT_NE(begin, text.npos);
  const auto rules = text.substr(begin + 8, text.find("```", begin + 8) - begin - 8);
  const auto outcome = RunShell("promtool check rules " + WriteFile("rules.yaml", rules));
  EXPECT_EQ(outcome.status, 0) << outcome.output;
}

}  // namespace
}  // namespace kube_events
