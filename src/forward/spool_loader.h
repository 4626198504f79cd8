// Finds what a process before has left in a spool's folder. Called once, by Spool::Open.
#pragma once

#include <cstdint>
#include <string>

#include "kube_events/base/clock.h"
#include "spool_folder.h"
#include "spool_index.h"

namespace kube_events {

struct LoadedSpool {
  SpoolIndex index;
  std::uint64_t next_sequence = 1;  // of the next file
  std::uint64_t damaged = 0;        // records and pieces of files that cannot be read
  std::string first_problem;
  OptionalTime intact_until;  // as in Spool::Opened
};

// Reads all files; the folder is locked. Leaves files of others alone. Fails with kConfiguration where the folder
// cannot be read.
Result<LoadedSpool> LoadSpool(const SpoolFolder& folder);

}  // namespace kube_events
