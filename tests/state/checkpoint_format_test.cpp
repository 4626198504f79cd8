#include "kube_events/state/checkpoint_format.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>
#include <random>

#include "state/samples.h"

namespace kube_events::testing {
namespace {

constexpr std::size_t kNoLimit = 1'000'000'000;

std::string ReasonOf(std::string_view text) {
  const auto decoded = DecodeCheckpoint(text);
  return decoded ? "none" : decoded.error().reason;
}

std::vector<SavedTotal> Sorted(std::vector<SavedTotal> totals) {
  std::sort(totals.begin(), totals.end(), [](const auto& a, const auto& b) { return a.key < b.key; });
  return totals;
}

TEST(CheckpointFormat, ReadsBackWhatWasWritten) {
  const std::uint64_t seed = std::random_device{}();
  std::cout << "seed " << seed << "\n";
  const Checkpoint sample = Sample(500, 300, seed);
  const auto read = DecodeCheckpoint(EncodeCheckpoint(sample, kNoLimit).text);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->cluster, sample.cluster);
  EXPECT_EQ(read->writer, sample.writer);
  EXPECT_EQ(read->sequence, sample.sequence);
  EXPECT_EQ(read->saved_at, sample.saved_at);
  EXPECT_EQ(read->totals.hash_seed, sample.totals.hash_seed);
  EXPECT_EQ(Sorted(read->totals.live), Sorted(sample.totals.live));
  EXPECT_EQ(Sorted(read->totals.tombstones), Sorted(sample.totals.tombstones));
  ASSERT_EQ(read->scopes.size(), 1U);
  EXPECT_EQ(read->scopes[0].scope.label_selector, sample.scopes[0].scope.label_selector);
  EXPECT_EQ(read->scopes[0].scope.api, EventApi::kEventsV1);
  EXPECT_EQ(read->scopes[0].position, "4711");
  EXPECT_EQ(read->scopes[0].horizon, sample.scopes[0].horizon);
  EXPECT_EQ(read->scopes[0].baseline_time, sample.scopes[0].baseline_time);
  EXPECT_EQ(read->scopes[0].newest, sample.scopes[0].newest);
}

TEST(CheckpointFormat, TombstonesComeBackTheLatestFirst) {
  const auto read = DecodeCheckpoint(EncodeCheckpoint(Sample(0, 100), kNoLimit).text);
  ASSERT_TRUE(read);
  EXPECT_TRUE(std::is_sorted(read->totals.tombstones.begin(), read->totals.tombstones.end(),
                             [](const auto& a, const auto& b) { return a.buried > b.buried; }));
}

TEST(CheckpointFormat, ATotalTakesAtMost24Bytes) {
  const std::size_t size = EncodeCheckpoint(Sample(10'000, 0), kNoLimit).text.size();
  std::cout << "bytes per total: " << static_cast<double>(size) / 10'000 << "\n";
  EXPECT_LE(size, 24U * 10'000);
}

TEST(CheckpointFormat, IsCutToItsLimitAndKeepsThePositions) {
  for (const std::size_t limit : {std::size_t{1'000}, std::size_t{20'000}, std::size_t{256} * 1024}) {
    const EncodedCheckpoint encoded = EncodeCheckpoint(Sample(20'000, 5'000), limit);
    EXPECT_LE(encoded.text.size(), limit);
    EXPECT_TRUE(encoded.cut);
    const auto read = DecodeCheckpoint(encoded.text);
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(read->scopes.at(0).position, "4711");
    EXPECT_TRUE(read->totals.cut);
    EXPECT_FALSE(read->totals.complete);
    EXPECT_TRUE(read->totals.tombstones.empty());
    if (limit > 100'000) {
      EXPECT_GT(encoded.text.size(), limit * 8 / 10);  // what there is room for is used
    }
  }
}

TEST(CheckpointFormat, WhereLivingTotalsAreMissingTheNewestIsThatOfTheListUnderWay) {
  Checkpoint sample = Sample(100, 0);
  sample.scopes[0].newest_listed = kNow;
  EXPECT_EQ(DecodeCheckpoint(EncodeCheckpoint(sample, kNoLimit).text)->scopes[0].newest, sample.scopes[0].newest);
  EXPECT_EQ(DecodeCheckpoint(EncodeCheckpoint(sample, 1'500).text)->scopes[0].newest, kNow);
}

TEST(CheckpointFormat, AFutureFormatIsToldFromABrokenOne) {
  EXPECT_EQ(ReasonOf(R"({"format": 2})"), "future");
  EXPECT_EQ(ReasonOf(R"({"format": "x"})"), "broken");
  EXPECT_EQ(ReasonOf(R"({"format": 1})"), "broken");
  EXPECT_EQ(ReasonOf("[]"), "broken");
  EXPECT_EQ(ReasonOf(""), "broken");
  EXPECT_EQ(ReasonOf("{"), "broken");
}

TEST(CheckpointFormat, ATruncatedTextIsBroken) {
  const std::string text = EncodeCheckpoint(Sample(20, 20), kNoLimit).text;
  for (std::size_t size = 0; size < text.size(); ++size) ASSERT_EQ(ReasonOf(text.substr(0, size)), "broken") << size;
}

TEST(CheckpointFormat, OtherBytesThanWereWrittenAreBroken) {
  nlohmann::json document = nlohmann::json::parse(EncodeCheckpoint(Sample(20, 20), kNoLimit).text);
  document["totals"]["live"] = 21;
  EXPECT_EQ(ReasonOf(document.dump()), "broken");
  document["totals"]["live"] = 19;
  EXPECT_EQ(ReasonOf(document.dump()), "broken");
  document["totals"]["live"] = 20;
  EXPECT_EQ(ReasonOf(document.dump()), "none");
  std::string data = document["totals"]["data"];
  data[10] = data[10] == 'A' ? 'B' : 'A';
  document["totals"]["data"] = data;
  EXPECT_EQ(ReasonOf(document.dump()), "broken");
}

TEST(CheckpointFormat, APositionThatIsNoNumberIsBroken) {
  Checkpoint sample = Sample();
  sample.scopes[0].position = "abc";
  EXPECT_EQ(ReasonOf(EncodeCheckpoint(sample, kNoLimit).text), "broken");
}

}  // namespace
}  // namespace kube_events::testing
