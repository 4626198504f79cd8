#include "kube_events/state/checkpoint.h"

#include <gtest/gtest.h>

#include "state/samples.h"

namespace kube_events::testing {
namespace {

TEST(MergeRules, ANewerPositionIsNeverReplaced) {
  const auto may = MayReplace(At("10", "us"), At("11", "them"));
  ASSERT_FALSE(may);
  EXPECT_EQ(may.error().kind, ErrorKind::kConflict);
  EXPECT_NE(may.error().message.find("them"), std::string::npos);
}

TEST(MergeRules, AnOlderOrEqualPositionIsReplaced) {
  EXPECT_TRUE(MayReplace(At("11", "us"), At("11", "them")));
  EXPECT_TRUE(MayReplace(At("100", "us"), At("99", "them")));
}

TEST(MergeRules, OurOwnIsReplacedAlsoAfterARestoredEtcd) { EXPECT_TRUE(MayReplace(At("10", "us"), At("11", "us"))); }

TEST(MergeRules, ScopesThatOnlyOneKnowsDoNotMatter) {
  Checkpoint theirs = At("99", "them");
  theirs.scopes[0].scope.namespace_name = "another";
  EXPECT_TRUE(MayReplace(At("10", "us"), theirs));
}

TEST(MergeRules, OneNewerScopeOfManyIsEnough) {
  Checkpoint ours = At("10", "us");
  ours.scopes.push_back(ours.scopes[0]);
  ours.scopes[1].scope.namespace_name = "bank";
  Checkpoint theirs = ours;
  theirs.writer = "them";
  theirs.scopes[1].position = "12";
  EXPECT_FALSE(MayReplace(ours, theirs));
}

TEST(ClusterIdentities, TheUidDecidesWhereBothKnowIt) {
  EXPECT_TRUE(IsSameCluster({"a", "x"}, {"a", "y"}));
  EXPECT_FALSE(IsSameCluster({"a", "x"}, {"b", "x"}));
  EXPECT_TRUE(IsSameCluster({"", "x"}, {"b", "x"}));
  EXPECT_FALSE(IsSameCluster({"", "x"}, {"b", "y"}));
}

TEST(Scopes, OneThatIsThereTwiceIsOne) {
  Checkpoint checkpoint = At("10", "us");
  checkpoint.scopes.push_back(checkpoint.scopes[0]);
  checkpoint.scopes[1].position = "20";
  const std::vector<Scope> scopes{checkpoint.scopes[0].scope};
  const SavedCounts counts = CountsFor(checkpoint, scopes);
  ASSERT_EQ(counts.scopes.size(), 1U);
  EXPECT_EQ(counts.scopes[0].position, 20U);
  EXPECT_EQ(PositionsFor(checkpoint, scopes)[0]->version, "20");
}

TEST(Scopes, GoOnByWhatIsListedAndNotByTheirOrder) {
  Checkpoint checkpoint = At("10", "us");
  checkpoint.scopes.push_back(checkpoint.scopes[0]);
  checkpoint.scopes[1].scope.namespace_name = "bank";
  checkpoint.scopes[1].position = "20";
  Scope other_selector = checkpoint.scopes[0].scope;
  other_selector.label_selector = "team=b";
  const std::vector<Scope> scopes{other_selector, checkpoint.scopes[1].scope};
  const SavedCounts counts = CountsFor(checkpoint, scopes);
  ASSERT_EQ(counts.scopes.size(), 1U);
  EXPECT_EQ(counts.scopes[0].scope, 1);
  EXPECT_EQ(counts.scopes[0].position, 20U);
  EXPECT_EQ(counts.live, checkpoint.totals.live);
  const auto positions = PositionsFor(checkpoint, scopes);
  EXPECT_FALSE(positions[0]);
  EXPECT_EQ(positions[1]->version, "20");
}

}  // namespace
}  // namespace kube_events::testing
