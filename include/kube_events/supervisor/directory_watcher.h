// Says that something may have changed below some folders: by inotify, and where that does not work by polling.
// Which change it was does not matter, since whoever is told compares contents.
// Owned by the ConfigMonitor; lives on an EventLoop.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "kube_events/base/file_descriptor.h"
#include "kube_events/base/logging.h"
#include "kube_events/supervisor/event_loop.h"
#include "kube_events/supervisor/folders.h"

namespace kube_events {

struct DirectoryWatcherOptions {
  bool poll = false;  // never use inotify
  std::chrono::milliseconds poll_interval{1'000};
  // Asked when polling; another value than before is a change.
  std::function<std::uint64_t()> stamp;
  std::function<void()> on_change;
  std::function<void()> on_error;  // inotify failed; polling goes on instead
  Logger logger = {};
};

class DirectoryWatcher {
 public:
  DirectoryWatcher(EventLoop& loop, DirectoryWatcherOptions options);
  ~DirectoryWatcher();

  // From now on these folders, and no others. Returns whether one was added that was not watched before: what
  // happened there until now was not seen.
  bool Watch(const Folders& folders);
  bool Polling() const { return poll_timer_ != nullptr; }
  std::size_t Watches() const { return by_path_.size(); }

 private:
  bool Add(const std::filesystem::path& folder, const FolderInterest& interest);
  void RemoveAllBut(const Folders& folders);
  void Read();
  bool Concerns(const char* events, std::size_t size);
  void Poll();
  void FallBack(const std::string& why);
  void StartPolling();

  EventLoop& loop_;
  const DirectoryWatcherOptions options_;
  UniqueFd inotify_;
  std::map<std::filesystem::path, int> by_path_;
  std::map<int, FolderInterest> interests_;  // links can lead several paths to one folder
  std::unique_ptr<EventLoop::Watch> readable_;
  std::unique_ptr<EventLoop::Timer> poll_timer_;
  std::uint64_t last_stamp_ = 0;
};

}  // namespace kube_events
