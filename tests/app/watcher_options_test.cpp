#include "kube_events/app/watcher_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>

namespace kube_events {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class WatcherOptionsTest : public testing::Test {
 protected:
  Result<ParsedFlags<WatcherOptions>> Parse(std::vector<const char*> arguments) {
    arguments.insert(arguments.begin(), "fluent-bit-watcher");
    return ParseWatcherCommandLine(arguments, [this](const std::string& name) -> std::optional<std::string> {
      const auto found = environment_.find(name);
      return found == environment_.end() ? std::nullopt : std::optional(found->second);
    });
  }
  WatcherOptions Options(std::vector<const char*> arguments) {
    auto parsed = Parse(std::move(arguments));
    EXPECT_TRUE(parsed) << (parsed ? "" : parsed.error().message);
    return parsed ? parsed->options : WatcherOptions{};
  }
  std::string Complaint(std::vector<const char*> arguments) {
    const auto parsed = Parse(std::move(arguments));
    EXPECT_FALSE(parsed);
    return parsed ? "" : parsed.error().message;
  }

  std::map<std::string, std::string> environment_;
};

TEST_F(WatcherOptionsTest, FlagsAreTakenAsGoTakesThem) {
  const WatcherOptions options = Options({"-b", "/fb", "-c=/etc/x.conf", "--e", "/p.so", "-R", "/parsers",
                                          "-watch-path", "/one", "--watch-path=/two", "-poll", "-poll-interval=2s"});
  EXPECT_EQ(options.binary, "/fb");
  EXPECT_EQ(options.config, "/etc/x.conf");
  EXPECT_EQ(options.external_plugin, "/p.so");
  EXPECT_EQ(options.parsers, "/parsers");
  EXPECT_THAT(options.watch_paths, ElementsAre("/one", "/two"));
  EXPECT_TRUE(options.poll);
  EXPECT_EQ(options.poll_interval, 2s);
  EXPECT_FALSE(Options({"-poll=false"}).poll);
}

TEST_F(WatcherOptionsTest, DefaultsAreThoseOfTheOriginal) {
  const WatcherOptions options = Options({});
  EXPECT_EQ(options.binary, "/fluent-bit/bin/fluent-bit");
  EXPECT_THAT(options.watch_paths, ElementsAre("/fluent-bit/config"));
  EXPECT_FALSE(options.poll);
  EXPECT_EQ(options.poll_interval, 1s);
  EXPECT_EQ(options.port, std::nullopt);
  EXPECT_THAT(options.notices, IsEmpty());
}

TEST_F(WatcherOptionsTest, DefaultsAreThoseOfTheTable) {
  WatcherOptions defaults;
  for (const auto& flag : WatcherFlags()) {
    const std::string value(flag.default_value);
    if (value.empty() || value == "all interfaces" || value == "off" || flag.group.starts_with("Without")) continue;
    EXPECT_TRUE(flag.apply(defaults, {value})) << flag.name;
  }
  const WatcherOptions parsed = Options({});
  EXPECT_EQ(parsed.binary, defaults.binary);
  EXPECT_EQ(parsed.watch_paths, defaults.watch_paths);
  EXPECT_EQ(parsed.poll_interval, defaults.poll_interval);
  EXPECT_EQ(parsed.debounce, defaults.debounce);
  EXPECT_EQ(parsed.rehash_interval, defaults.rehash_interval);
  EXPECT_EQ(parsed.config_wait, defaults.config_wait);
  EXPECT_EQ(parsed.kill_timeout, defaults.kill_timeout);
  EXPECT_EQ(parsed.reload_method, defaults.reload_method);
  EXPECT_EQ(parsed.reload_timeout, defaults.reload_timeout);
  EXPECT_EQ(parsed.exit_on_reload_timeout, defaults.exit_on_reload_timeout);
  EXPECT_EQ(parsed.log_level, defaults.log_level);
}

TEST_F(WatcherOptionsTest, ASwitchTakesNoValueFromTheNextArgument) {
  EXPECT_THAT(Complaint({"-poll", "false"}), HasSubstr("--help"));
}

TEST_F(WatcherOptionsTest, AValueMayLookLikeAFlag) { EXPECT_EQ(Options({"-c", "-poll"}).config, "-poll"); }

TEST_F(WatcherOptionsTest, WhatFollowsTwoDashesBelongsToTheChild) {
  const WatcherOptions options = Options({"-poll", "--", "-c", "--poll=no", "--"});
  EXPECT_THAT(options.child_arguments, ElementsAre("-c", "--poll=no", "--"));
  EXPECT_EQ(options.config, "");
}

TEST_F(WatcherOptionsTest, DeprecatedFlagsAreNotedWhenGiven) {
  EXPECT_THAT(Options({"-exit-on-failure"}).notices, ElementsAre(HasSubstr("-exit-on-failure is deprecated")));
  EXPECT_THAT(Options({"-flb-timeout", "30s"}).notices, ElementsAre(HasSubstr("-flb-timeout is deprecated")));
  EXPECT_THAT(Complaint({"-flb-timeout", "soon"}), HasSubstr("--flb-timeout"));
}

TEST_F(WatcherOptionsTest, AVariableStandsInForAFlagAndTheFlagWins) {
  environment_ = {{"FLUENT_BIT_WATCHER_B", "/env"},
                  {"FLUENT_BIT_WATCHER_POLL", "true"},
                  {"FLUENT_BIT_WATCHER_WATCH_PATH", "/a,/b"}};
  EXPECT_EQ(Options({}).binary, "/env");
  EXPECT_TRUE(Options({}).poll);
  EXPECT_THAT(Options({}).watch_paths, ElementsAre("/a", "/b"));
  EXPECT_EQ(Options({"-b", "/flag"}).binary, "/flag");
}

TEST_F(WatcherOptionsTest, HelpNamesEveryFlagAndVersionTheVersion) {
  for (const char* help_flag : {"--help", "-h"}) {
    const auto parsed = Parse({help_flag});
    ASSERT_TRUE(parsed && parsed->text) << help_flag;
    for (const auto& flag : WatcherFlags()) EXPECT_THAT(*parsed->text, HasSubstr(Dashed(flag.name)));
  }
  EXPECT_THAT(Parse({"--version"})->text.value(), testing::ContainsRegex("fluent-bit-watcher [0-9]+\\.[0-9]+"));
}

TEST_F(WatcherOptionsTest, TheDocumentationHasOneRowPerFlagAndNoOther) {
  std::ifstream file(KUBE_EVENTS_SOURCE_DIR "/docs/fluent-bit-watcher.md");
  ASSERT_TRUE(file) << "docs/fluent-bit-watcher.md is missing";
  std::vector<std::string> rows;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("| `-")) rows.push_back(line);
  }
  std::size_t found = 0;
  for (const auto& flag : WatcherFlags()) {
    const std::string value = flag.value.empty() ? "" : " " + std::string(flag.value);
    const std::string start = "| `" + Dashed(flag.name) + value + "` | `" + WatcherEnvironmentName(flag.name) + "` | " +
                              (flag.default_value.empty() ? "–" : std::string(flag.default_value)) + " | ";
    const auto matches =
        std::count_if(rows.begin(), rows.end(), [&](const auto& row) { return row.starts_with(start); });
    EXPECT_EQ(matches, 1) << "a row that starts with: " << start;
    found += static_cast<std::size_t>(matches);
  }
  EXPECT_EQ(found, rows.size()) << "docs/fluent-bit-watcher.md has rows of flags that do not exist";
}

}  // namespace
}  // namespace kube_events
