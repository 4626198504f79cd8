#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube_events/base/health.h"
#include "kube_events/net/cpprest_client.h"
#include "support/eventually.h"
#include "support/fake_clock.h"

namespace kube_events {
namespace {

using namespace std::chrono_literals;
using testing::IsEmpty;

TEST(NetworkPulse, BeatsWhileTheNetworkThreadRunsAndNotAfterItsEnd) {
  InitialiseNetworking();
  FakeClock clock;
  Heartbeat heartbeat(clock, "network", 60s);
  auto pulse = BeatOnNetworkThread(heartbeat);
  clock.Advance(61s);
  EXPECT_TRUE(Eventually([&] { return heartbeat.Complaint().empty(); }));
  pulse.reset();
  clock.Advance(61s);
  EXPECT_EQ(heartbeat.Complaint(), "network: no progress for 1m1s");
}

}  // namespace
}  // namespace kube_events
