#include "forward/forward_tag.h"

#include <gmock/gmock.h>

namespace kube_events {
namespace {

using ::testing::HasSubstr;

RecordWriter::Facts Facts() {
  RecordWriter::Facts facts{};
  facts.namespace_name = "kube-system";
  facts.type = "Warning";
  facts.reason = "BackOff";
  facts.kind = "Pod";
  return facts;
}

std::string Filled(std::string_view text, const RecordWriter::Facts& facts = Facts()) {
  const auto tag = TagTemplate::Parse(text);
  return tag ? tag->Fill(facts) : tag.error().message;
}

TEST(TagTemplateTest, ATextIsItself) { EXPECT_EQ(Filled("kube.events"), "kube.events"); }

TEST(TagTemplateTest, WordsInBracesStandForThoseOfTheEvent) {
  EXPECT_EQ(Filled("{namespace}.{type}.{reason}.{kind}"), "kube-system.Warning.BackOff.Pod");
  EXPECT_EQ(Filled("kube.{kind}.events"), "kube.Pod.events");
  EXPECT_EQ(Filled("{kind}{kind}"), "PodPod");
}

TEST(TagTemplateTest, AValueIsOnePartOfTheTag) {
  RecordWriter::Facts facts = Facts();
  facts.reason = "a.b c/d\n\xc3\xa4";
  facts.namespace_name = "";
  facts.kind = "Kindddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd";
  EXPECT_EQ(Filled("{reason}.{namespace}", facts), "a_b_c_d___._");
  EXPECT_EQ(Filled("{kind}", facts).size(), 64U);
}

TEST(TagTemplateTest, WhatIsNoUtf8IsRefused) {
  EXPECT_FALSE(TagTemplate::Parse("kube\xff"));
  EXPECT_FALSE(TagTemplate::Parse("\xc3{kind}"));
  EXPECT_TRUE(TagTemplate::Parse("k\xc3\xa4se.{kind}"));
}

TEST(TagTemplateTest, WhatMakesNoTagIsRefused) {
  EXPECT_THAT(Filled(""), HasSubstr("is empty"));
  EXPECT_THAT(Filled("kube.{pod}"), HasSubstr("unknown words in braces"));
  EXPECT_THAT(Filled("kube.{}"), HasSubstr("unknown words in braces"));
  EXPECT_THAT(Filled("kube.{kind"), HasSubstr("{ without }"));
  EXPECT_THAT(Filled("kube.kind}"), HasSubstr("a character that no tag has"));
  EXPECT_THAT(Filled("kube events"), HasSubstr("a character that no tag has"));
  EXPECT_THAT(Filled("kube\nevents"), HasSubstr("a character that no tag has"));
}

TEST(TagTemplateTest, ATagWithoutWordsInBracesIsFixed) {
  EXPECT_TRUE(TagTemplate::Parse("kube.events").value().IsFixed());
  EXPECT_FALSE(TagTemplate::Parse("kube.{type}").value().IsFixed());
}

}  // namespace
}  // namespace kube_events
