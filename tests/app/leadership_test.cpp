// One exporter with --leader-elect, in-process; tests/replicas has several processes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "support/exporter_fixture.h"

namespace kube_events {
namespace {

using testing::HasSubstr;
using testing::Not;

class LeadershipTest : public ExporterFixture {
 protected:
  static ExporterOptions LeaderOptions(const std::string& url) {
    ExporterOptions options = Options(url);
    options.leader_elect = true;
    options.leader_elect_retry_period = std::chrono::milliseconds{50};
    return options;
  }
  void HoldLease(const std::string& holder) {
    const std::string lease = R"({"metadata":{"name":"kube-events-exporter"},"spec":{"holderIdentity":")" + holder +
                              R"(","leaseDurationSeconds":3600,"leaseTransitions":0}})";
    ASSERT_EQ(Post(server_.Url() + kLeases, lease).status, 201);
  }

  static constexpr char kLeases[] = "/apis/coordination.k8s.io/v1/namespaces/default/leases";
};

TEST_F(LeadershipTest, SingleReplicaLeadsAndCounts) {
  StartReady(LeaderOptions(server_.Url()));
  ASSERT_TRUE(Eventually([&] { return Sample("kube_events_exporter_leader") == 1; }));
  ASSERT_TRUE(Eventually([&] { return Fetch("/readyz").status == 200; }));
  server_.Create(MakePodEvent("a", "R"));
  EXPECT_TRUE(Reaches(PodSeries("R"), 1));
}

TEST_F(LeadershipTest, ReplicaThatWaitsIsReadyAndShowsNoCounts) {
  HoldLease("somebody");
  StartReady(LeaderOptions(server_.Url()));
  EXPECT_EQ(Sample("kube_events_exporter_leader"), 0);
  EXPECT_THAT(Fetch("/metrics").body, Not(HasSubstr("# TYPE kube_events_total ")));
  EXPECT_EQ(server_.State().watches, 0U);
}

TEST_F(LeadershipTest, ReplicaThatMayNotReadTheLeaseIsNotReadyAndSaysWhy) {
  server_.SetDenied({{.resource = "leases"}});
  Start(LeaderOptions(server_.Url()));
  EXPECT_TRUE(Eventually([&] {
    return Fetch("/readyz").body.find("grant verb get on leases in API group \"coordination.k8s.io\"") !=
           std::string::npos;
  })) << Fetch("/readyz").body;
  EXPECT_EQ(Fetch("/readyz").status, 503);
  EXPECT_EQ(Fetch("/livez").status, 200);
  EXPECT_GE(Sample("kube_events_exporter_api_errors_total{reason=\"Forbidden\",verb=\"get\"}"), 1);
  server_.SetDenied({});
  EXPECT_TRUE(Eventually([&] { return Sample("kube_events_exporter_leader") == 1; }));
}

TEST_F(LeadershipTest, LostLeaseEndsWithExitCodeOne) {
  // The exporter asks its process to end, which is the test's here.
  const auto before = std::signal(SIGTERM, SIG_IGN);
  StartReady(LeaderOptions(server_.Url()));
  ASSERT_TRUE(Eventually([&] { return Sample("kube_events_exporter_leader") == 1; }));
  // By another, in one step, whatever version it has.
  const std::string path = server_.Url() + kLeases + "/kube-events-exporter";
  ASSERT_EQ(kube_events::Fetch("PATCH", path, R"({"spec":{"holderIdentity":"thief"}})",
                               {.headers = {{"Content-Type", "application/merge-patch+json"}}})
                .status,
            200);
  EXPECT_TRUE(Eventually([&] { return exporter_->ExitCode() == 1; }));
  EXPECT_EQ(Sample("kube_events_exporter_leader"), 0);
  EXPECT_THAT(Fetch("/readyz").body, HasSubstr("\"thief\" has taken it"));
  exporter_.reset();
  std::signal(SIGTERM, before);
}

TEST_F(LeadershipTest, WithoutTheFlagThereIsNoLease) {
  StartReady();
  EXPECT_EQ(Sample("kube_events_exporter_leader"), 1);
  EXPECT_EQ(server_.State().requests.count("get leases"), 0U);
}

}  // namespace
}  // namespace kube_events
