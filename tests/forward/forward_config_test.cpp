#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "kube_events/forward/sink_settings.h"

namespace kube_events {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::Pair;

std::vector<SinkSettings> Sinks(const std::string& yaml, const SinkDefaults& defaults = {}) {
  auto sinks = ParseForwardConfig(yaml, "forward.yaml", defaults);
  EXPECT_TRUE(sinks) << (sinks ? "" : sinks.error().message);
  return sinks ? std::move(*sinks) : std::vector<SinkSettings>{};
}

std::string Complaint(const std::string& yaml) {
  const auto sinks = ParseForwardConfig(yaml, "forward.yaml", {});
  EXPECT_FALSE(sinks) << yaml;
  if (sinks) return {};
  EXPECT_EQ(sinks.error().kind, ErrorKind::kConfiguration);
  EXPECT_TRUE(sinks.error().message.starts_with("forward.yaml: ")) << sinks.error().message;
  return sinks.error().message;
}

// The complaint about what stands beside name and url of one sink.
std::string ComplaintAbout(const std::string& options, const std::string& url = "http://h/") {
  return Complaint("sinks:\n- name: one\n  url: " + url + "\n" + options);
}

TEST(ForwardConfigTest, ReadsSinksWithOptionsAndFilters) {
  const auto sinks = Sinks(R"(
sinks:
- name: warnings
  url: https://collector.example:8443/in?source=kube&x=%20
  format: flat
  gzip: true
  batch-records: 100
  timeout: 5s
  header: ["X-Scope: shop", "Accept: application/json, text/plain"]
  bearer-token-file: /run/token
  filter:
    event-types: Warning
    reasons: ["!Pulled", "!Created,!Started"]
- name: archive
  url: file:///var/log/events.json
  max-files: 3
  existing: "true"
)");
  ASSERT_EQ(sinks.size(), 2U);
  EXPECT_EQ(sinks[0].id, "warnings");
  EXPECT_EQ(sinks[0].kind, SinkKind::kHttp);
  EXPECT_EQ(sinks[0].http.url, "https://collector.example:8443/in?source=kube&x=%20");
  EXPECT_EQ(sinks[0].format, RecordFormat::kFlat);
  EXPECT_TRUE(sinks[0].http.gzip);
  EXPECT_EQ(sinks[0].batch_records, 100U);
  EXPECT_EQ(sinks[0].timeout, std::chrono::seconds{5});
  EXPECT_THAT(sinks[0].http.headers,
              ElementsAre(Pair("X-Scope", "shop"), Pair("Accept", "application/json, text/plain")));
  EXPECT_EQ(sinks[0].http.bearer_token_file, "/run/token");
  EXPECT_THAT(sinks[0].filter.event_types, ElementsAre("Warning"));
  EXPECT_THAT(sinks[0].filter.reasons, ElementsAre("!Pulled", "!Created", "!Started"));
  EXPECT_EQ(sinks[1].id, "archive");
  EXPECT_EQ(sinks[1].file.path, "/var/log/events.json");
  EXPECT_EQ(sinks[1].file.max_files, 3);
  EXPECT_TRUE(sinks[1].existing);
}

TEST(ForwardConfigTest, FlagsAreTheDefaults) {
  SinkDefaults defaults;
  defaults.existing = true;
  EXPECT_TRUE(Sinks("sinks: [{name: a, url: 'stdout:'}]", defaults).at(0).existing);
}

TEST(ForwardConfigTest, AnEmptyListIsNoSink) { EXPECT_EQ(Sinks("sinks: []").size(), 0U); }

TEST(ForwardConfigTest, TheOptionQueryIsAddedToTheUrl) {
  EXPECT_EQ(Sinks("sinks: [{name: a, url: 'http://h/?a=b', query: c=d}]").at(0).http.url, "http://h/?a=b&c=d");
}

TEST(ForwardConfigTest, WhatIsNoListOfSinksIsRefused) {
  for (const char* yaml : {"", "[]", "stdout:", "sinks", "sink: []"}) {
    EXPECT_THAT(Complaint(yaml), HasSubstr("write sinks:")) << yaml;
  }
  for (const char* yaml : {"sinks:", "sinks: stdout", "sinks: {name: a}"}) {
    EXPECT_THAT(Complaint(yaml), HasSubstr("sinks is no list")) << yaml;
  }
  EXPECT_THAT(Complaint("sinks: []\nversion: 1"), HasSubstr("\"version\" is unknown"));
  EXPECT_THAT(Complaint("sinks: [\n  {name: ]"), HasSubstr("not valid YAML at line 2"));
  EXPECT_THAT(Complaint("sinks: [stdout]"), HasSubstr("sink 1 (line 1): is no mapping with name and url"));
}

TEST(ForwardConfigTest, NameAndUrlAreNeeded) {
  EXPECT_THAT(Complaint("sinks:\n- url: 'stdout:'"), HasSubstr("sink 1 (line 2): has no name"));
  EXPECT_THAT(Complaint("sinks:\n- name: a"), HasSubstr("sink \"a\" (line 2): has no url"));
  EXPECT_THAT(Complaint("sinks: [{name: a, url: ''}]"), HasSubstr("url is no text"));
  EXPECT_THAT(Complaint("sinks: [{name: a, url: ['stdout:']}, {name: a/b, url: 'stdout:'}]"), HasSubstr("1 to 63"));
}

TEST(ForwardConfigTest, TwoOfOneNameAreRefused) {
  EXPECT_THAT(Complaint("sinks: [{name: a, url: 'stdout:'}, {name: a, url: 'http://h/'}]"),
              HasSubstr("two sinks are called \"a\""));
}

TEST(ForwardConfigTest, NothingOfTheFileIsIgnoredBecauseItIsThereTwice) {
  const std::string one = "sinks: [{name: a, url: 'stdout:'}]\n";
  EXPECT_THAT(Complaint(one + "sinks: [{name: b, url: 'http://h/'}]"),
              HasSubstr("sinks is there twice, again in line 2"));
  EXPECT_THAT(Complaint(one + "---\nsinks: [{name: b, url: 'http://h/'}]"), HasSubstr("several documents"));
  EXPECT_THAT(ComplaintAbout("  filter: {reasons: A}\n  filter: {event-types: Warning}"),
              HasSubstr("filter is given twice"));
  EXPECT_EQ(Sinks("---\n" + one + "...\n").size(), 1U);
  EXPECT_EQ(Sinks("# nothing\n---\n" + one + "---\n# nothing\n").size(), 1U);
}

TEST(ForwardConfigTest, AnExclusionWithoutQuotesIsRefused) {
  for (const auto* value : {"!shop", "[!shop, auth]", "[auth, !shop]", "!shop a"}) {
    EXPECT_THAT(ComplaintAbout("  filter: {involved-object-namespaces: " + std::string(value) + "}"),
                HasSubstr("put it in quotes"))
        << value;
  }
  EXPECT_EQ(Sinks("sinks:\n- name: one\n  url: http://h/\n  filter: {reasons: [\"!A\", '!B']}").size(), 1U);
}

TEST(ForwardConfigTest, WhatIsNoUtf8IsRefused) {
  EXPECT_THAT(ComplaintAbout("", "\"http://h/\xff\""), Not(HasSubstr("\xff")));
  EXPECT_THAT(ComplaintAbout("  gzip: \"\xff\""), Not(HasSubstr("\xff")));
}

TEST(ForwardConfigTest, WhatIsNoOptionIsRefused) {
  EXPECT_THAT(ComplaintAbout("  fromat: raw"), HasSubstr("sink \"one\" (line 2): there is no option \"fromat\""));
  EXPECT_THAT(ComplaintAbout("  gzip: true\n  gzip: true"), HasSubstr("option gzip is given twice"));
  EXPECT_THAT(ComplaintAbout("  url: 'stdout:'"), HasSubstr("option url is given twice"));
  for (const char* value : {"", "{a: b}", "[]", "[[flat]]"}) {
    EXPECT_THAT(ComplaintAbout("  format: " + std::string(value)), HasSubstr("neither a text nor a list")) << value;
  }
  EXPECT_THAT(ComplaintAbout("  format: [raw, flat]"), HasSubstr("option format has several values"));
  EXPECT_THAT(ComplaintAbout("  gzip: yes"), HasSubstr("option gzip: \"yes\" is no switch"));
  EXPECT_THAT(ComplaintAbout("  tag: x"), HasSubstr("of another kind"));
}

TEST(ForwardConfigTest, OptionsThatChooseEventsStandBelowFilter) {
  EXPECT_THAT(ComplaintAbout("  reasons: A"), HasSubstr("option reasons belongs below filter"));
  EXPECT_THAT(ComplaintAbout("  filter: {gzip: true}"), HasSubstr("option gzip does not belong below filter"));
  EXPECT_THAT(ComplaintAbout("  filter: {reason: A}"), HasSubstr("filter has no option \"reason\""));
  EXPECT_THAT(ComplaintAbout("  filter: Warning"), HasSubstr("filter has no options below it"));
  EXPECT_THAT(ComplaintAbout("  filter: {reasons: '!!A'}"), HasSubstr("option reasons: entry"));
}

TEST(ForwardConfigTest, OnlyHttpUrlsHaveAQuery) {
  EXPECT_THAT(ComplaintAbout("", "'stdout:?format=flat'"), HasSubstr("options are keys beside url"));
  EXPECT_THAT(ComplaintAbout("", "'file:///a?max-files=1'"), HasSubstr("options are keys beside url"));
  EXPECT_THAT(ComplaintAbout("", "'forward://a?tag=x'"), HasSubstr("options are keys beside url"));
}

TEST(ForwardConfigTest, SecretsAreNeverShown) {
  EXPECT_THAT(ComplaintAbout("", "http://me:secret@h/"),
              AllOf(HasSubstr("secrets belong into files"), Not(HasSubstr("secret@"))));
  EXPECT_THAT(ComplaintAbout("  header: secret"), AllOf(HasSubstr("NAME:VALUE"), Not(HasSubstr("secret"))));
}

}  // namespace
}  // namespace kube_events
