// Runs a command to its end and collects what it says: --version and --dry-run. One command at a time.
// Owned by whoever asks; lives on an EventLoop, whose owner reaps all children and passes their ends on.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "kube_events/base/file_descriptor.h"
#include "kube_events/supervisor/child_process.h"
#include "kube_events/supervisor/event_loop.h"

namespace kube_events {

struct CommandOutcome {
  bool started = true;  // otherwise `output` says why not
  bool ended = true;    // by itself; otherwise it was killed after the timeout
  int exit_code = 0;    // see ExitCode()
  std::string output;   // stdout and stderr, the last 16 KiB
};

class CommandRunner {
 public:
  explicit CommandRunner(EventLoop& loop) : loop_(loop) {}
  // Kills a command under way.
  ~CommandRunner();

  // Calls `handler` once, never before it has returned. A command under way must have ended.
  void Run(ChildOptions command, std::chrono::milliseconds timeout, std::function<void(CommandOutcome)> handler);

  // A child ended. Returns whether it was the command, whose handler is then called.
  bool OnChildEnded(pid_t pid, int wait_status);

 private:
  void Read();
  void Finish(CommandOutcome outcome);

  EventLoop& loop_;
  pid_t pid_ = 0;
  bool timed_out_ = false;
  std::string output_;
  UniqueFd read_end_;
  std::unique_ptr<EventLoop::Watch> readable_;
  std::unique_ptr<EventLoop::Timer> timer_;
  std::function<void(CommandOutcome)> handler_;
};

// The lines of an output that say what is wrong, without colours, as one line of at most 500 bytes.
std::string EssenceOf(const std::string& output);

}  // namespace kube_events
