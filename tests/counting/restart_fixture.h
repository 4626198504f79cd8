// A CounterFixture whose process ends and starts again from a checkpoint.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "counting/counter_fixture.h"

namespace kube_events::testing {

class Restarts : public CounterFixture {
 protected:
  // A cold start two hours ago, with one Event that was there.
  void Begin(const std::vector<State>& states = {}) {
    now_ -= hours{2};
    List(ListReason::kFirst, states);
    now_ += hours{2};
  }
  // What an Event that was created at `when` shows now.
  static State Since(WallTime when, std::int64_t count, std::string name = "a") {
    return {.name = std::move(name), .count = count, .first_time = when, .created = when};
  }
  // A recent Event that makes others old.
  void Newest() { Added({.name = "newest", .count = 1, .first_time = now_}); }
  void SaveAndRestart(std::size_t most = 1000) {
    Save(most);
    now_ += minutes{1};
    Restart();
  }
  State At(const State& state, std::uint64_t version) {
    State listed = state;
    listed.version = std::to_string(version);
    return listed;
  }
  // The list at the start, read when the server was far ahead: what the watch brings next is up to its version.
  void Resume(const std::vector<State>& states) {
    counter_->OnListBegin(0, ListReason::kResumed, now_);
    for (const State& state : states) Send(ChangeKind::kListed, state, 0);
    counter_->OnListCommitted(0, "1000", now_);
  }
  std::uint64_t Position() const { return saved_.scopes.at(0).position; }
};

}  // namespace kube_events::testing
