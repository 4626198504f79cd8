// Knows what is on disk and says when it should be looked at again: some time after the last of several changes, and
// slowly but steadily in case that a change was not noticed.
// Owned by the Supervisor; lives on an EventLoop.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kube_events/base/logging.h"
#include "kube_events/supervisor/config_scan.h"
#include "kube_events/supervisor/debouncer.h"
#include "kube_events/supervisor/directory_watcher.h"
#include "kube_events/supervisor/event_loop.h"

namespace kube_events {

struct ConfigMonitorOptions {
  ConfigSources sources;
  bool poll = false;  // for file systems without inotify
  std::chrono::milliseconds poll_interval{1'000};
  std::chrono::milliseconds debounce{1'000};
  std::chrono::milliseconds debounce_longest{10'000};
  std::chrono::milliseconds rehash_interval{180'000};
  std::function<void()> on_due;    // Scan() should be called
  std::function<void()> on_error;  // something could not be watched or read
  Logger logger = {};
};

class ConfigMonitor {
 public:
  ConfigMonitor(EventLoop& loop, ConfigMonitorOptions options);
  // The timers and the watcher point back.
  ConfigMonitor(const ConfigMonitor&) = delete;
  ConfigMonitor& operator=(const ConfigMonitor&) = delete;

  // Reads the configuration now, and sees to it that no later change goes unnoticed. Blocks while it reads.
  const ConfigScan& Scan();
  const ConfigScan& Last() const { return last_; }

 private:
  void OnChange();
  void OnDebounce();
  void OnRehash();
  void Report();

  const ConfigMonitorOptions options_;
  ConfigScan last_;
  Debouncer debouncer_;
  std::vector<std::string> reported_;
  std::unique_ptr<EventLoop::Timer> debounce_timer_;
  std::unique_ptr<EventLoop::Timer> rehash_timer_;
  DirectoryWatcher watcher_;
};

}  // namespace kube_events
