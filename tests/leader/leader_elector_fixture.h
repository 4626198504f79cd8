// A LeaderElector, its clocks, and the short ways to each of its phases. Owned by the test; its thread only.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <variant>

#include "kube_events/leader/leader_elector.h"

namespace kube_events {

class LeaderElectorTest : public ::testing::Test {
 protected:
  ElectionEffects Feed(const ElectionInput& input) { return machine_.Handle(input, now_, wall_); }

  // The one effect of this kind; fails the test where there is none.
  template <typename T>
  static T Only(const ElectionEffects& effects) {
    const T* found = nullptr;
    for (const auto& effect : effects) {
      if (const T* it = std::get_if<T>(&effect)) found = it;
    }
    EXPECT_NE(found, nullptr);
    return found != nullptr ? *found : T{};
  }
  template <typename T>
  static bool Has(const ElectionEffects& effects) {
    for (const auto& effect : effects) {
      if (std::holds_alternative<T>(effect)) return true;
    }
    return false;
  }

  static LeaseRecord HeldBy(const std::string& holder, const std::string& renew_time = "t1", int transitions = 3) {
    return {holder, std::chrono::seconds{15}, "t0", renew_time, transitions};
  }
  static LeaseFailed Failed(ErrorKind kind, const std::string& message = "broken") {
    return {Error{kind, message, {}, {}}};
  }

  // Brings the machine to a phase by the shortest way.
  void Reading() { Feed(ElectionStarted{}); }
  LeaseRecord Taking() {
    Reading();
    return Only<WriteLease>(Feed(LeaseMissing{})).record;
  }
  LeaseRecord Holding() {
    LeaseRecord record = Taking();
    Feed(LeaseWritten{});
    return record;
  }
  LeaseRecord Renewing() {
    Holding();
    now_ += std::chrono::seconds{2};
    return Only<WriteLease>(Feed(ElectionTimerFired{})).record;
  }
  LeaseRecord Checking() {
    LeaseRecord record = Renewing();
    Feed(Failed(ErrorKind::kConflict));
    return record;
  }
  // As a candidate behind `record`.
  void Waiting(const LeaseRecord& record) {
    Reading();
    Feed(LeaseSeen{record});
  }

  static constexpr MonotonicTime kStart{std::chrono::seconds{1000}};
  MonotonicTime now_ = kStart;
  WallTime wall_{std::chrono::microseconds{1'800'000'000'000'000}};
  LeaderElector machine_{{.identity = "me", .times = {}, .seed = 1}};
};

}  // namespace kube_events
