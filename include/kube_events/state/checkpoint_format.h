// A Checkpoint as the text that is stored: JSON, whose members docs/checkpoints.md lists. Pure functions, any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "kube_events/base/result.h"
#include "kube_events/state/checkpoint.h"

namespace kube_events {

struct EncodedCheckpoint {
  std::string text;
  bool cut = false;  // totals were left out, here or before
};

// At most `max_bytes` as long as the totals can be cut to it; the positions are always there.
EncodedCheckpoint EncodeCheckpoint(Checkpoint checkpoint, std::size_t max_bytes);

// Fails with kInvalid: reason "broken", or "future" for a format that this version does not know.
Result<Checkpoint> DecodeCheckpoint(std::string_view text);

}  // namespace kube_events
