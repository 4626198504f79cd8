#include "kube_events/app/exporter_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <regex>

namespace kube_events {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

class ExporterOptionsTest : public testing::Test {
 protected:
  Result<ParsedCommandLine> Parse(std::vector<const char*> arguments) {
    arguments.insert(arguments.begin(), "kube-events-exporter");
    return ParseExporterCommandLine(arguments, [this](const std::string& name) -> std::optional<std::string> {
      const auto found = environment_.find(name);
      return found == environment_.end() ? std::nullopt : std::optional(found->second);
    });
  }
  ExporterOptions Options(std::vector<const char*> arguments) {
    auto parsed = Parse(std::move(arguments));
    EXPECT_TRUE(parsed) << (parsed ? "" : parsed.error().message);
    return parsed ? parsed->options : ExporterOptions{};
  }
  std::string Complaint(std::vector<const char*> arguments) {
    const auto parsed = Parse(std::move(arguments));
    EXPECT_FALSE(parsed);
    return parsed ? "" : parsed.error().message;
  }

  std::map<std::string, std::string> environment_;
};

TEST_F(ExporterOptionsTest, DefaultsAreThoseOfTheTable) {
  ExporterOptions defaults;
  for (const FlagSpec& flag : ExporterFlags()) {
    // What is not a value but a description of one.
    if (flag.default_value.empty() ||
        std::string_view("all|same server|as --host|all interfaces|$KUBECONFIG|current-context")
                .find(flag.default_value) != std::string_view::npos) {
      continue;
    }
    EXPECT_TRUE(flag.apply(defaults, {std::string(flag.default_value)})) << flag.name;
  }
  const ExporterOptions parsed = Options({});
  EXPECT_EQ(parsed.port, defaults.port);
  EXPECT_EQ(parsed.event_api, defaults.event_api);
  EXPECT_EQ(parsed.list_page_size, defaults.list_page_size);
  EXPECT_EQ(parsed.watch_interval, defaults.watch_interval);
  EXPECT_EQ(parsed.sync_period, defaults.sync_period);
  EXPECT_EQ(parsed.max_cached_events, defaults.max_cached_events);
  EXPECT_EQ(parsed.max_series, defaults.max_series);
  EXPECT_FALSE(parsed.KeepsCheckpoint());
  EXPECT_EQ(parsed.checkpoint_interval, defaults.checkpoint_interval);
  EXPECT_EQ(parsed.leader_elect, defaults.leader_elect);
  EXPECT_EQ(parsed.leader_elect_lease_namespace, defaults.leader_elect_lease_namespace);
  EXPECT_EQ(parsed.leader_elect_lease_name, defaults.leader_elect_lease_name);
  EXPECT_EQ(parsed.leader_elect_lease_duration, defaults.leader_elect_lease_duration);
  EXPECT_EQ(parsed.leader_elect_renew_deadline, defaults.leader_elect_renew_deadline);
  EXPECT_EQ(parsed.leader_elect_retry_period, defaults.leader_elect_retry_period);
  EXPECT_EQ(parsed.log_level, defaults.log_level);
  EXPECT_EQ(parsed.log_format, defaults.log_format);
}

TEST_F(ExporterOptionsTest, ReadsEveryKindOfValue) {
  const ExporterOptions options =
      Options({"--port=9000", "--watch-interval", "90s", "--event-api", "events.k8s.io/v1", "--max-series", "5",
               "--log-format", "json", "--label-selector", "a=b,c=d", "--exporter-port", "0"});
  EXPECT_EQ(options.port, 9000);
  EXPECT_EQ(options.watch_interval, 90s);
  EXPECT_EQ(options.event_api, EventApi::kEventsV1);
  EXPECT_EQ(options.max_series, 5U);
  EXPECT_EQ(options.log_format, LogFormat::kJson);
  EXPECT_EQ(options.label_selector, "a=b,c=d");
  EXPECT_EQ(options.exporter_port, 0);
}

TEST_F(ExporterOptionsTest, ListsComeByRepetitionAndByCommas) {
  EXPECT_THAT(Options({"--reasons", "A,B", "--reasons=!C"}).reasons, ElementsAre("A", "B", "!C"));
  EXPECT_THAT(Options({"--namespaces", "a,b", "--namespaces", "a"}).namespaces, ElementsAre("a", "b"));
}

TEST_F(ExporterOptionsTest, ASwitchTakesNoValueFromTheNextArgument) {
  EXPECT_TRUE(Options({"--leader-elect", "--port", "1"}).leader_elect);
  EXPECT_TRUE(Options({"--leader-elect=true"}).leader_elect);
  EXPECT_FALSE(Options({"--leader-elect=false"}).leader_elect);
  EXPECT_THAT(Complaint({"--leader-elect", "false"}), HasSubstr("false"));
  EXPECT_THAT(Complaint({"--leader-elect="}), HasSubstr("--leader-elect"));
  environment_ = {{"KUBE_EVENTS_EXPORTER_LEADER_ELECT", "true"}};
  EXPECT_TRUE(Options({}).leader_elect);
  EXPECT_FALSE(Options({"--leader-elect=false"}).leader_elect);
}

TEST_F(ExporterOptionsTest, ALeaseMayNameItsNamespace) {
  const ExporterOptions both = Options({"--leader-elect-lease", "mon/exporter.a-1"});
  EXPECT_EQ(both.leader_elect_lease_namespace, "mon");
  EXPECT_EQ(both.leader_elect_lease_name, "exporter.a-1");
  EXPECT_EQ(Options({"--leader-elect-lease=exporter"}).leader_elect_lease_namespace, "");
  for (const char* bad : {"", "/", "a/", "/a", "a/b/c", "A", "a_b", "-a", "a.b/c", "a/b-"}) {
    EXPECT_THAT(Complaint({"--leader-elect-lease", bad}), HasSubstr("write NAMESPACE/NAME or NAME")) << bad;
  }
}

TEST_F(ExporterOptionsTest, ACheckpointHasAPlace) {
  const ExporterOptions map = Options({"--checkpoint", "configmap:mon/state"});
  EXPECT_EQ(map.checkpoint_config_map_namespace, "mon");
  EXPECT_EQ(map.checkpoint_config_map, "state");
  EXPECT_TRUE(map.KeepsCheckpoint());
  EXPECT_EQ(Options({"--checkpoint", "configmap:state"}).checkpoint_config_map_namespace, "");
  const ExporterOptions file = Options({"--checkpoint=file:/var/lib/state.json", "--checkpoint-interval", "1m"});
  EXPECT_EQ(file.checkpoint_file, "/var/lib/state.json");
  EXPECT_EQ(file.checkpoint_interval, std::chrono::minutes{1});
  EXPECT_FALSE(Options({"--checkpoint", "none"}).KeepsCheckpoint());
  for (const char* bad : {"", "file:", "file", "configmap:", "configmap:A/b", "secret:a/b", "/path"}) {
    EXPECT_THAT(Complaint({"--checkpoint", bad}), HasSubstr("--checkpoint")) << bad;
  }
}

TEST_F(ExporterOptionsTest, TimesThatCannotKeepTwoLeadersApartAreRefused) {
  EXPECT_THAT(Complaint({"--leader-elect-lease-duration", "10s"}),
              HasSubstr("--leader-elect-lease-duration: has to be longer than --leader-elect-renew-deadline"));
  EXPECT_THAT(Complaint({"--leader-elect-retry-period", "9s"}), HasSubstr("--leader-elect-renew-deadline: has to be"));
}

TEST_F(ExporterOptionsTest, AnEmptyElementIsKept) {
  EXPECT_THAT(Options({"--involved-object-namespaces", ""}).involved_object_namespaces, ElementsAre(""));
  EXPECT_THAT(Options({"--involved-object-namespaces="}).involved_object_namespaces, ElementsAre(""));
  EXPECT_THAT(Options({"--involved-object-namespaces", "a,"}).involved_object_namespaces, ElementsAre("a", ""));
}

TEST_F(ExporterOptionsTest, WhatAKubeletSaysOfAServiceOfTheSameNameIsNoFlag) {
  environment_ = {{"KUBE_EVENTS_EXPORTER_SERVICE_HOST", "10.96.12.34"},
                  {"KUBE_EVENTS_EXPORTER_SERVICE_PORT", "8080"},
                  {"KUBE_EVENTS_EXPORTER_PORT", "tcp://10.96.12.34:8080"},
                  {"KUBE_EVENTS_EXPORTER_PORT_8080_TCP", "tcp://10.96.12.34:8080"}};
  EXPECT_EQ(Options({}).port, 8080);
}

TEST_F(ExporterOptionsTest, AnEnvironmentVariableStandsInForAFlagAndTheFlagWins) {
  environment_ = {{"KUBE_EVENTS_EXPORTER_PORT", "9001"}, {"KUBE_EVENTS_EXPORTER_REASONS", "A,B"}};
  EXPECT_EQ(Options({}).port, 9001);
  EXPECT_THAT(Options({}).reasons, ElementsAre("A", "B"));
  EXPECT_EQ(Options({"--port", "9002"}).port, 9002);
}

TEST_F(ExporterOptionsTest, AComplaintNamesTheFlagOrVariableTheValueAndTheRemedy) {
  EXPECT_THAT(Complaint({"--watch-interval", "5x"}),
              testing::AllOf(HasSubstr("--watch-interval"), HasSubstr("5x"), HasSubstr("for example")));
  EXPECT_THAT(Complaint({"--watch-interval", "10ms"}), HasSubstr("from 1s to 24h"));
  EXPECT_THAT(Complaint({"--port", "65536"}), HasSubstr("from 0 to 65535"));
  EXPECT_THAT(Complaint({"--port", "-1"}), HasSubstr("--port"));
  EXPECT_THAT(Complaint({"--port", "http"}), HasSubstr("whole number"));
  EXPECT_THAT(Complaint({"--list-page-size", "0"}), HasSubstr("--list-page-size"));
  EXPECT_THAT(Complaint({"--event-api", "v2"}), HasSubstr("v1 or events.k8s.io/v1"));
  EXPECT_THAT(Complaint({"--log-format", "xml"}), HasSubstr("text, json or logfmt"));
  EXPECT_THAT(Complaint({"--namespaces", "a,,b"}), HasSubstr("leave the flag out"));
  EXPECT_THAT(Complaint({"--namespaces", "Not/A/Name"}), HasSubstr("Not/A/Name"));
  EXPECT_THAT(Complaint({"--namespaces", "shop,-shop"}), HasSubstr("\"-shop\" is no namespace"));
  environment_ = {{"KUBE_EVENTS_EXPORTER_SYNC_PERIOD", "soon"}};
  EXPECT_THAT(Complaint({}), HasSubstr("KUBE_EVENTS_EXPORTER_SYNC_PERIOD"));
}

TEST_F(ExporterOptionsTest, UnknownAndIncompleteFlagsAreOneLineThatPointsToHelp) {
  for (const std::vector<const char*>& arguments :
       {std::vector<const char*>{"--no-such-flag"}, {"--port"}, {"stray"}, {"--port=1", "more"}, {"-x"}}) {
    const std::string complaint = Complaint(arguments);
    EXPECT_THAT(complaint, HasSubstr("--help")) << arguments[0];
    EXPECT_EQ(complaint.find('\n'), std::string::npos) << complaint;
  }
}

TEST_F(ExporterOptionsTest, AComplaintAboutAFlagThatIsNoneNamesItWithoutItsValue) {
  const char* const hook = "https://hooks.example/services/SECRET";
  for (const std::vector<const char*>& arguments :
       {std::vector<const char*>{"--forwards", hook}, {"--forwards=https://hooks.example/services/SECRET"}}) {
    EXPECT_THAT(Complaint(arguments),
                testing::AllOf(HasSubstr("there is no flag --forwards;"), testing::Not(HasSubstr("hooks"))));
  }
  EXPECT_THAT(Complaint({"--port", "1", hook}),
              testing::AllOf(HasSubstr("neither a flag nor the value of one"), testing::Not(HasSubstr("hooks"))));
}

TEST_F(ExporterOptionsTest, AComplaintAboutAValueWithLineBreaksIsOneLine) {
  const std::string complaint = Complaint({"--port=1\n2"});
  EXPECT_THAT(complaint, HasSubstr("--port"));
  EXPECT_EQ(complaint.find('\n'), std::string::npos) << complaint;
}

TEST_F(ExporterOptionsTest, HelpNamesEveryFlagWithItsDefaultAndVersionTheVersion) {
  const std::string help = Parse({"--help"})->text.value();
  for (const FlagSpec& flag : ExporterFlags()) {
    EXPECT_THAT(help, HasSubstr("--" + std::string(flag.name) + " " + std::string(flag.value)));
    EXPECT_THAT(help, HasSubstr(std::string(flag.default_value))) << flag.name;
    EXPECT_THAT(help, HasSubstr(std::string(flag.group)));
  }
  EXPECT_THAT(Parse({"--version"})->text.value(),
              testing::ContainsRegex("kube-events-exporter [0-9]+\\.[0-9]+\\.[0-9]+ "));
}

TEST_F(ExporterOptionsTest, TheDocumentationHasOneRowPerFlagAndNoOther) {
  std::ifstream file(KUBE_EVENTS_SOURCE_DIR "/docs/cli.md");
  ASSERT_TRUE(file) << "docs/cli.md is missing";
  std::vector<std::string> rows;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("| `--")) rows.push_back(line);
  }
  std::size_t found = 0;
  for (const FlagSpec& flag : ExporterFlags()) {
    const std::string value = flag.default_value.empty() ? "\u2013" : std::string(flag.default_value);
    const std::string written = std::string(flag.name) + (flag.value.empty() ? "" : " ") + std::string(flag.value);
    const std::string start = "| `--" + written + "` | `" + EnvironmentName(flag) + "` | " + value + " | ";
    const auto matches =
        std::count_if(rows.begin(), rows.end(), [&](const auto& row) { return row.starts_with(start); });
    EXPECT_EQ(matches, 1) << "a row that starts with: " << start;
    found += static_cast<std::size_t>(matches);
  }
  EXPECT_EQ(found, rows.size()) << "docs/cli.md has rows of flags that do not exist";
}

