// What the kernel knows about a process, for the standard process_* metrics. Values; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace kube_events {

struct ProcessStats {
  double cpu_seconds = 0;         // user and system
  double start_time_seconds = 0;  // Unix time
  double virtual_memory_bytes = 0;
  double resident_memory_bytes = 0;
  double threads = 0;
};

// Reads the state of this process from `proc` (its "self/stat" and "stat"); nothing where that cannot be read or
// understood. A few small reads, otherwise does not block.
std::optional<ProcessStats> ReadProcessStats(const std::string& proc = "/proc");

// Open file descriptors of this process, counted in `proc`/self/fd; nothing where that cannot be read.
std::optional<double> CountOpenFds(const std::string& proc = "/proc");

// The soft limit of open file descriptors; infinity where there is none.
std::optional<double> MaxFds();

}  // namespace kube_events
