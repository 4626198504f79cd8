#include "kube_events/supervisor/fluent_bit_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kube_events {
namespace {

using testing::ElementsAre;

ConfigText Read(ConfigKind kind, std::string_view text) {
  const auto config = ReadConfigText(kind, text);
  EXPECT_TRUE(config) << text;
  return config ? *config : ConfigText{};
}

TEST(FluentBitConfigTest, TheKindFollowsFromTheName) {
  EXPECT_EQ(KindOf("/a/fluent-bit.yaml"), ConfigKind::kYaml);
  EXPECT_EQ(KindOf("x.yml"), ConfigKind::kYaml);
  EXPECT_EQ(KindOf("/a/fluent-bit.conf"), ConfigKind::kClassic);
}

TEST(FluentBitConfigTest, ClassicFilesTellIncludesFilesAndTheService) {
  const ConfigText config = Read(ConfigKind::kClassic,
                                 "# comment\n@SET port=2021\n@INCLUDE conf.d/*.conf\r\n[SERVICE]\n"
                                 "    Parsers_File  parsers.conf\n    parsers_file other.conf\n  HTTP_Server On\n"
                                 "[INPUT]\n    Name tail\n    http_port 1\n");
  EXPECT_THAT(config.includes, ElementsAre("conf.d/*.conf"));
  EXPECT_THAT(config.files, ElementsAre("parsers.conf", "other.conf"));
  EXPECT_EQ(config.service.at("http_server"), "On");
  EXPECT_FALSE(config.service.contains("http_port")) << "that belongs to an input";
  EXPECT_EQ(config.variables.at("port"), "2021");
  EXPECT_FALSE(config.empty);
}

TEST(FluentBitConfigTest, YamlFilesTellTheSame) {
  const ConfigText config =
      Read(ConfigKind::kYaml,
           "env:\n  port: 2021\nincludes:\n  - a.yaml\n  - b/*.yaml\nservice:\n  HTTP_Server: on\n"
           "  parsers_file:\n    - p.conf\n    - q.conf\n");
  EXPECT_THAT(config.includes, ElementsAre("a.yaml", "b/*.yaml"));
  EXPECT_THAT(config.files, ElementsAre("p.conf", "q.conf"));
  EXPECT_EQ(config.service.at("http_server"), "on");
  EXPECT_EQ(config.variables.at("port"), "2021");
}

TEST(FluentBitConfigTest, NothingButCommentsAndIncludesIsEmpty) {
  for (const char* text : {"", " \n\t\n", "# only\n", "@INCLUDE x.conf\n"}) {
    EXPECT_TRUE(Read(ConfigKind::kClassic, text).empty) << text;
  }
  for (const char* text : {"", "# only\n", "{}", "includes:\n  - x.yaml\n"}) {
    EXPECT_TRUE(Read(ConfigKind::kYaml, text).empty) << text;
  }
  EXPECT_FALSE(Read(ConfigKind::kYaml, "pipeline: {}\n").empty);
}

TEST(FluentBitConfigTest, YamlThatCannotBeReadIsAFailureAndOtherShapesAreNot) {
  EXPECT_FALSE(ReadConfigText(ConfigKind::kYaml, "a: [b\n"));
  for (const char* text : {"- a\n- b\n", "text", "service: 5\nincludes: {a: b}\nenv: [1]\n", "[1, 2]: x\n"}) {
    EXPECT_TRUE(ReadConfigText(ConfigKind::kYaml, text)) << text;
  }
}

TEST(FluentBitConfigTest, VariablesAreExpanded) {
  const auto lookup = [](const std::string& name) { return name == "A" ? std::string("x") : std::string(); };
  EXPECT_EQ(ExpandVariables("/${A}/${B}.conf", lookup), "/x/.conf");
  EXPECT_EQ(ExpandVariables("${A", lookup), "${A");
  EXPECT_EQ(ExpandVariables("", lookup), "");
}

TEST(FluentBitConfigTest, TheServerIsWhereServiceAndArgumentsSay) {
  EXPECT_FALSE(SettingsOf({}, {}).http);
  const auto on = SettingsOf({{"http_server", "On"}}, {});
  EXPECT_TRUE(on.http);
  EXPECT_EQ(on.host, "127.0.0.1");
  EXPECT_EQ(on.port, 2020);
  EXPECT_EQ(SettingsOf({{"http_port", "99999"}}, {}).port, 2020);
  EXPECT_EQ(SettingsOf({{"http_listen", "::"}}, {}).host, "::1");
  EXPECT_EQ(SettingsOf({{"http_listen", "10.0.0.1"}}, {}).host, "10.0.0.1");
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"-H", "-P", "2021"}, {"--http", "--port=2021"}, {"-H", "-P2021"}}) {
    const auto settings = SettingsOf({{"http_port", "3000"}}, arguments);
    EXPECT_TRUE(settings.http);
    EXPECT_EQ(settings.port, 2021) << arguments[1];
  }
}

TEST(FluentBitConfigTest, TheLogShowsReloadsOnlyOnStderrWithLevelInfoOrMore) {
  EXPECT_TRUE(SettingsOf({}, {}).log_visible);
  EXPECT_TRUE(SettingsOf({{"log_level", "DEBUG"}}, {}).log_visible);
  EXPECT_FALSE(SettingsOf({{"log_level", "error"}}, {}).log_visible);
  EXPECT_FALSE(SettingsOf({{"log_file", "/x"}}, {}).log_visible);
  EXPECT_FALSE(SettingsOf({}, {"-q"}).log_visible);
  EXPECT_FALSE(SettingsOf({}, {"--log_file=/x"}).log_visible);
}

}  // namespace
}  // namespace kube_events
