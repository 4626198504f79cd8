// An OccurrenceCounter with an API server made of lines of a test: objects by name, versions that count up, a clock.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kube_events/counting/occurrence_counter.h"

namespace kube_events::testing {

// One state of an object; what is left out is unset.
struct State {
  std::string name = "a";
  std::int64_t count = 0;
  OptionalTime first_time = std::nullopt;
  std::string uid = "uid-1";
  std::int64_t series = 0;  // 0: none
  OptionalTime event_time = std::nullopt;
  std::string version = {};             // empty: the next one
  OptionalTime created = std::nullopt;  // unset: now
};

class CounterFixture : public ::testing::Test, private OccurrenceSink {
 protected:
  using seconds = std::chrono::seconds;
  using minutes = std::chrono::minutes;
  using hours = std::chrono::hours;

  static constexpr WallTime kStart{std::chrono::seconds{1'767'225'600}};

  CounterFixture() : CounterFixture(OneScope({})) {}
  explicit CounterFixture(OccurrenceCounterOptions options) : options_(std::move(options)) {
    counter_.emplace(options_, sink_);
  }

  static OccurrenceCounterOptions OneScope(const std::string& label_selector) {
    OccurrenceCounterOptions options;
    options.scopes.push_back({EventApi::kCoreV1, "", label_selector, ""});
    return options;
  }

  // A whole list.
  void List(ListReason reason, const std::vector<State>& states, ScopeIndex scope = 0) {
    counter_->OnListBegin(scope, reason, now_);
    for (const State& state : states) Send(ChangeKind::kListed, state, scope);
    counter_->OnListCommitted(scope, std::to_string(version_), now_);
  }
  void Added(const State& state) { Send(ChangeKind::kAdded, state, 0); }
  void Modified(const State& state) { Send(ChangeKind::kModified, state, 0); }
  void Deleted(const State& state) { Send(ChangeKind::kDeleted, state, 0); }

  void Send(ChangeKind kind, const State& state, ScopeIndex scope) {
    const std::string version = state.version.empty() ? std::to_string(++version_) : state.version;
    Event event;
    event.namespace_name = "shop";
    event.name = state.name;
    event.uid = state.uid;
    event.resource_version = version;
    event.creation_time = state.created ? state.created : OptionalTime{now_};
    event.count = state.count;
    event.first_time = state.first_time;
    event.event_time = state.event_time;
    event.has_series = state.series > 0;
    event.series_count = state.series;
    last_ = {};
    counter_->OnChange({scope, kind, event, "{}", now_});
  }

  // The process ends now and another one goes on from what it saved last: at most `most` totals.
  void Save(std::size_t most = 1000) {
    saved_ = counter_->Export(most);
    for (SavedScope& scope : saved_.scopes) scope.position = version_;
  }
  void Restart() { RestartAt(now_); }
  // On a machine with another clock.
  void RestartAt(WallTime clock) {
    options_.hash_seed = 77;  // the checkpoint's counts
    counter_.emplace(options_, sink_);
    counter_->Restore(saved_, clock);
  }

  // What the last change meant.
  void ExpectLast(std::int64_t add, std::int64_t counted = 0, std::int64_t not_counted = 0) const {
    EXPECT_EQ(last_.add, add);
    EXPECT_EQ(last_.uncertain_counted, counted);
    EXPECT_EQ(last_.uncertain_not_counted, not_counted);
  }

  OccurrenceSink& sink_ = *this;
  OccurrenceCounterOptions options_;
  std::optional<OccurrenceCounter> counter_;
  SavedCounts saved_;
  WallTime now_ = kStart;
  Occurrences last_;
  std::int64_t value_ = 0;
  int calls_ = 0;
  int baselines_ = 0;

 private:
  void OnOccurrences(const Change&, const Occurrences& occurrences) override {
    last_ = occurrences;
    value_ += occurrences.add;
    ++calls_;
    baselines_ += occurrences.baseline ? 1 : 0;
  }

  std::uint64_t version_ = 100;
};

}  // namespace kube_events::testing
