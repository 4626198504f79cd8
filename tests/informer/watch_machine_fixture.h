// A WatchMachine, its clock, and its effects as words. Owned by the test; its thread only.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "kube_events/informer/watch_machine.h"

namespace kube_events {

class WatchMachineTest : public testing::Test {
 protected:
  std::vector<std::string> Handle(const WatchInput& input) {
    std::vector<std::string> words;
    for (const WatchEffect& effect : machine_.Handle(input, now_)) {
      words.push_back(std::visit(Words{}, effect));
      if (const auto* timer = std::get_if<StartTimer>(&effect)) delay_ = timer->delay;
    }
    return words;
  }
  std::vector<std::string> End(ErrorKind kind, std::string reason = "",
                               std::optional<std::chrono::milliseconds> retry_after = {}) {
    return Handle(RequestEnded{Error{kind, "text", retry_after, std::move(reason)}});
  }
  std::vector<std::string> EndCleanly() { return Handle(RequestEnded{}); }
  void Pass(std::chrono::milliseconds time) { now_ += time; }
  // Lets the pause that was asked for go by, and answers the probe that precedes a watch.
  std::vector<std::string> AfterPause() {
    Pass(delay_);
    auto words = Handle(TimerFired{});
    if (machine_.phase() != WatchPhase::kProbing) return words;
    EXPECT_EQ(words.back(), "probe");
    return Handle(PageReceived{"9000000", ""});
  }
  std::vector<std::string> UpToProbe() {
    Pass(delay_);
    return Handle(TimerFired{});
  }

  void ListWhole(const std::string& version) {
    Handle(PageReceived{version, ""});
    Handle(PageDelivered{});
  }
  // Two watches in a row that are granted and end at once.
  void EndTwiceAtOnce() {
    EndCleanly();
    AfterPause();
    Handle(WatchOpened{});
    EndCleanly();
  }
  // A process before this one saved its position seven minutes ago.
  void Resume(const std::string& version) {
    WatchMachineOptions options;
    options.resume_from = version;
    options.downtime = std::chrono::minutes(7);
    machine_ = WatchMachine(options);
  }
  void GetWatching(const std::string& version = "100") {
    Handle(Started{});
    ListWhole(version);
    Handle(WatchOpened{});
    ASSERT_EQ(machine_.phase(), WatchPhase::kWatching);
  }

 private:
  struct Words {
    std::string operator()(const BeginList& e) const {
      return e.reason == ListReason::kFirst     ? "begin first"
             : e.reason == ListReason::kRelist  ? "begin relist"
             : e.reason == ListReason::kResumed ? "begin resumed"
                                                : "begin restored";
    }
    std::string operator()(const RequestPage& e) const {
      return e.continue_token.empty() ? "list" : "list " + e.continue_token;
    }
    std::string operator()(const ProbeVersion&) const { return "probe"; }
    std::string operator()(const DeliverItems&) const { return "deliver"; }
    std::string operator()(const CommitList&) const { return "commit"; }
    std::string operator()(const OpenWatch& e) const { return "watch " + e.resource_version; }
    std::string operator()(const CancelRequest& e) const { return e.error ? "cancel " + e.error->reason : "cancel"; }
    std::string operator()(const StartTimer&) const { return "timer"; }
    std::string operator()(const RefreshCredentials&) const { return "refresh"; }
    std::string operator()(const ReportRelist& e) const { return "relist " + std::string(e.reason); }
    std::string operator()(const ReportGap& e) const { return "gap " + std::to_string(e.length.count()); }
  };

 protected:
  WatchMachine machine_{WatchMachineOptions{}};
  MonotonicTime now_{std::chrono::seconds(1000)};
  std::chrono::milliseconds delay_{-1};
};

}  // namespace kube_events
