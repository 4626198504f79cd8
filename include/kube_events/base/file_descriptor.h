// Owning file descriptors, so that no path out of a function leaves one open. Values of whoever holds them; any thread.
#pragma once

#include <utility>

#include "kube_events/base/result.h"

namespace kube_events {

// Closes its file descriptor. Movable.
class UniqueFd {
 public:
  explicit UniqueFd(int fd = -1) : fd_(fd) {}
  UniqueFd(UniqueFd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  UniqueFd& operator=(UniqueFd&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~UniqueFd() { Reset(); }

  // -1 where there is none.
  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  // Closes it now. Does nothing where there is none.
  void Reset();

 private:
  int fd_;
};

// For the first line of a program. Where its stdin, stdout or stderr is closed, the next file that is opened would take
// its number, and what is meant for stdout would be written into it. Puts /dev/null there instead, as stdout for
// reading only, so that a write to it still fails. Before there are threads. Does not block.
void FillStandardStreams();

// A pipe whose ends are closed in programs that are executed (O_CLOEXEC).
struct Pipe {
  UniqueFd read_end;
  UniqueFd write_end;
};

// Fails with kRetry where no file descriptor is left. Does not block.
Result<Pipe> MakePipe();

}  // namespace kube_events
