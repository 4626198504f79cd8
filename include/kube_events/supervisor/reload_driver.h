// Carries out what the ReloadController decides: scans, checks, asks, triggers, and tells the world how it went.
// Owned by the Supervisor for the life of one child; lives on an EventLoop.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kube_events/base/clock.h"
#include "kube_events/base/health.h"
#include "kube_events/base/logging.h"
#include "kube_events/supervisor/command_runner.h"
#include "kube_events/supervisor/config_monitor.h"
#include "kube_events/supervisor/log_tee.h"
#include "kube_events/supervisor/reload_api.h"
#include "kube_events/supervisor/reload_controller.h"
#include "kube_events/supervisor/watcher_metrics.h"

namespace kube_events {

enum class ReloadMethod { kAuto, kHttp, kSignal };

struct ReloadDriverOptions {
  ChildOptions check;  // the command that checks the configuration
  std::chrono::milliseconds check_timeout{30'000};
  ReloadMethod method = ReloadMethod::kAuto;
  std::chrono::milliseconds ready_timeout{30'000};  // for the HTTP server of a child that was just started
  std::chrono::milliseconds ready_settle{2'000};    // where it has none
  std::chrono::milliseconds api_timeout{2'000};
  std::chrono::milliseconds pending_grace{30'000};  // a reload under way does not make the pod unready before that
  ReloadOptions reload;
};

// All must outlive the driver.
struct ReloadDriverParts {
  EventLoop& loop;
  const Clock& clock;
  ConfigMonitor& monitor;
  const LogTee& log;
  CommandRunner& runner;
  WatcherMetrics& metrics;
  Health& health;
  Logger logger;
  std::function<void()> end_child;  // it does not come back from a reload
};

class ReloadDriver {
 public:
  // `monitor.Last()` is the scan made just before the child was started.
  ReloadDriver(ReloadDriverOptions options, ReloadDriverParts parts, pid_t child);
  ReloadDriver(const ReloadDriver&) = delete;
  ReloadDriver& operator=(const ReloadDriver&) = delete;

  // The configuration should be looked at.
  void Look();
  // Reload even if nothing changed.
  void Force() { Feed(reload_input::Forced{}); }

 private:
  using Effects = ReloadEffects;

  void ProbeReady();
  void OnReady(const std::string& how);

  void Feed(ReloadInput input);
  void Carry(const reload_effect::ScanConfig& effect);
  void Carry(const reload_effect::CheckConfig& effect);
  void Carry(const reload_effect::ReadCount& effect);
  void Carry(const reload_effect::Trigger& effect);
  void Carry(const reload_effect::EndChild& effect);
  void Carry(const reload_effect::Finished& effect);
  void Carry(const reload_effect::Swallowed& effect);
  void Carry(const reload_effect::Busy& effect);

  void OnChecked(const CommandOutcome& outcome);
  void AskForCount(std::vector<ServiceSettings> servers);
  void OnCount(std::optional<std::uint64_t> count);
  void Post(std::vector<ServiceSettings> servers);
  void Hangup();
  void OnHangup();
  void TellApplied(const reload_effect::Finished& effect);
  void ShowState();
  void ShowApplied();
  std::vector<ServiceSettings> Servers() const;
  MonotonicTime Now() const { return parts_.clock.Monotonic(); }

  const ReloadDriverOptions options_;
  const ReloadDriverParts parts_;
  const pid_t child_;
  ReloadController controller_;
  std::deque<ReloadInput> inputs_;
  bool feeding_ = false;

  ServiceSettings running_;    // as of the last time that the child was known to have read its configuration
  ServiceSettings triggered_;  // of what the last trigger was for
  MonotonicTime began_{};      // of the readiness probe
  MonotonicTime patience_{};   // until then a server that does not answer is asked again
  bool answered_ = true;       // the last question for the count
  LogCounts before_hangup_;
  MonotonicTime hangup_until_{};
  std::optional<std::uint64_t> shown_;  // content that the metrics show as applied
  std::string trouble_;                 // why what is wanted does not run

  std::unique_ptr<ApiCall> call_;
  std::unique_ptr<EventLoop::Timer> ready_timer_;
  std::unique_ptr<EventLoop::Timer> count_timer_;
  std::unique_ptr<EventLoop::Timer> hangup_timer_;
  std::unique_ptr<EventLoop::Timer> wake_timer_;
};

}  // namespace kube_events
