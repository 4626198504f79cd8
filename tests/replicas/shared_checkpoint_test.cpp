// Processes of the real program that share a checkpoint, with and without a Lease.
#include <gtest/gtest.h>

#include <csignal>
#include <nlohmann/json.hpp>
#include <optional>

#include "replicas/replica.h"
#include "support/http_fetch.h"

namespace kube_events {
namespace {

using namespace std::chrono_literals;

// What is stored.
struct StoredCheckpoint {
  std::string version;  // of the ConfigMap
  std::string writer;
  std::uint64_t position = 0;
};

class SharedCheckpointTest : public ReplicaFixture {
 protected:
  static Arguments Every(const std::string& interval) {
    return {"--checkpoint", "configmap:mon/checkpoint", "--checkpoint-interval", interval};
  }
  // Nothing where there is none.
  std::optional<StoredCheckpoint> Stored() const {
    const auto answer = Get(server_url_ + "/api/v1/namespaces/mon/configmaps/checkpoint");
    const auto object = nlohmann::json::parse(answer.body, nullptr, false);
    if (answer.status != 200 || !object.contains("data")) return std::nullopt;
    const auto text = nlohmann::json::parse(object["data"].value("checkpoint.json", ""), nullptr, false);
    if (!text.is_object()) return std::nullopt;
    const auto position = nlohmann::json::json_pointer("/scopes/0/positions/counted");
    return StoredCheckpoint{object["metadata"].value("resourceVersion", ""), text.value("writer", ""),
                            std::stoull(text.value(position, "0"))};
  }
  ::testing::AssertionResult CountsAndSaves(const Replica& replica, const std::string& reason) {
    const auto event = server_.Create(MakePodEvent(reason, reason));
    const bool saved = Eventually([&] {
      const auto stored = Stored();
      return stored && stored->position >= event->metadata.resource_version;
    });
    if (!saved) return ::testing::AssertionFailure() << reason << " is not saved: " << replica.Log();
    return HasCounted(replica, reason);
  }
  std::uint64_t Updates() { return server_.State().requests["update configmaps"]; }

  const std::string server_url_ = server_.Url();
};

TEST_F(SharedCheckpointTest, B040WhatHappensWhileNobodyLeadsIsCountedByTheNextLeader) {
  StartBoth(Every("1s"), Every("1s"));
  EXPECT_TRUE(CountsAndSaves(*first_, "Before"));
  (*first_)->Signal(SIGKILL);
  server_.Create(MakePodEvent("meanwhile", "Meanwhile"));
  AwaitSecond();
  EXPECT_TRUE(HasCounted(*second_, "Meanwhile"));
  EXPECT_EQ(second_->Count(PodSeries("Before")), 0) << "it was counted once";
  EXPECT_EQ(second_->Sample("gaps_total{scope=\"all\"}"), 0);
}

TEST_F(SharedCheckpointTest, ALeaderThatEndsSavesWhatItHasCountedBeforeItReleasesTheLease) {
  StartBoth(Every("1h"), Every("1h"));
  EXPECT_TRUE(Counts(*first_, "Before"));
  EXPECT_FALSE(Stored()) << "nothing is saved yet";
  (*first_)->Signal(SIGTERM);
  AwaitSecond();
  EXPECT_EQ((*first_)->AwaitEnd(kEnding), 0) << first_->Log();
  EXPECT_TRUE(Counts(*second_, "After"));
  EXPECT_EQ(second_->Count(PodSeries("Before")), 0) << "it was counted once";
  EXPECT_EQ(second_->Sample("gaps_total{scope=\"all\"}"), 0);
}

// Its last write is under way when it is suspended, and would be repeated when it ends.
TEST_F(SharedCheckpointTest, AFormerLeaderWritesNothingAnyMore) {
  StartBoth(Every("1s"), Every("1h"));
  EXPECT_TRUE(CountsAndSaves(*first_, "One"));
  server_.AddFault({.verb = "update", .resource = "configmaps", .times = -1, .action = sim::FaultAction::kSilence});
  const std::uint64_t before = Updates();
  EXPECT_TRUE(Counts(*first_, "Two"));
  ASSERT_TRUE(Eventually([&] { return Updates() > before; })) << first_->Log();
  (*first_)->Signal(SIGSTOP);
  ASSERT_TRUE(Eventually([&] { return second_->Leads() && second_->Ready(); }, 30s)) << second_->Log();
  const auto stored = Stored();
  const std::uint64_t updates = Updates();
  server_.ClearFaults();
  (*first_)->Signal(SIGCONT);
  EXPECT_EQ((*first_)->AwaitEnd(kEnding), 1) << first_->Log();
  EXPECT_EQ(Updates(), updates) << "the second one saves once in an hour";
  ASSERT_TRUE(stored && Stored());
  EXPECT_EQ(Stored()->version, stored->version);
  EXPECT_TRUE(Counts(*second_, "Three"));
}

TEST_F(SharedCheckpointTest, TwoExportersWithoutALeaseAreNamedAndCountedAndNoPositionGoesBack) {
  first_ = Start("first", Every("1s"));
  second_ = Start("second", Every("1s"));
  sim::LoadOptions load;
  load.objects = 50;
  load.rate = 100;
  server_.StartLoad(load);
  const auto noticed = [](const Replica& replica) {
    return replica.Sample("checkpoint_writes_total{result=\"conflict\"}") > 0 && replica.Says("another exporter") &&
           replica.Says("give each its own --checkpoint");
  };
  std::uint64_t last = 0;
  bool went_back = false;
  EXPECT_TRUE(Eventually(
      [&] {
        const auto stored = Stored();
        went_back = went_back || (stored && stored->position < last);
        if (stored) last = stored->position;
        return noticed(*first_) && noticed(*second_);
      },
      60s))
      << first_->Log() << second_->Log();
  EXPECT_FALSE(went_back);
  server_.StopLoad();
  EXPECT_TRUE(first_->Ready() && second_->Ready());
}

}  // namespace
}  // namespace kube_events
