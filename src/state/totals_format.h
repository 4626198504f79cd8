// Saved totals as bytes: about 16 for each. Pure functions, any thread.
//
// First the living, then the tombstones, each in the order of their epochs:
//   key      8 bytes, little-endian
//   uid      4 bytes, little-endian
//   highest  varint of highest << 4 | flags: 1 baselined, 2 series at the baseline, 4 last differs, 8 no epoch
//   epoch    varint, microseconds since the epoch before it in this part (the first: since 1970); unless flag 8
//   last     varint, with flag 4
//   buried   1 byte, tombstones only: how many quarters of an hour before the checkpoint
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "kube_events/counting/saved_counts.h"

namespace kube_events {

std::string TotalsToBytes(const SavedCounts& counts, WallTime saved_at);
// Puts `live` and `tombstones` of them into `counts`; false where the bytes are not exactly that.
bool TotalsFromBytes(std::string_view bytes, std::size_t live, std::size_t tombstones, WallTime saved_at,
                     SavedCounts& counts);

}  // namespace kube_events