// The value beside one end of a range; "24h" and 1 give "25h".
std::string Beside(const std::string& end, long long distance) {
  std::size_t digits = 0;
  const long long number = std::stoll(end, &digits);
  return std::to_string(number + distance) + end.substr(digits);
}

TEST_F(ExporterOptionsTest, TheRangesOfTheDocumentationAreThoseThatAreTaken) {
  const std::regex range("\\b([0-9]+(?:ms|s|m|h)?) to ([0-9]+(?:ms|s|m|h)?)\\b");
  std::ifstream file(KUBE_EVENTS_SOURCE_DIR "/docs/cli.md");
  int ranges = 0;
  for (std::string line; std::getline(file, line);) {
    std::smatch ends;
    if (!line.starts_with("| `--") || !std::regex_search(line, ends, range)) continue;
    ++ranges;
    const std::string name = line.substr(5, line.find_first_of(" `", 5) - 5);
    const auto flags = ExporterFlags();
    const auto flag = std::find_if(flags.begin(), flags.end(), [&](const FlagSpec& spec) { return spec.name == name; });
    ASSERT_NE(flag, flags.end()) << name;
    ExporterOptions options;
    for (const std::string& end : {ends.str(1), ends.str(2)}) {
      EXPECT_TRUE(flag->apply(options, {end})) << line << ": " << end;
    }
    for (const std::string& beyond : {Beside(ends.str(1), -1), Beside(ends.str(2), 1)}) {
      EXPECT_FALSE(flag->apply(options, {beyond})) << line << ": " << beyond;
    }
  }
  EXPECT_GE(ranges, 5) << "of this form: 1s to 24h";
}

}  // namespace
}  // namespace kube_events
