// Runs another program to its end and takes what it writes: for plugins that must neither hang nor outlive us.
// One call from start to end, without state; any thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <stop_token>
#include <string>
#include <vector>

#include "kube_events/base/result.h"

namespace kube_events {

struct Command {
  std::string program;  // a path, or a name that is looked up in PATH
  std::vector<std::string> arguments;
  std::vector<std::string> environment;  // "NAME=value", all that the program gets
  std::chrono::milliseconds timeout{60'000};
  std::size_t max_output = std::size_t{1} << 20;  // bytes of stdout; more is a failure
};

struct CommandResult {
  int exit_code = 0;       // 128 + signal where one ended it
  std::string output;      // all of stdout
  std::string last_words;  // the end of stderr, at most 1 KiB
};

// Runs it with nothing to read, in a process group of its own, with no signal blocked or ignored. Blocks until it has
// ended, at most `timeout` or until a stop is requested; then the whole group is killed. Fails with kConfiguration
// where it cannot be started, kRetry where it took too long or wrote too much, kCancelled after a stop. What it wrote
// is never in an error.
Result<CommandResult> RunCommand(const Command& command, const std::stop_token& stop);

// How a process ended, from the status of waitpid(2): its exit code, or 128 + the number of the signal that killed it.
int ExitCode(int wait_status);

}  // namespace kube_events
