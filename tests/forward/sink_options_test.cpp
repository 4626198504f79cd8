// The table of options, and what docs/forwarding.md says of it.
#include "forward/sink_options.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "metrics/source_file.h"

namespace kube_events {
namespace {

// The rows of the chapter "Options".
std::vector<std::string> DocumentedRows() {
  std::istringstream page(ReadSourceFile("docs/forwarding.md"));
  std::vector<std::string> rows;
  bool inside = false;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("## ")) inside = line == "## Options";
    if (inside && line.starts_with("| `")) rows.push_back(line);
  }
  return rows;
}

TEST(SinkOptionsTest, TheDocumentationHasOneRowPerOptionAndNoOther) {
  const std::vector<std::string> rows = DocumentedRows();
  for (const SinkOption& option : SinkOptions()) {
    const std::string value = option.default_value.empty() ? "\u2013" : std::string(option.default_value);
    const std::string start = "| `" + std::string(option.name) + "` | " + std::string(option.value) + " | " +
                              SchemesText(option.schemes) + " | " + value + " | ";
    EXPECT_EQ(std::count_if(rows.begin(), rows.end(), [&](const auto& row) { return row.starts_with(start); }), 1)
        << "a row that starts with: " << start;
  }
  EXPECT_EQ(rows.size(), SinkOptions().size()) << "docs/forwarding.md has rows of options that do not exist";
}

TEST(SinkOptionsTest, NamesAreDistinct) {
  for (const SinkOption& option : SinkOptions()) EXPECT_EQ(FindSinkOption(option.name), &option) << option.name;
  EXPECT_EQ(FindSinkOption(""), nullptr);
}

TEST(SinkOptionsTest, DefaultsAreThoseOfTheTable) {
  SinkSettings set;
  for (const SinkOption& option : SinkOptions()) {
    // What is not a value but a description of one.
    if (option.default_value.empty() || option.default_value.starts_with("--") ||
        std::string_view("all|the URL|the host|the system's").find(option.default_value) != std::string_view::npos) {
      continue;
    }
    EXPECT_TRUE(option.apply(set, {std::string(option.default_value)})) << option.name;
  }
  const SinkSettings defaults;
  EXPECT_EQ(set.format, defaults.format);
  EXPECT_EQ(set.batch_records, defaults.batch_records);
  EXPECT_EQ(set.batch_bytes, defaults.batch_bytes);
  EXPECT_EQ(set.batch_wait, defaults.batch_wait);
  EXPECT_EQ(set.timeout, defaults.timeout);
  EXPECT_EQ(set.queue_records, defaults.queue_records);
  EXPECT_EQ(set.queue_bytes, defaults.queue_bytes);
  EXPECT_EQ(set.file.max_bytes, defaults.file.max_bytes);
  EXPECT_EQ(set.file.max_files, defaults.file.max_files);
  EXPECT_EQ(set.http.gzip, defaults.http.gzip);
  EXPECT_EQ(set.http.tls.insecure_skip_verify, defaults.http.tls.insecure_skip_verify);
  EXPECT_EQ(set.forward.tag, defaults.forward.tag);
}

// The value beside one end of a range; "64Mi" and 1 give "65Mi".
std::string Beside(const std::string& end, long long distance) {
  std::size_t digits = 0;
  const long long number = std::stoll(end, &digits);
  return std::to_string(number + distance) + end.substr(digits);
}

TEST(SinkOptionsTest, TheRangesOfTheDocumentationAreThoseThatAreTaken) {
  const std::regex range("\\b([0-9]+(?:ms|s|m|h|Ki|Mi|Gi)?) to ([0-9]+(?:ms|s|m|h|Ki|Mi|Gi)?)\\b");
  int ranges = 0;
  for (const std::string& row : DocumentedRows()) {
    std::smatch ends;
    if (!std::regex_search(row, ends, range)) continue;
    ++ranges;
    const SinkOption* option = FindSinkOption(row.substr(3, row.find('`', 3) - 3));
    ASSERT_NE(option, nullptr) << row;
    SinkSettings settings;
    for (const std::string& end : {ends.str(1), ends.str(2)}) {
      EXPECT_TRUE(option->apply(settings, {end})) << row << ": " << end;
    }
    for (const std::string& beyond : {Beside(ends.str(1), -1), Beside(ends.str(2), 1)}) {
      EXPECT_FALSE(option->apply(settings, {beyond})) << row << ": " << beyond;
    }
  }
  EXPECT_EQ(ranges, 8) << "of this form: 1 to 1000";
}

TEST(SinkOptionsTest, SchemesAreNamedInTheOrderOfTheDocumentation) {
  EXPECT_EQ(SchemesText(kAllSchemes), "all");
  EXPECT_EQ(SchemesText(kHttpScheme | kHttpsScheme), "http, https");
  EXPECT_EQ(SchemesText(kForwardTlsScheme | kFileScheme), "file, forward+tls");
}

}  // namespace
}  // namespace kube_events
