// What the programs that end an exporter, or take something away from it, have in common.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "sim/load_generator.h"

namespace kube_events::chaos {

// Says what failed, on stdout, and returns `good`.
bool Check(bool good, const std::string& what);

// Events that are repeated, deleted and created anew at a pace that every machine keeps.
sim::LoadOptions SteadyLoad(std::uint64_t seed);

// Runs a trial with a new folder for the exporters' logs, which is kept where it fails or throws. Returns the exit code
// of `program`: 0 passed, 1 failed, 2 it could not be run.
int RunTrial(const std::string& program, std::uint64_t seed, const std::function<bool(const std::string& folder)>& run);

}  // namespace kube_events::chaos
