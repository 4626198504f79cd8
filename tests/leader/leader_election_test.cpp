// The election's thread against the simulated API server, over real sockets.
#include "kube_events/leader/leader_election.h"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include "net/client_under_test.h"
#include "sim/sim_server.h"
#include "support/eventually.h"

namespace kube_events {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;

// Short, but with room for a machine that is busy.
constexpr ElectionTimes kTimes{2s, 1500ms, 50ms};
const ObjectPath kPath{"coordination.k8s.io", "leases", "mon", "exporter"};

// One process that takes part.
class Replica final : public LeadershipListener {
 public:
  Replica(const std::string& url, const std::string& identity, std::function<void()> on_leading = {})
      : http_(ClientOf(url)), on_leading_(std::move(on_leading)) {
    election_ = std::make_unique<LeaderElection>(
        kPath, LeaderElectorOptions{identity, kTimes, 1},
        LeaderElectionParts{objects_, clock_, fence_, *this, health_.AddLoop("leader", 60s), Logger()});
  }

  void OnFollowing(const std::string& holder) override { Set(holder_, holder); }
  void OnLeading() override {
    ++led;
    if (on_leading_) on_leading_();
  }
  void OnElectionTrouble(std::string_view verb, const Error& error) override {
    Set(trouble_, std::string(verb) + " " + std::string(ToString(error.kind)));
  }
  void OnLost(const std::string& reason) override { Set(lost_, reason); }

  void Stop() { election_.reset(); }
  bool Leads() const { return fence_.IsOpen(); }
  std::string holder() const { return Get(holder_); }
  std::string trouble() const { return Get(trouble_); }
  std::string lost() const { return Get(lost_); }

  std::atomic<int> led{0};

 private:
  void Set(std::string& member, std::string value) {
    const std::lock_guard lock(mutex_);
    member = std::move(value);
  }
  std::string Get(const std::string& member) const {
    const std::lock_guard lock(mutex_);
    return member;
  }

  SystemClock clock_;
  Health health_{clock_};
  LeaderFence fence_{clock_};
  std::unique_ptr<HttpClient> http_;
  std::unique_ptr<Credentials> credentials_ = MakeAnonymousCredentials();
  ObjectClient objects_{*http_, *credentials_};
  const std::function<void()> on_leading_;
  mutable std::mutex mutex_;  // guards what follows
  std::string holder_, trouble_, lost_;
  std::unique_ptr<LeaderElection> election_;
};

class LeaderElectionTest : public ::testing::Test {
 protected:
  json Lease() { return objects_.Get(kPath, {}).value_or(json::object()); }
  std::uint64_t Updates() { return server_.State().requests["update leases"]; }
  json Spec() { return Lease().value("spec", json::object()); }

