#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <string>
#include <system_error>
#include <tuple>
#include <utility>

#include "descriptor_sink.h"
#include "kube_events/base/file_descriptor.h"
#include "kube_events/forward/sinks.h"
#include "line_buffer.h"

namespace kube_events {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

// A file descriptor to which writing does not wait, as far as the kind of file allows.
class Output {
 public:
  static Result<Output> Of(int fd) {
    struct stat status {};
    Output output;
    output.fd_ = UniqueFd(::fcntl(fd, F_DUPFD_CLOEXEC, 0));
    // Readable only: what FillStandardStreams() puts in the place of a closed one. It must not be opened once more
    // below.
    const bool readable_only = (::fcntl(fd, F_GETFL) & O_ACCMODE) == O_RDONLY;
    if (!output.fd_ || readable_only || ::fstat(fd, &status) != 0) {
      return Fail(ErrorKind::kConfiguration, "standard output is closed; a stdout sink needs it open");
    }
    output.is_socket_ = S_ISSOCK(status.st_mode);
    // O_NONBLOCK would be shared with whoever has the same pipe or terminal, stderr among them, so it is opened once
    // more where that is allowed.
    if (S_ISFIFO(status.st_mode) || S_ISCHR(status.st_mode)) {
      const std::string path = "/proc/self/fd/" + std::to_string(fd);
      UniqueFd own(::open(path.c_str(), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
      output.most_ = own ? SIZE_MAX : PIPE_BUF;
      if (own) output.fd_ = std::move(own);
    }
    return output;
  }

  int fd() const { return fd_.get(); }

  // Once poll(2) has said that there is room; as write(2).
  ssize_t Write(std::string_view bytes) const {
    if (is_socket_) return ::send(fd_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    return ::write(fd_.get(), bytes.data(), std::min(bytes.size(), most_));
  }

 private:
  Output() = default;

  UniqueFd fd_;
  bool is_socket_ = false;
  std::size_t most_ = SIZE_MAX;  // at once: a pipe that is writable has room for PIPE_BUF bytes (pipe(7))
};

class DescriptorSink final : public Sink {
 public:
  DescriptorSink(Output output, UniqueFd wake, RecordFormatOptions options)
      : output_(std::move(output)), wake_(std::move(wake)), lines_(std::move(options)) {}

  Result<void> Send(std::span<const RecordPtr> batch, const SendLimits& limits) override {
    std::uint64_t woken = 0;
    std::ignore = ::read(wake_.get(), &woken, sizeof woken);  // by an earlier stop
    const std::stop_callback on_stop(limits.stop, [this] {
      const std::uint64_t one = 1;
      std::ignore = ::write(wake_.get(), &one, sizeof one);
    });
    const std::string_view lines = lines_.Write(batch);
    const Deadline deadline{steady_clock::now() + limits.timeout, limits};
    if (lines.substr(0, written_) != std::string_view(text_).substr(0, written_)) {
      // Not the batch that was begun: its line is ended, the rest of it may come again.
      const std::size_t line_end = text_.find('\n', written_ - 1) + 1;
      if (auto ended = WriteUpTo(line_end, deadline); !ended) return ended;
      written_ = 0;
    }
    text_ = lines;
    auto written = WriteUpTo(text_.size(), deadline);
    if (!written) return written;
    written_ = 0;
    text_.clear();
    return {};
  }

 private:
  struct Deadline {
    steady_clock::time_point end;
    const SendLimits& limits;
  };

  // Writes text_ from written_ to `end`.
  Result<void> WriteUpTo(std::size_t end, const Deadline& deadline) {
    while (written_ < end) {
      if (auto ready = AwaitRoom(deadline); !ready) return ready;
      const ssize_t got = output_.Write(std::string_view(text_).substr(written_, end - written_));
      if (got >= 0) {
        written_ += static_cast<std::size_t>(got);
      } else if (errno != EINTR && errno != EAGAIN) {
        return Failed(errno);
      }
    }
    return {};
  }

  Result<void> AwaitRoom(const Deadline& deadline) const {
    while (true) {
      if (deadline.limits.stop.stop_requested()) {
        return Fail(ErrorKind::kCancelled, "writing to standard output was stopped");
      }
      const auto left = std::max(milliseconds{0}, std::chrono::ceil<milliseconds>(deadline.end - steady_clock::now()));
      std::array<pollfd, 2> fds{pollfd{output_.fd(), POLLOUT, 0}, pollfd{wake_.get(), POLLIN, 0}};
      const int longest = static_cast<int>(std::min<milliseconds::rep>(left.count(), INT_MAX));
      if (::poll(fds.data(), fds.size(), longest) < 0 && errno != EINTR) return Failed(errno);
      // Also after the time is over: what has room is written, so that every call gets on.
      if (fds[0].revents != 0) return {};
      if (left == milliseconds{0}) return TimedOut(deadline.limits.timeout);
    }
  }

  static tl::unexpected<Error> Failed(int code) {
    return Fail({ErrorKind::kRetry,
                 "cannot write to standard output: " + std::generic_category().message(code) +
                     (code == EPIPE ? "; whoever read it has gone" : ""),
                 {},
                 "write"});
  }

  tl::unexpected<Error> TimedOut(milliseconds timeout) const {
    return Fail({ErrorKind::kRetry,
                 "standard output is not read: within " + std::to_string(timeout.count()) + " ms it took " +
                     std::to_string(written_) + " of " + std::to_string(text_.size()) + " bytes",
                 {},
                 "timeout"});
  }

  Output output_;
  UniqueFd wake_;
  LineBuffer lines_;
  // The batch that was begun and not ended, and how much of it is written.
  std::string text_;
  std::size_t written_ = 0;
};

}  // namespace

Result<std::unique_ptr<Sink>> MakeDescriptorSink(int fd, RecordFormatOptions options) {
  auto output = Output::Of(fd);
  if (!output) return Fail(output.error());
  UniqueFd wake(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!wake) return Fail(ErrorKind::kConfiguration, "no file descriptor is left for a stdout sink");
  return std::make_unique<DescriptorSink>(std::move(*output), std::move(wake), std::move(options));
}

Result<std::unique_ptr<Sink>> MakeStdoutSink(const SinkSettings& settings, SinkParts parts) {
  return MakeDescriptorSink(STDOUT_FILENO, {settings.format, std::move(parts.cluster_name)});
}

}  // namespace kube_events
