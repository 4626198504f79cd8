// Shorthands of the tests of the rules: what is known, what is seen, where.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <ostream>

#include "kube_events/counting/rules.h"

namespace kube_events {

inline void PrintTo(const Occurrences& occurrences, std::ostream* out) {
  *out << "add " << occurrences.add << ", counted " << occurrences.uncertain_counted << ", not counted "
       << occurrences.uncertain_not_counted << (occurrences.baseline ? ", baseline" : "");
}

namespace testing {

inline constexpr WallTime kHorizon{std::chrono::hours{100}};
inline constexpr WallTime kEarlier = kHorizon - std::chrono::minutes{10};
inline constexpr WallTime kLater = kHorizon + std::chrono::minutes{10};
inline constexpr WallTime kLatest = kHorizon + std::chrono::minutes{20};
inline constexpr std::uint64_t kUid = 1;
inline constexpr std::uint64_t kOtherUid = 2;

// An hour after the horizon, nothing special.
inline RuleContext Context() {
  RuleContext context;
  context.now = kHorizon + std::chrono::hours{1};
  context.horizon = kHorizon;
  return context;
}

inline RuleContext At(Moment moment) {
  RuleContext context = Context();
  context.moment = moment;
  return context;
}

inline RuleContext WithSelector() {
  RuleContext context = Context();
  context.label_selector = true;
  return context;
}

inline Sighting See(std::int64_t total, OptionalTime epoch = kLater, std::uint64_t uid = kUid) {
  Sighting sighting;
  sighting.uid = uid;
  sighting.epoch = epoch;
  sighting.total = total;
  return sighting;
}

inline Sighting Series(Sighting sighting) {
  sighting.has_series = true;
  return sighting;
}

inline Known Knows(std::int64_t total, OptionalTime epoch = kLater) {
  Known known;
  known.uid = kUid;
  known.epoch = epoch;
  known.highest = total;
  known.last = total;
  known.resource_version = 10;
  return known;
}

inline Known Baselined(std::int64_t total, bool series, OptionalTime epoch = kEarlier) {
  Known known = Knows(total, epoch);
  known.baselined = true;
  known.series_at_baseline = series;
  return known;
}

inline Occurrences Adds(std::int64_t add, std::int64_t counted = 0, std::int64_t not_counted = 0) {
  return {.add = add, .uncertain_counted = counted, .uncertain_not_counted = not_counted};
}

// Decides about a state that is newer than what is known.
inline Verdict Judge(const std::optional<Known>& known, Sighting sighting, const RuleContext& context = Context()) {
  sighting.resource_version = known ? known->resource_version + 1 : 1;
  return Decide(known, sighting, context);
}

inline Occurrences First(const Sighting& sighting, const RuleContext& context = Context()) {
  return Judge(std::nullopt, sighting, context).occurrences;
}

}  // namespace testing
}  // namespace kube_events
