// Clocks that jump: the API server's, which leaves ours where it was, and those of the whole cluster.
#include "faults/faults_fixture.h"
#include "field/timeline.h"

namespace kube_events {
namespace {

using namespace std::chrono_literals;

class ServerClockJump : public FaultsFixture, public testing::WithParamInterface<std::chrono::seconds> {};

TEST_P(ServerClockJump, CostsNothing) {
  ASSERT_NO_FATAL_FAILURE(Start());
  clock_.Advance(GetParam());
  ASSERT_TRUE(AwaitRequests("watch", 1));
  EXPECT_EQ(Health(), 200);
  ExpectCounts(Cost::kNothing);
}

INSTANTIATE_TEST_SUITE_P(Rows, ServerClockJump, testing::Values(3h, -3h),
                         [](const auto& row) { return row.param > 0s ? "Ahead" : "Back"; });

// Timers follow the monotonic clock, so the watch is neither replaced early nor kept too long.
TEST(ClusterClockJump, ChangesNoCountAndNoTimer) {
  for (const auto jump : {24h, -24h}) {
    field::Timeline time;
    time.Start();
    const auto watches = [&] { return time.Own("watch_total"); };
    ASSERT_EQ(watches(), 1);
    ASSERT_TRUE(time.server().Create(time.PodEvent("before", "Jump")));
    time.AwaitEverythingWritten();
    time.clock().SetWall(time.Now() + jump);
    ASSERT_TRUE(time.server().Create(time.PodEvent("after", "Jump")));
    time.AwaitEverythingWritten();
    EXPECT_EQ(time.Count(PodSeries("Jump")), 2);
    time.Pass(4min);
    EXPECT_EQ(watches(), 1);
    time.Pass(2min);
    EXPECT_EQ(watches(), 2);
    EXPECT_TRUE(time.Unready().empty());
    EXPECT_EQ(time.Own("uncertain_occurrences_total{kind=\"counted\"}"), 0);
    EXPECT_EQ(time.Own("uncertain_occurrences_total{kind=\"not_counted\"}"), 0);
  }
}

}  // namespace
}  // namespace kube_events
