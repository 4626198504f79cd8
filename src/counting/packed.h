// Known as it is stored: times as integers, flags in spare bits. Plain functions, any thread.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>

#include "kube_events/counting/rules.h"

namespace kube_events {

// What a live entry and a tombstone have in common.
struct PackedKnown {
  std::uint64_t uid = 0;
  std::int64_t epoch_us = 0;  // 0: unset; the decoder takes 1970 for unset too
  std::uint32_t highest : 31 = 0;
  std::uint32_t baselined : 1 = 0;
  std::uint32_t last : 31 = 0;  // 0: the place is free
  std::uint32_t series_at_baseline : 1 = 0;
};
static_assert(sizeof(PackedKnown) == 24);

inline std::uint32_t PackTotal(std::int64_t total) {
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(total, 1, std::numeric_limits<std::int32_t>::max()));
}

// Seconds since 1970; 0: unset.
inline std::uint32_t PackSeconds(const OptionalTime& time) {
  if (!time) return 0;
  const auto seconds = std::chrono::floor<std::chrono::seconds>(*time).time_since_epoch().count();
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(seconds, 0, std::numeric_limits<std::uint32_t>::max()));
}

inline OptionalTime UnpackSeconds(std::uint32_t seconds) {
  return seconds == 0 ? OptionalTime{} : WallTime{std::chrono::seconds{seconds}};
}

inline OptionalTime UnpackEpoch(std::int64_t epoch_us) {
  return epoch_us == 0 ? OptionalTime{} : WallTime{std::chrono::microseconds{epoch_us}};
}

inline PackedKnown Pack(const Known& known) {
  PackedKnown packed;
  packed.uid = known.uid;
  packed.epoch_us = known.epoch ? known.epoch->time_since_epoch().count() : 0;
  packed.highest = PackTotal(known.highest) & 0x7fffffffU;
  packed.last = PackTotal(known.last) & 0x7fffffffU;
  packed.baselined = known.baselined ? 1 : 0;
  packed.series_at_baseline = known.series_at_baseline ? 1 : 0;
  return packed;
}

inline Known Unpack(const PackedKnown& packed) {
  Known known;
  known.uid = packed.uid;
  known.epoch = UnpackEpoch(packed.epoch_us);
  known.highest = packed.highest;
  known.last = packed.last;
  known.baselined = packed.baselined != 0;
  known.series_at_baseline = packed.series_at_baseline != 0;
  return known;
}

}  // namespace kube_events
