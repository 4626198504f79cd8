#include "counted_scope.h"

#include <algorithm>

#include "kube_events/base/resource_version.h"

namespace kube_events {

void CountedScope::Resume(const SavedScope& saved, bool complete) {
  stage_ = Stage::kResuming;
  horizon_ = saved.horizon;
  baseline_time_ = saved.baseline_time;
  counted_until_ = saved.horizon;
  newest_ = saved.newest;
  resumed_newest_listed_ = saved.newest_listed;
  resumed_ = {saved.position, saved.baseline_time, saved.newest, complete};
}

void CountedScope::BeginList(ListReason reason, WallTime server_time) {
  reason_ = reason;
  ++list_;
  if (reason == ListReason::kRelist || reason == ListReason::kResumed) return;
  horizon_ = server_time;
  if (reason == ListReason::kFirst) {
    // A first list that has to be started again is a later baseline: what happened between the two attempts is in the
    // second one and adds nothing, so observation begins with that one.
    baseline_time_ = server_time;
    newest_listed_.reset();
    stage_ = Stage::kCold;
  } else {
    stage_ = Stage::kSteady;  // the position of a checkpoint means nothing any more
  }
}

void CountedScope::CommitList(std::string_view version, WallTime server_time) {
  if (reason_ == ListReason::kResumed) {
    list_version_ = ParseResourceVersion(version).value_or(0);
    stage_ = list_version_ > resumed_.position ? Stage::kCatchingUp : Stage::kSteady;
    return;
  }
  stage_ = Stage::kSteady;
  counted_until_ = std::max(counted_until_, server_time);
  newest_ = std::max(newest_, newest_listed_);
  newest_listed_.reset();
}

Moment CountedScope::MomentOf(const Change& change, std::uint64_t version) {
  if (change.kind != ChangeKind::kListed) {
    if (stage_ == Stage::kCatchingUp && version > list_version_) stage_ = Stage::kSteady;
    return stage_ == Stage::kCatchingUp ? Moment::kCatchUp : Moment::kOther;
  }
  switch (reason_) {
    case ListReason::kFirst:
      return Moment::kFirstList;
    case ListReason::kRestored:
      return Moment::kRestoredList;
    case ListReason::kResumed:
      return Moment::kResumedList;
    case ListReason::kRelist:
      break;
  }
  return stage_ == Stage::kSteady ? Moment::kOther : Moment::kLostList;
}

RuleContext CountedScope::ContextOf(const Change& change, std::uint64_t version) {
  RuleContext context;
  context.moment = MomentOf(change, version);
  context.now = change.server_time;
  context.horizon = horizon_;
  context.label_selector = label_selector_;
  context.resumed = resumed_;
  return context;
}

void CountedScope::Counted(const Change& change) {
  const bool listed = change.kind == ChangeKind::kListed;
  if (listed && reason_ == ListReason::kResumed) return;  // before the position, or after it and told again
  counted_until_ = std::max(counted_until_, change.server_time);
  OptionalTime& newest = listed ? newest_listed_ : newest_;
  newest = std::max(newest, change.event.creation_time);
}

SavedScope CountedScope::Save(ScopeIndex index) const {
  return {.scope = index,
          .position = 0,
          .horizon = counted_until_,
          .baseline_time = baseline_time_,
          .newest = newest_,
          .newest_listed = caught_up() ? newest_listed_ : std::max(newest_listed_, resumed_newest_listed_)};
}

}  // namespace kube_events
