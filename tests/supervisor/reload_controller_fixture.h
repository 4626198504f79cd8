// A ReloadController, its clock, its effects as words, and the short ways to its states. Owned by the test; its thread
// only.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>

#include "kube_events/supervisor/reload_controller.h"

namespace kube_events {

class ReloadControllerTest : public testing::Test {
 protected:
  static constexpr std::uint64_t kOld = 10, kNew = 20, kNewer = 30;

  static ReloadOptions Options() {
    ReloadOptions options;
    options.reload_timeout = std::chrono::seconds{60};
    options.retrigger.jitter = options.busy.jitter = options.failed.jitter = 0;
    return options;
  }

  // Names of effects, e.g. "scan finished:applied".
  static std::string Names(const ReloadEffects& effects) {
    std::string names;
    for (const auto& effect : effects) {
      constexpr const char* kNames[] = {"scan", "check", "count", "trigger", "end", "finished", "swallowed", "busy"};
      names += (names.empty() ? "" : " ") + std::string(kNames[effect.index()]);
      const auto* finished = std::get_if<reload_effect::Finished>(&effect);
      if (finished != nullptr) names += ":" + std::string(ToString(finished->result));
    }
    return names;
  }

  std::string Step(const ReloadInput& input) {
    effects_ = controller_.Step(now_, input);
    return Names(effects_);
  }
  // The next Tick, at its time.
  std::string Tick() {
    EXPECT_TRUE(controller_.NextWake());
    now_ = controller_.NextWake().value_or(now_);
    return Step(reload_input::Tick{});
  }
  const reload_effect::Finished& Last() const {
    for (const auto& effect : effects_) {
      if (const auto* finished = std::get_if<reload_effect::Finished>(&effect)) return *finished;
    }
    throw std::logic_error("nothing is finished");
  }
  static reload_input::Seen See(std::uint64_t content, std::uint64_t stamp = 0, std::string refusal = "") {
    return {{content, stamp == 0 ? content : stamp, std::move(refusal)}};
  }
  static reload_input::Counted Count(std::uint64_t count) { return {{.http = count}}; }
  static reload_input::Counted NoHttp(std::uint64_t lines, bool visible = true) {
    return {{.log_lines = lines, .http_before = false, .http_wanted = false, .log_visible = visible}};
  }
  static reload_input::Checked Good() { return {}; }
  static reload_input::Triggered Answer(TriggerAnswer answer) { return {answer, "words"}; }
  ReloadState State() const { return controller_.State(); }

  void GoIdle() {
    Step(reload_input::ChildReady{});
    Step(See(kOld));
    ASSERT_EQ(State(), ReloadState::kIdle);
  }
  void GoTriggering() {
    GoIdle();
    Step(See(kNew));
    Step(Good());
    Step(Count(0));
    Step(See(kNew));
    ASSERT_EQ(State(), ReloadState::kTriggering);
  }
  void GoWaiting() {
    GoTriggering();
    Step(Answer(TriggerAnswer::kAccepted));
    ASSERT_EQ(State(), ReloadState::kWaiting);
  }
  // A repeated trigger was accepted.
  void GoConfirming() {
    GoWaiting();
    while (State() != ReloadState::kArming) {
      Tick();
      Step(Count(0));
    }
    Step(See(kNew));
    Step(Answer(TriggerAnswer::kAccepted));
    ASSERT_EQ(State(), ReloadState::kConfirming);
  }
  void GoProving() {
    GoWaiting();
    Tick();
    Step(Count(1));
    ASSERT_EQ(State(), ReloadState::kProving);
  }

  MonotonicTime now_{std::chrono::hours{1}};
  ReloadController controller_{Options(), SeenConfig{kOld, kOld, ""}};
  ReloadEffects effects_;
};

}  // namespace kube_events
