#include "chaos/verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kube_events::chaos {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const sim::LabelSet kA{"Warning", "shop", "Pod", "BackOff"};
const sim::LabelSet kB{"Normal", "", "Node", "Ready"};

Snapshot At(sim::OccurrenceCounts value, sim::OccurrenceCounts truth, std::int64_t counted = 0,
            std::int64_t not_counted = 0, std::int64_t gaps = 0) {
  return {{std::move(value), counted, not_counted, gaps, true}, std::move(truth)};
}

TEST(Judge, EqualRisesAreExact) {
  const Verdict verdict = Judge(At({{kA, 5}}, {{kA, 3}}), At({{kA, 8}, {kB, 1}}, {{kA, 6}, {kB, 1}}));
  EXPECT_THAT(verdict.faults, IsEmpty()) << "what was off before does not matter again";
  EXPECT_TRUE(verdict.exact);
  EXPECT_EQ(verdict.occurrences, 4);
}

TEST(Judge, OneTooManyOrTooFewIsAFault) {
  EXPECT_THAT(Judge({}, At({{kA, 2}}, {{kA, 1}})).faults, Not(IsEmpty()));
  EXPECT_THAT(Judge({}, At({{kA, 1}}, {{kA, 2}})).faults, Not(IsEmpty()));
  EXPECT_THAT(Judge({}, At({}, {{kA, 1}})).faults, Not(IsEmpty()));
  EXPECT_THAT(Judge({}, At({{kA, 1}}, {})).faults, Not(IsEmpty()));
}

TEST(Judge, UncertainOccurrencesAllowAsMuchInTheirDirection) {
  EXPECT_THAT(Judge({}, At({{kA, 3}}, {{kA, 1}}, 2, 0)).faults, IsEmpty());
  EXPECT_THAT(Judge({}, At({{kA, 4}}, {{kA, 1}}, 2, 0)).faults, Not(IsEmpty()));
  EXPECT_THAT(Judge({}, At({{kA, 1}}, {{kA, 3}}, 0, 2)).faults, IsEmpty());
  EXPECT_THAT(Judge({}, At({{kA, 1}}, {{kA, 3}}, 2, 0)).faults, Not(IsEmpty()));
  EXPECT_THAT(Judge({}, At({{kA, 3}, {kB, 3}}, {{kA, 1}, {kB, 1}}, 2, 0)).faults, ElementsAre(HasSubstr("together")))
      << "each alone could be, both cannot";
}

TEST(Judge, OnlyAGapAllowsALoss) {
  const Verdict verdict = Judge({}, At({{kA, 1}}, {{kA, 9}}, 0, 0, 1));
  EXPECT_THAT(verdict.faults, IsEmpty());
  EXPECT_EQ(verdict.lost, 8);
  EXPECT_FALSE(verdict.exact);
  EXPECT_THAT(Judge({}, At({{kA, 9}}, {{kA, 1}}, 0, 0, 1)).faults, Not(IsEmpty())) << "but no surplus";
}

TEST(Judge, WhatAGapHidMayShowLaterAndNoMore) {
  const Snapshot before = At({{kA, 1}}, {{kA, 9}}, 0, 0, 1);
  EXPECT_THAT(Judge(before, At({{kA, 11}}, {{kA, 11}}, 0, 0, 1)).faults, IsEmpty());
  EXPECT_THAT(Judge(before, At({{kA, 12}}, {{kA, 11}}, 0, 0, 1)).faults, Not(IsEmpty()));
}

TEST(Judge, ACounterNeverFalls) {
  EXPECT_THAT(Judge(At({{kA, 2}}, {}), At({{kA, 1}}, {}, 0, 5, 1)).faults, ElementsAre(HasSubstr("fell by 1")));
}

TEST(ReadPage, TakesWhatMattersAndRefusesNonsense) {
  const auto scrape = ReadPage(
      "# HELP kube_events_total x\n"
      "kube_events_total{type=\"Warning\",involved_object_namespace=\"shop\",involved_object_kind=\"Pod\","
      "reason=\"BackOff\"} 3\n"
      "kube_events_exporter_uncertain_occurrences_total{kind=\"counted\"} 4\n"
      "kube_events_exporter_uncertain_occurrences_total{kind=\"not_counted\"} 5\n"
      "kube_events_exporter_gaps_total{scope=\"a\"} 1\nkube_events_exporter_gaps_total{scope=\"b\"} 2\n"
      "kube_events_exporter_watch_open{scope=\"a\"} 1\nprocess_cpu_seconds_total 0.5\n");
  ASSERT_TRUE(scrape);
  EXPECT_EQ(scrape->occurrences, (sim::OccurrenceCounts{{kA, 3}}));
  EXPECT_EQ(scrape->counted, 4);
  EXPECT_EQ(scrape->not_counted, 5);
  EXPECT_EQ(scrape->gaps, 3);
  EXPECT_TRUE(scrape->watching);
  EXPECT_FALSE(ReadPage("kube_events_total{type=\"Warning\"} 1\n"));
  EXPECT_FALSE(ReadPage("something x\n"));
}

}  // namespace
}  // namespace kube_events::chaos
