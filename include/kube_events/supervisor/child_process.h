// Starting programs as they expect to be started, whatever this process did to its signals, and telling how they ended.
// Functions for the thread of the EventLoop: the children are killed when the thread that started them ends.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "kube_events/base/result.h"

namespace kube_events {

struct ChildOptions {
  std::vector<std::string> command;      // the program's path first, then its arguments
  std::filesystem::path directory = {};  // to run in; empty: where this process runs
  int stdout_fd = -1;                    // -1: as this process
  int stderr_fd = -1;
};

// Starts a program with an empty signal mask, all signals at their defaults, no file descriptor but 0, 1 and 2, and
// SIGKILL for the case that the calling thread ends. Result: its process id; it has to be reaped. Fails with
// kConfiguration where the program cannot be executed, with kRetry where the system has no process left: the message
// names the path. Blocks until the program has been executed, some milliseconds.
//
// The death signal follows the thread that forked (prctl(2), PR_SET_PDEATHSIG), hence the rule about threads above.
Result<pid_t> StartChild(const ChildOptions& options);

// How a process ended, from the status of waitpid(2), in words: "exited with code 3", "was killed by signal 9
// (Killed)".
std::string DescribeExit(int wait_status);

// All children that have ended since the last call, orphans that were handed to this process included. Does not block.
std::vector<std::pair<pid_t, int>> ReapChildren();

// Has orphaned descendants handed to this process, as to PID 1, so that none stays a zombie.
void AdoptOrphans();

}  // namespace kube_events
