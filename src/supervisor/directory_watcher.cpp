#include "kube_events/supervisor/directory_watcher.h"

#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace kube_events {
namespace {

// Everything but reading. Which of them a change brings differs between file systems.
constexpr std::uint32_t kEvents = IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_MODIFY | IN_CLOSE_WRITE | IN_ATTRIB |
                                  IN_DELETE | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR | IN_EXCL_UNLINK;

std::string Explain(int error) {
  if (error == ENOSPC) return "the limit fs.inotify.max_user_watches is reached";
  if (error == EMFILE) return "the limit fs.inotify.max_user_instances is reached";
  return std::strerror(error);
}

}  // namespace

DirectoryWatcher::DirectoryWatcher(EventLoop& loop, DirectoryWatcherOptions options)
    : loop_(loop), options_(std::move(options)) {
  if (options_.poll) {
    StartPolling();
    return;
  }
  inotify_ = UniqueFd(inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
  if (!inotify_) {
    FallBack(Explain(errno));
    return;
  }
  readable_ = loop_.WatchFd(inotify_.get(), EventLoop::Ready::kToRead, [this] { Read(); });
}

DirectoryWatcher::~DirectoryWatcher() = default;

bool DirectoryWatcher::Watch(const Folders& folders) {
  if (Polling()) return false;
  RemoveAllBut(folders);
  interests_.clear();
  bool added = false;
  for (const auto& [folder, interest] : folders) added = Add(folder, interest) || added;
  return added;
}

// Returns whether it was not watched before. A folder that vanished meanwhile is none of our worries: its parent tells.
bool DirectoryWatcher::Add(const std::filesystem::path& folder, const FolderInterest& interest) {
  if (Polling()) return false;
  const int watch = inotify_add_watch(inotify_.get(), folder.c_str(), kEvents);
  if (watch < 0) {
    if (errno != ENOENT && errno != ENOTDIR && errno != ELOOP && errno != EACCES) {
      FallBack(folder.string() + ": " + Explain(errno));
    }
    return false;
  }
  FolderInterest& known = interests_[watch];
  known.all = known.all || interest.all;
  known.names.insert(interest.names.begin(), interest.names.end());
  // The path may lead to another folder than before.
  const auto [entry, is_new] = by_path_.try_emplace(folder, watch);
  return is_new || std::exchange(entry->second, watch) != watch;
}

void DirectoryWatcher::RemoveAllBut(const Folders& folders) {
  for (auto entry = by_path_.begin(); entry != by_path_.end();) {
    if (folders.contains(entry->first)) {
      ++entry;
      continue;
    }
    // Another path may lead to the same folder; it is watched again by its name.
    inotify_rm_watch(inotify_.get(), entry->second);
    const int removed = entry->second;
    by_path_.erase(entry);
    std::erase_if(by_path_, [removed](const auto& other) { return other.second == removed; });
    entry = by_path_.begin();
  }
}

void DirectoryWatcher::Read() {
  alignas(inotify_event) std::array<char, 16'384> buffer;
  bool changed = false;
  ssize_t size = 0;
  while ((size = read(inotify_.get(), buffer.data(), buffer.size())) > 0) {
    changed = Concerns(buffer.data(), static_cast<std::size_t>(size)) || changed;
  }
  if (changed) options_.on_change();
}

bool DirectoryWatcher::Concerns(const char* events, std::size_t size) {
  bool concerns = false;
  for (std::size_t at = 0; at < size;) {
    inotify_event event;
    std::memcpy(&event, events + at, sizeof event);
    const std::string name = event.len > 0 ? events + at + sizeof event : "";
    at += sizeof event + event.len;
    if ((event.mask & IN_IGNORED) != 0) {  // the folder is gone; a new one at its place has to be added again
      std::erase_if(by_path_, [gone = event.wd](const auto& entry) { return entry.second == gone; });
    }
    const auto interest = interests_.find(event.wd);
    // Also where the queue overflowed (no watch) or the watch was just replaced.
    concerns = concerns || interest == interests_.end() || interest->second.Includes(name);
  }
  return concerns;
}

void DirectoryWatcher::FallBack(const std::string& why) {
  options_.logger.Warn("inotify cannot be used, so the files are polled instead; raise the limit or pass -poll",
                       {{"reason", why}, {"interval", std::to_string(options_.poll_interval.count()) + "ms"}});
  if (options_.on_error) options_.on_error();
  readable_.reset();
  inotify_ = UniqueFd();
  by_path_.clear();
  interests_.clear();
  StartPolling();
}

void DirectoryWatcher::StartPolling() {
  poll_timer_ = loop_.MakeTimer([this] { Poll(); });
  poll_timer_->After(options_.poll_interval);
}

void DirectoryWatcher::Poll() {
  const std::uint64_t stamp = options_.stamp();
  if (std::exchange(last_stamp_, stamp) != stamp) options_.on_change();
  poll_timer_->After(options_.poll_interval);
}

}  // namespace kube_events
