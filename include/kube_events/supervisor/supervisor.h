// Runs one Fluent Bit for as long as it lives, and has it reload when its configuration changes.
// Owned by the composition root; used on one thread, which must be the one that started the process or at least live as
// long as it, since the child dies with it.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kube_events/base/clock.h"
#include "kube_events/base/health.h"
#include "kube_events/base/logging.h"
#include "kube_events/base/result.h"
#include "kube_events/supervisor/child_process.h"
#include "kube_events/supervisor/reload_driver.h"
#include "kube_events/supervisor/watcher_metrics.h"

namespace kube_events {

struct SupervisorOptions {
  std::string binary;
  // The main configuration file, absolute. Asked again while there is none, since the kind may follow from what exists.
  std::function<std::filesystem::path()> config;
  std::string external_plugin = {};  // -e of the child; empty: none
  std::string parsers = {};          // -R of the child; empty: none
  std::vector<std::string> extra_arguments = {};
  std::vector<std::filesystem::path> watch_paths = {};
  std::function<std::optional<std::string>(const std::string&)> environment = {};

  bool poll = false;
  std::chrono::milliseconds poll_interval{1'000};
  std::chrono::milliseconds debounce{1'000};
  std::chrono::milliseconds rehash_interval{180'000};
  std::chrono::milliseconds config_wait{30'000};
  std::chrono::milliseconds kill_timeout{0};  // after a signal was passed on; 0: never
  std::chrono::milliseconds kill_after_reload_timeout{10'000};
  ReloadDriverOptions reload = {};  // without `check`
};

// All must outlive the supervisor.
struct SupervisorParts {
  const Clock& clock;
  WatcherMetrics& metrics;
  Health& health;
  Heartbeat& heartbeat;  // beaten at least every 10 s while the loop makes progress
  const Logging& logging;
};

// Blocks the signals that a Supervisor handles, for this thread and all that it starts later, and ignores SIGPIPE.
// Call it first in main.
void BlockSupervisorSignals();

class Supervisor {
 public:
  Supervisor(SupervisorOptions options, SupervisorParts parts);
  ~Supervisor();

  // Starts the child and returns after its end: its exit code, or 128 + the signal that killed it. 0 where a signal
  // came before there was a child; 1 where there is no configuration in time, or the system refuses; 2 where the binary
  // cannot be used.
  int Run();

 private:
  void OnSignals();
  void OnSignal(int number);
  void OnChildren();
  void OnChildEnded(int wait_status);
  void Beat();

  void CheckVersion();
  void OnVersion(const CommandOutcome& outcome);
  void WaitForConfig();
  void Start(const std::filesystem::path& config);
  std::vector<std::string> Command(const std::filesystem::path& config) const;
  ConfigSources Sources(const std::filesystem::path& config, std::vector<std::string> command) const;
  void MakeMonitor(ConfigSources sources);
  Result<void> StartFluentBit(const std::vector<std::string>& command, const std::filesystem::path& directory);
  void MakeDriver(std::vector<std::string> command, const std::filesystem::path& directory);

  void EndChild();
  void KillAfter(std::chrono::milliseconds timeout);
  void Finish(int exit_code);

  const SupervisorOptions options_;
  const SupervisorParts parts_;
  const Logger log_;
  EventLoop loop_;
  UniqueFd signals_;
  CommandRunner runner_{loop_};
  std::unique_ptr<EventLoop::Watch> signal_watch_;
  std::unique_ptr<EventLoop::Timer> wait_timer_;
  std::unique_ptr<EventLoop::Timer> kill_timer_;
  std::unique_ptr<EventLoop::Timer> beat_timer_;
  MonotonicTime wait_until_{};
  std::string told_waiting_for_;
  pid_t child_ = 0;
  bool ended_by_us_ = false;  // since a reload did not end
  int exit_code_ = 0;
  std::unique_ptr<ConfigMonitor> monitor_;
  std::unique_ptr<LogTee> tee_;
  std::unique_ptr<ReloadDriver> driver_;
};

}  // namespace kube_events
