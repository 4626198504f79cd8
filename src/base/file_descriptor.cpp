#include "kube_events/base/file_descriptor.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string>
#include <tuple>

namespace kube_events {

void UniqueFd::Reset() {
  if (fd_ >= 0) close(std::exchange(fd_, -1));
}

void FillStandardStreams() {
  // open(2) takes the lowest number that is free, which is this one.
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(fd, F_GETFD) < 0) std::ignore = open("/dev/null", fd == STDERR_FILENO ? O_WRONLY : O_RDONLY);
  }
}

Result<Pipe> MakePipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) {
    return Fail(ErrorKind::kRetry, std::string("cannot make a pipe: ") + std::strerror(errno));
  }
  return Pipe{UniqueFd(ends[0]), UniqueFd(ends[1])};
}

}  // namespace kube_events
