// Passes the child's stderr on to ours, whole lines at a time, and reads from it what became of reloads.
// Owned by the Supervisor; lives on an EventLoop.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "kube_events/base/file_descriptor.h"
#include "kube_events/supervisor/event_loop.h"

namespace kube_events {

// How often the log said so.
struct LogCounts {
  std::uint64_t reloaded = 0;  // "[reload] successful reload done."
  std::uint64_t aborted = 0;   // "reloading in progress, aborting.": a signal was dropped
  std::uint64_t disabled = 0;  // "hot reloading is not enabled"
};

class LogTee {
 public:
  // Reads from `source`, a pipe, and writes to `sink`, which must stay open; never while `sink` would block, so that a
  // reader who is slow slows the child down, as without us, but never this loop.
  LogTee(EventLoop& loop, UniqueFd source, int sink);

  const LogCounts& Counts() const { return counts_; }
  // Passes on what is still in the pipe, after the child's end. Blocks as `sink` does.
  void Drain();

 private:
  void Read();
  void Write();
  void Count(std::string_view line);
  bool Fill();
  std::size_t Complete() const;

  EventLoop& loop_;
  UniqueFd source_;
  const int sink_;
  std::string buffer_;        // not passed on yet
  std::size_t examined_ = 0;  // of it
  bool ended_ = false;        // the pipe
  LogCounts counts_;
  std::unique_ptr<EventLoop::Watch> readable_;
  std::unique_ptr<EventLoop::Watch> writable_;
};

}  // namespace kube_events