  sim::SimServer server_;
  std::unique_ptr<HttpClient> http_ = ClientOf(server_.Url());
  std::unique_ptr<Credentials> credentials_ = MakeAnonymousCredentials();
  ObjectClient objects_{*http_, *credentials_};
};

TEST_F(LeaderElectionTest, FirstOneLeadsAndTheSecondKnowsIt) {
  Replica first(server_.Url(), "a");
  ASSERT_TRUE(Eventually([&] { return first.Leads(); }));
  EXPECT_EQ(first.led, 1);
  Replica second(server_.Url(), "b");
  ASSERT_TRUE(Eventually([&] { return second.holder() == "a"; }));
  EXPECT_FALSE(second.Leads());
  EXPECT_EQ(Spec()["holderIdentity"], "a");
  EXPECT_EQ(Spec()["leaseDurationSeconds"], 2);
  EXPECT_EQ(Spec()["leaseTransitions"], 0);
}

TEST_F(LeaderElectionTest, LeaderGoesOnBeyondItsFirstDeadline) {
  Replica replica(server_.Url(), "a");
  ASSERT_TRUE(Eventually([&] { return replica.Leads(); }));
  const auto beyond = std::chrono::steady_clock::now() + kTimes.renew_deadline + 100ms;
  EXPECT_FALSE(Eventually([&] { return !replica.Leads(); }, kTimes.renew_deadline + 100ms));
  EXPECT_GE(std::chrono::steady_clock::now(), beyond);
  EXPECT_NE(Spec()["renewTime"], Spec()["acquireTime"]);
  EXPECT_EQ(replica.led, 1) << "told once";
}

TEST_F(LeaderElectionTest, ReleaseLetsTheNextOneLeadBeforeTheLeaseExpires) {
  Replica first(server_.Url(), "a");
  ASSERT_TRUE(Eventually([&] { return first.Leads(); }));
  Replica second(server_.Url(), "b");
  ASSERT_TRUE(Eventually([&] { return second.holder() == "a"; }));
  first.Stop();
  EXPECT_FALSE(first.Leads());
  EXPECT_EQ(first.lost(), "");
  ASSERT_TRUE(Eventually([&] { return second.Leads(); }));
  EXPECT_EQ(Spec()["leaseTransitions"], 1);
}

TEST_F(LeaderElectionTest, ReleasedLeaseNamesNobody) {
  Replica replica(server_.Url(), "a");
  ASSERT_TRUE(Eventually([&] { return replica.Leads(); }));
  replica.Stop();
  EXPECT_FALSE(Spec().contains("holderIdentity"));
  EXPECT_EQ(Spec()["leaseDurationSeconds"], 1);
}

TEST_F(LeaderElectionTest, LeaderWithoutAnApiServerGivesUpBeforeItsLeaseExpires) {
  Replica replica(server_.Url(), "a");
  ASSERT_TRUE(Eventually([&] { return replica.Leads(); }));
  server_.AddFault({.resource = "leases", .times = -1, .action = sim::FaultAction::kSilence});
  ASSERT_TRUE(Eventually([&] { return !replica.lost().empty(); }));
  EXPECT_FALSE(replica.Leads());
  EXPECT_NE(
      replica.lost().find("leases \"exporter\" in namespace \"mon\" is lost: it could not be renewed within 1s500ms; "
                          "the last attempt: update of leases \"exporter\" in namespace \"mon\" failed: "),
      std::string::npos)
      << replica.lost();
}

TEST_F(LeaderElectionTest, ShortOutageDoesNotEndALeadership) {
  Replica replica(server_.Url(), "a");
  ASSERT_TRUE(Eventually([&] { return replica.Leads(); }));
  server_.AddFault(
      {.verb = "update", .resource = "leases", .times = 3, .action = sim::FaultAction::kStatus, .status = 503});
  ASSERT_TRUE(Eventually([&] { return replica.trouble() == "update retry"; }));
  const std::string renewed = Spec()["renewTime"];
  EXPECT_TRUE(Eventually([&] { return Spec().value("renewTime", renewed) != renewed; }));
  EXPECT_TRUE(replica.Leads());
  EXPECT_EQ(replica.lost(), "");
}

TEST_F(LeaderElectionTest, LeaderEndsWhereAnotherTookItsLease) {
  Replica replica(server_.Url(), "a");
  ASSERT_TRUE(Eventually([&] { return replica.Leads(); }));
  ASSERT_TRUE(Eventually([&] {
    json lease = Lease();
    lease["spec"]["holderIdentity"] = "thief";
    return objects_.Replace(kPath, lease, {}).has_value();
  }));
  ASSERT_TRUE(Eventually([&] { return !replica.lost().empty(); }));
  EXPECT_EQ(replica.lost(), "the Lease leases \"exporter\" in namespace \"mon\" is lost: \"thief\" has taken it");
}

TEST_F(LeaderElectionTest, AnswerThatWasLostIsNoLostLease) {
  Replica replica(server_.Url(), "a");
  ASSERT_TRUE(Eventually([&] { return replica.Leads(); }));
  // The write is carried out; the connection breaks before its answer, and the write is repeated.
  server_.AddFault({.verb = "update", .resource = "leases", .action = sim::FaultAction::kReset, .after_bytes = 1});
  const std::uint64_t before = Updates();
  EXPECT_TRUE(Eventually([&] { return Updates() > before + 3; }));
  EXPECT_TRUE(replica.Leads());
  EXPECT_EQ(replica.lost(), "");
}

TEST_F(LeaderElectionTest, MissingRightIsToldAndAskedForAgain) {
  server_.SetDenied({{.resource = "leases"}});
  Replica replica(server_.Url(), "a");
  ASSERT_TRUE(Eventually([&] { return replica.trouble() == "get forbidden"; }));
  server_.SetDenied({});
  EXPECT_TRUE(Eventually([&] { return replica.Leads(); }));
}

TEST_F(LeaderElectionTest, WhatIsThrownEndsTheLeadershipWithItsReason) {
  Replica known(server_.Url(), "a", [] { throw std::runtime_error("no memory"); });
  ASSERT_TRUE(Eventually([&] { return !known.lost().empty(); }));
  EXPECT_EQ(known.lost(), "the leader election failed: no memory");
  EXPECT_FALSE(known.Leads());
}

TEST_F(LeaderElectionTest, WhateverIsThrownEndsTheLeadership) {
  Replica unknown(server_.Url(), "a", [] { throw 7; });
  ASSERT_TRUE(Eventually([&] { return !unknown.lost().empty(); }));
  EXPECT_EQ(unknown.lost(), "the leader election failed");
  EXPECT_FALSE(unknown.Leads());
}

TEST_F(LeaderElectionTest, StopsPromptlyWhileTheApiServerIsSilent) {
  server_.AddFault({.resource = "leases", .times = -1, .action = sim::FaultAction::kSilence});
  Replica replica(server_.Url(), "a");
  const auto begin = std::chrono::steady_clock::now();
  replica.Stop();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 10s) << "a request is given up, not awaited";
}

TEST(LeaderFenceTest, ClosesByItselfWhenItsTimeIsOver) {
  struct MovedClock final : Clock {
    MonotonicTime Monotonic() const override { return now; }
    WallTime Wall() const override { return {}; }
    MonotonicTime now{100s};
  } clock;
  LeaderFence fence(clock);
  EXPECT_FALSE(fence.IsOpen());
  fence.OpenUntil(MonotonicTime{110s});
  EXPECT_TRUE(fence.IsOpen());
  clock.now = MonotonicTime{110s};
  EXPECT_FALSE(fence.IsOpen());
  fence.OpenUntil(MonotonicTime{200s});
  fence.Close();
  EXPECT_FALSE(fence.IsOpen());
}

TEST(ElectionIdentity, IsNeverTheSame) { EXPECT_NE(NewElectionIdentity(), NewElectionIdentity()); }

}  // namespace
}  // namespace kube_events
