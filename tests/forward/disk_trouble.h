// What goes wrong with disks, for the length of a test. Each is owned by a test, on its thread.
#pragma once

#include <sys/fsuid.h>
#include <sys/mount.h>
#include <sys/resource.h>

#include <csignal>
#include <cstdint>
#include <filesystem>
#include <string>

namespace kube_events::testing {

// No file of this process can grow beyond so many bytes: as much of a write as fits is done, more of it fails.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(std::uint64_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit before_{};
  sighandler_t handler_;
};

// Files are opened as a user who may not write anywhere of ours, by this thread; root loses its privilege over files.
class AsNobody {
 public:
  AsNobody() : before_(::setfsuid(65'534)) {}
  ~AsNobody() { ::setfsuid(static_cast<uid_t>(before_)); }
  AsNobody(const AsNobody&) = delete;
  AsNobody& operator=(const AsNobody&) = delete;

  // Whether it works: only root can become somebody else.
  static bool Works() {
    const AsNobody nobody;
    return ::setfsuid(65'534) == 65'534;
  }

 private:
  int before_;
};

// A disk of its own at an empty folder, for those who may mount one.
class SmallDisk {
 public:
  SmallDisk(std::filesystem::path folder, const std::string& size) : folder_(std::move(folder)) {
    mounted_ = ::mount("tmpfs", folder_.c_str(), "tmpfs", 0, ("size=" + size).c_str()) == 0;
  }
  ~SmallDisk() {
    if (mounted_) ::umount2(folder_.c_str(), MNT_DETACH);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

  bool mounted() const { return mounted_; }

 private:
  std::filesystem::path folder_;
  bool mounted_ = false;
};

}  // namespace kube_events::testing
