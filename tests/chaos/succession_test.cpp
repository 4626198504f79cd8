#include "chaos/succession.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kube_events::chaos {
namespace {

using testing::IsEmpty;
using testing::Not;

const sim::LabelSet kA{"Warning", "shop", "Pod", "BackOff"};

Scrape Counted(std::int64_t occurrences, std::int64_t gaps = 0) {
  Scrape scrape;
  scrape.occurrences[kA] = occurrences;
  scrape.gaps = gaps;
  return scrape;
}

// A gap hides 3 of 5, and the next process counts them beside 2 of its own.
void MakeUpForAGap(Succession& counts) {
  EXPECT_THAT(counts.JudgeProcess(Counted(2, 1), {{kA, 5}}).faults, IsEmpty());
  counts.ProcessEnded(true);
  EXPECT_THAT(counts.JudgeProcess(Counted(5), {{kA, 2}}).faults, IsEmpty());
}

TEST(Succession, WhatAGapHidMayBeMadeUpForOnce) {
  Succession counts;
  MakeUpForAGap(counts);
  counts.ProcessEnded(true);
  EXPECT_THAT(counts.JudgeProcess(Counted(5), {{kA, 2}}).faults, Not(IsEmpty()));
}

TEST(Succession, AProcessThatIsKilledMayMakeUpForItInVain) {
  Succession counts;
  MakeUpForAGap(counts);
  counts.ProcessEnded(false);
  EXPECT_THAT(counts.JudgeProcess(Counted(5), {{kA, 2}}).faults, IsEmpty());
  counts.ProcessEnded(true);
  EXPECT_THAT(counts.JudgeProcess(Counted(3), {{kA, 2}}).faults, Not(IsEmpty()));
}

}  // namespace
}  // namespace kube_events::chaos
