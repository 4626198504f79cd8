// What both programs have in common. Private to the app library; any thread.
#pragma once

#include <chrono>
#include <string_view>

#include "kube_events/base/error.h"

namespace kube_events {

// A loop that has not come round for so long is stuck; each comes round every few seconds when idle.
inline constexpr std::chrono::seconds kMaxLoopSilence{60};

// Tells on stderr, in one line, why a program cannot start or go on. Returns its exit code: 2 for what the command line
// or the configuration should say otherwise, else 1.
int Complain(std::string_view program, const Error& error);

}  // namespace kube_events
