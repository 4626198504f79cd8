#include "line_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>
#include <tuple>
#include <utility>

#include "kube_events/base/durable_file.h"

namespace kube_events {

Result<void> LineFile::Append(std::string_view lines) {
  rotation_problem_.clear();
  if (!file_ || !IsStillAt(file_.get(), options_.path)) {
    if (auto opened = Open(); !opened) return opened;
  }
  auto size = Size();
  if (!size) return Fail(size.error());
  if (options_.max_bytes > 0 && *size > 0 && *size + lines.size() > options_.max_bytes) {
    if (auto rotated = Rotate(); !rotated) return rotated;
    size = Size();
    if (!size) return Fail(size.error());
  }
  int code = torn_ ? WriteAll(file_.get(), "\n") : 0;
  if (code == 0) code = WriteAll(file_.get(), lines);
  if (code != 0) return TakeBack(*size, FileError("write", options_.path, code));
  if (::fsync(file_.get()) != 0) return TakeBack(*size, FileError("flush", options_.path, errno));
  torn_ = false;
  return {};
}

Result<void> LineFile::Open() {
  const std::filesystem::path& path = options_.path;
  // Without O_NONBLOCK a pipe that nobody reads would hold us up before it can be refused.
  constexpr int kFlags = O_RDWR | O_APPEND | O_CLOEXEC | O_NONBLOCK;
  file_ = UniqueFd(::open(path.c_str(), kFlags));
  const bool is_new = !file_ && errno == ENOENT;
  if (is_new) file_ = UniqueFd(::open(path.c_str(), kFlags | O_CREAT, options_.mode));
  if (!file_) return Fail(FileError("open", path, errno));
  struct stat status {};
  if (::fstat(file_.get(), &status) != 0) return Fail(FileError("open", path, errno));
  if (!S_ISREG(status.st_mode)) {
    file_.Reset();
    return Fail({ErrorKind::kRetry, path.string() + " is not a regular file; name another one", {}, "file"});
  }
  std::error_code code;
  real_path_ = std::filesystem::canonical(path, code);
  if (code) real_path_ = path;
  char last = '\n';
  torn_ = status.st_size > 0 && ::pread(file_.get(), &last, 1, status.st_size - 1) == 1 && last != '\n';
  if (!is_new) return {};
  if (auto flushed = FlushFolderOf(real_path_); !flushed) {
    file_.Reset();
    return flushed;
  }
  return {};
}

// Where it cannot be rotated, rather a file that is too large than none.
Result<void> LineFile::Rotate() {
  const auto problem = [this](int code) {
    rotation_problem_ = FileError("rotate", options_.path, code).message;
    return Result<void>{};
  };
  if (torn_) std::ignore = WriteAll(file_.get(), "\n");  // it stays behind
  if (options_.max_files == 0) {
    if (::unlink(real_path_.c_str()) != 0) return problem(errno);
    return Open();
  }
  for (int number = options_.max_files; number > 0; --number) {
    const std::filesystem::path from = number > 1 ? Rotated(number - 1) : real_path_;
    if (std::rename(from.c_str(), Rotated(number).c_str()) != 0 && errno != ENOENT) return problem(errno);
  }
  return Open();
}

Result<std::uint64_t> LineFile::Size() const {
  struct stat status {};
  if (::fstat(file_.get(), &status) != 0) return Fail(FileError("look at", options_.path, errno));
  return static_cast<std::uint64_t>(status.st_size);
}

// Cuts off what a failed Append has left. Where even that fails, the half line is ended when the file is opened next.
Result<void> LineFile::TakeBack(std::uint64_t size, const Error& why) {
  const auto now = Size();
  if (now && *now > size && ::ftruncate(file_.get(), static_cast<off_t>(size)) != 0) file_.Reset();
  return Fail(why);
}

std::filesystem::path LineFile::Rotated(int number) const { return real_path_.string() + "." + std::to_string(number); }

}  // namespace kube_events
