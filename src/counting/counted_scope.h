// What OccurrenceCounter knows of one scope: where its lists stand and since when it is observed. No threads, no I/O.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "kube_events/counting/rules.h"
#include "kube_events/counting/saved_counts.h"
#include "kube_events/informer/change_consumer.h"

namespace kube_events {

class CountedScope {
 public:
  explicit CountedScope(bool label_selector) : label_selector_(label_selector) {}

  // Goes on from a checkpoint, whose totals were `complete` or not.
  void Resume(const SavedScope& saved, bool complete);
  void BeginList(ListReason reason, WallTime server_time);
  void CommitList(std::string_view version, WallTime server_time);
  // Before the rules: what time and moment this change belongs to. `version`: of the object, 0 where it is no number.
  RuleContext ContextOf(const Change& change, std::uint64_t version);
  // After them: the change was counted.
  void Counted(const Change& change);

  ListReason reason() const { return reason_; }
  std::uint16_t list() const { return list_; }
  WallTime baseline_time() const { return baseline_time_; }
  OptionalTime newest() const { return newest_; }
  // See SavedScope::newest_listed, of the checkpoint that it goes on from.
  OptionalTime resumed_newest_listed() const { return resumed_newest_listed_; }
  // Has had its first list, in this process or before.
  bool started() const { return stage_ != Stage::kCold; }
  // Everything that lives is among what the cache knows.
  bool caught_up() const { return stage_ == Stage::kCold || stage_ == Stage::kSteady; }
  bool complete() const { return caught_up() || resumed_.complete; }
  SavedScope Save(ScopeIndex index) const;

 private:
  enum class Stage {
    kCold,        // before the first list
    kResuming,    // before the first list after a restart
    kCatchingUp,  // between that list and the change that goes beyond its version
    kSteady,
  };
  Moment MomentOf(const Change& change, std::uint64_t version);

  bool label_selector_;
  Stage stage_ = Stage::kCold;
  ListReason reason_ = ListReason::kFirst;  // of the list being read or read last
  std::uint16_t list_ = 0;
  Resumed resumed_;
  std::uint64_t list_version_ = 0;                              // of the list after a restart
  WallTime horizon_ = WallTime::max() - std::chrono::hours{1};  // nothing is fresh before the first list
  WallTime baseline_time_;
  WallTime counted_until_;
  OptionalTime newest_;         // as of the position: a list counts when it is committed
  OptionalTime newest_listed_;  // by lists since then, also by those that broke off
  OptionalTime resumed_newest_listed_;
};

}  // namespace kube_events
