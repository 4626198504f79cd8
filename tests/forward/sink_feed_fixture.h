// A SinkFeed with a fake receiver, a live stream and a second one that catches up, both played by the test.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "forward/fakes.h"
#include "kube_events/forward/sink_feed.h"
#include "support/eventually.h"

namespace kube_events {

using namespace std::chrono_literals;

inline constexpr WallTime kStart{std::chrono::seconds{1'767'225'600}};

// One Event object as the API server tells it; the record's object is "NAME@VERSION".
struct Told {
  std::string name;
  int version = 0;
  WallTime created = kStart - 1h;
  std::string type = "Normal";
};

class SinkFeedTest : public ::testing::Test {
 protected:
  void Begin() {
    options_.scope_names = {"all"};
    if (options_.watch_types.empty()) options_.watch_types = settings_.watch_types;
    settings_.id = "sink";
    settings_.batch_wait = 0ms;
    feed_.emplace(
        options_, settings_,
        SinkWorkerParts{std::make_unique<FakeSink>(receiver_), nullptr, nullptr, clock_, health_, monitor_, Logger()});
  }
  void BeginFrom(int counted, std::optional<int> own = {}) {
    Begin();
    std::optional<ScopePosition> saved;
    if (own) saved = ScopePosition{std::to_string(*own), kStart};
    feed_->Resume(0, {std::to_string(counted), kStart}, saved);
  }

  template <typename Use>
  void With(const Told& told, ChangeKind kind, Use use) {
    const std::string version = std::to_string(told.version);
    const std::string raw = told.name + "@" + version;
    Event event;
    event.name = told.name;
    event.uid = told.name;
    event.type = told.type;
    event.resource_version = version;
    event.creation_time = told.created;
    use(Change{0, kind, event, raw, kStart + std::chrono::seconds{told.version}});
  }
  void Live(const Told& told, ChangeKind kind = ChangeKind::kAdded) {
    With(told, kind, [this](const Change& change) {
      SharedRecord record(change);
      feed_->OnLiveChange(change, record);
    });
  }
  void LiveList(ListReason reason, const std::vector<Told>& items, int version) {
    feed_->OnLiveListBegin(0, reason, kStart);
    for (const Told& item : items) Live(item, ChangeKind::kListed);
    feed_->OnLiveListCommitted(0, std::to_string(version), kStart);
  }
  void CatchUp(const Told& told, ChangeKind kind = ChangeKind::kAdded) {
    With(told, kind, [this](const Change& change) { feed_->OnCatchUpChange(change, {}); });
  }
  void CatchUpList(ListReason reason, const std::vector<Told>& items, int version) {
    feed_->OnCatchUpListBegin(0, reason, kStart);
    for (const Told& item : items) CatchUp(item, ChangeKind::kListed);
    feed_->OnCatchUpListCommitted(0, std::to_string(version), kStart);
  }

  std::vector<std::string> Received(std::size_t count) {
    EXPECT_TRUE(Eventually([&] { return receiver_.Received().size() >= count; }));
    return receiver_.Received();
  }
  std::string Safe() { return feed_->worker().queue().SafePositions().at(0).version; }
  WallTime ObservedUntil() { return feed_->worker().queue().SafePositions().at(0).observed_until; }
  bool SafeBecomes(const std::string& version) {
    return Eventually([&] { return Safe() == version; });
  }

  SystemClock clock_;
  Health health_{clock_};
  FakeForwardMonitor monitor_;
  Receiver receiver_;
  SinkFeedOptions options_;
  SinkSettings settings_;
  std::optional<SinkFeed> feed_;
};

}  // namespace kube_events
