#include "kube_events/supervisor/log_tee.h"

#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

namespace kube_events {
namespace {

// A line that is longer is passed on in pieces.
constexpr std::size_t kMaxLine = std::size_t{16} * 1024;

}  // namespace

LogTee::LogTee(EventLoop& loop, UniqueFd source, int sink) : loop_(loop), source_(std::move(source)), sink_(sink) {
  fcntl(source_.get(), F_SETFL, O_NONBLOCK);
  readable_ = loop_.WatchFd(source_.get(), EventLoop::Ready::kToRead, [this] { Read(); });
}

void LogTee::Read() {
  if (!Fill()) ended_ = true;
  // Nothing more is read until this is written.
  if (Complete() > 0) {
    writable_ = loop_.WatchFd(sink_, EventLoop::Ready::kToWrite, [this] { Write(); });
    readable_.reset();
  } else if (ended_) {
    readable_.reset();
  }
}

// Reads once. Returns false at the end of the pipe.
bool LogTee::Fill() {
  std::array<char, 8'192> piece;
  const ssize_t size = read(source_.get(), piece.data(), piece.size());
  if (size <= 0) return size < 0 && (errno == EAGAIN || errno == EINTR);
  buffer_.append(piece.data(), static_cast<std::size_t>(size));
  for (auto end = buffer_.find('\n', examined_); end != buffer_.npos; end = buffer_.find('\n', examined_)) {
    Count(std::string_view(buffer_).substr(examined_, end - examined_));
    examined_ = end + 1;
  }
  return true;
}

void LogTee::Count(std::string_view line) {
  const auto says = [line](std::string_view words) { return line.find(words) != line.npos; };
  if (says("[reload] successful reload done")) ++counts_.reloaded;
  if (says("reloading in progress, aborting")) ++counts_.aborted;
  if (says("hot reloading is not enabled")) ++counts_.disabled;
}

std::size_t LogTee::Complete() const { return ended_ || buffer_.size() > kMaxLine ? buffer_.size() : examined_; }

// A write of at most PIPE_BUF bytes to a pipe that can be written does not block.
void LogTee::Write() {
  const ssize_t written = write(sink_, buffer_.data(), std::min<std::size_t>(Complete(), PIPE_BUF));
  if (written < 0 && (errno == EAGAIN || errno == EINTR)) return;
  // A sink that is gone takes nothing; the child goes on all the same.
  const std::size_t done = written > 0 ? static_cast<std::size_t>(written) : buffer_.size();
  buffer_.erase(0, done);
  examined_ -= std::min(examined_, done);
  if (Complete() > 0) return;
  if (!ended_) readable_ = loop_.WatchFd(source_.get(), EventLoop::Ready::kToRead, [this] { Read(); });
  writable_.reset();
}

void LogTee::Drain() {
  for (std::size_t before = std::string::npos; before != buffer_.size();) {
    before = buffer_.size();
    if (!Fill()) break;
  }
  for (std::string_view rest = buffer_; !rest.empty();) {
    const ssize_t written = write(sink_, rest.data(), rest.size());
    if (written <= 0 && errno != EINTR) break;
    rest.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(written, 0)));
  }
  buffer_.clear();
}

}  // namespace kube_events
