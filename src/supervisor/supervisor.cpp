#include "kube_events/supervisor/supervisor.h"

#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "kube_events/base/command.h"
#include "kube_events/base/file_descriptor.h"

namespace kube_events {
namespace {

using namespace std::chrono_literals;

constexpr int kSignals[] = {SIGTERM, SIGINT, SIGQUIT, SIGHUP, SIGCHLD};
constexpr auto kConfigLook = 200ms;
constexpr auto kBeatInterval = 10s;
constexpr auto kVersionTimeout = 10s;
// The first version that reloads in place.
constexpr FluentBitVersion kOldest{2, 1};

constexpr int kExitFailed = 1;
constexpr int kExitUnusable = 2;

sigset_t SignalSet() {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : kSignals) sigaddset(&set, number);
  return set;
}

}  // namespace

void BlockSupervisorSignals() {
  const sigset_t set = SignalSet();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  signal(SIGPIPE, SIG_IGN);
}

Supervisor::Supervisor(SupervisorOptions options, SupervisorParts parts)
    : options_(std::move(options)),
      parts_(parts),
      log_(parts.logging.For("watcher")),
      wait_timer_(loop_.MakeTimer([this] { WaitForConfig(); })),
      kill_timer_(loop_.MakeTimer([this] {
        log_.Error("Fluent Bit does not end; killing it");
        kill(child_, SIGKILL);
      })),
      beat_timer_(loop_.MakeTimer([this] { Beat(); })) {}

Supervisor::~Supervisor() = default;

int Supervisor::Run() {
  BlockSupervisorSignals();
  AdoptOrphans();
  const sigset_t set = SignalSet();
  signals_ = UniqueFd(signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC));
  if (!signals_) {
    log_.Error("cannot receive signals", {{"reason", std::strerror(errno)}});
    return kExitFailed;
  }
  signal_watch_ = loop_.WatchFd(signals_.get(), EventLoop::Ready::kToRead, [this] { OnSignals(); });
  parts_.health.SetNotReady("child", "Fluent Bit was not started yet");
  Beat();
  CheckVersion();
  loop_.Run();
  return exit_code_;
}

void Supervisor::Beat() {
  parts_.heartbeat.Beat();
  beat_timer_->After(kBeatInterval);
}

void Supervisor::OnSignals() {
  signalfd_siginfo info;
  while (read(signals_.get(), &info, sizeof info) == sizeof info) OnSignal(static_cast<int>(info.ssi_signo));
}

void Supervisor::OnSignal(int number) {
  if (number == SIGCHLD) return OnChildren();
  if (number == SIGHUP) {
    log_.Info("SIGHUP: reloading");
    if (driver_) driver_->Force();
    return;
  }
  parts_.health.SetShuttingDown();
  if (child_ == 0) return Finish(0);
  log_.Info("passing a signal on to Fluent Bit", {{"signal", sigabbrev_np(number)}});
  kill(child_, number);
  if (options_.kill_timeout > 0ms) KillAfter(options_.kill_timeout);
}

void Supervisor::OnChildren() {
  for (const auto& [pid, status] : ReapChildren()) {
    if (runner_.OnChildEnded(pid, status)) continue;
    if (pid == child_) OnChildEnded(status);
  }
}

void Supervisor::OnChildEnded(int wait_status) {
  tee_->Drain();
  log_.Info("Fluent Bit " + DescribeExit(wait_status));
  parts_.metrics.SetChild(false, {});
  parts_.health.SetNotReady("child", "Fluent Bit " + DescribeExit(wait_status));
  child_ = 0;
  const int code = ExitCode(wait_status);
  Finish(ended_by_us_ ? std::max(code, kExitFailed) : code);
}

void Supervisor::CheckVersion() {
  runner_.Run({.command = {options_.binary, "--version"}}, kVersionTimeout,
              [this](const CommandOutcome& outcome) { OnVersion(outcome); });
}

void Supervisor::OnVersion(const CommandOutcome& outcome) {
  if (!outcome.started) {
    log_.Error(outcome.output + "; -b names the binary of Fluent Bit");
    return Finish(kExitUnusable);
  }
  const auto version = ParseVersion(outcome.output);
  if (version && *version < kOldest) {
    log_.Error("Fluent Bit " + std::to_string(version->major) + "." + std::to_string(version->minor) +
               " cannot reload in place; use version 2.1 or later, or fluent-operator's watcher below 2.7 with it");
    return Finish(kExitUnusable);
  }
  if (!version) log_.Warn("the version of Fluent Bit is not known", {{"said", EssenceOf(outcome.output)}});
  wait_until_ = parts_.clock.Monotonic() + options_.config_wait;
  WaitForConfig();
}

void Supervisor::WaitForConfig() {
  const std::filesystem::path config = options_.config();
  const std::string refusal = ScanConfiguration(Sources(config, {})).seen.refusal;
  if (refusal.empty()) return Start(config);
  if (parts_.clock.Monotonic() >= wait_until_) {
    log_.Error("there is no configuration to start with: " + refusal);
    return Finish(kExitFailed);
  }
  if (std::exchange(told_waiting_for_, refusal) != refusal) {
    log_.Warn("waiting for a configuration", {{"reason", refusal}});
  }
  wait_timer_->After(kConfigLook);
}

std::vector<std::string> Supervisor::Command(const std::filesystem::path& config) const {
  std::vector<std::string> command{options_.binary, "--enable-hot-reload", "-c", config.string()};
  if (!options_.external_plugin.empty()) command.insert(command.end(), {"-e", options_.external_plugin});
  if (!options_.parsers.empty()) command.insert(command.end(), {"-R", options_.parsers});
  command.insert(command.end(), options_.extra_arguments.begin(), options_.extra_arguments.end());
  return command;
}

ConfigSources Supervisor::Sources(const std::filesystem::path& config, std::vector<std::string> command) const {
  ConfigSources sources;
  sources.config = config;
  if (!options_.parsers.empty()) sources.files.emplace_back(options_.parsers);
  if (!options_.external_plugin.empty()) sources.files.emplace_back(options_.external_plugin);
  sources.watched = options_.watch_paths;
  sources.arguments = std::move(command);
  sources.environment = options_.environment;
  return sources;
}

void Supervisor::MakeMonitor(ConfigSources sources) {
  ConfigMonitorOptions monitor;
  monitor.sources = std::move(sources);
  monitor.poll = options_.poll;
  monitor.poll_interval = options_.poll_interval;
  monitor.debounce = options_.debounce;
  monitor.rehash_interval = options_.rehash_interval;
  monitor.on_due = [this] {
    if (driver_) driver_->Look();
  };
  monitor.on_error = [this] { parts_.metrics.watch_errors_total.Increment(); };
  monitor.logger = parts_.logging.For("monitor");
  monitor_ = std::make_unique<ConfigMonitor>(loop_, std::move(monitor));
}

void Supervisor::Start(const std::filesystem::path& config) {
  std::vector<std::string> command = Command(config);
  MakeMonitor(Sources(config, command));
  const std::filesystem::path directory = config.parent_path();
  const ConfigScan& scan = monitor_->Scan();
  if (const auto started = StartFluentBit(command, directory); !started) {
    log_.Error(started.error().message);
    return Finish(started.error().kind == ErrorKind::kConfiguration ? kExitUnusable : kExitFailed);
  }
  log_.Info("Fluent Bit was started", {{"pid", child_},
                                       {"config", config.string()},
                                       {"hash", HashText(scan.seen.content)},
                                       {"files", scan.files.size()},
                                       {"folders", scan.folders.size()}});
  MakeDriver(std::move(command), directory);
}

Result<void> Supervisor::StartFluentBit(const std::vector<std::string>& command,
                                        const std::filesystem::path& directory) {
  auto pipe = MakePipe();
  if (!pipe) return Fail(pipe.error());
  // In the folder of its configuration, or a relative parsers_file makes it reject every reload.
  const auto started = StartChild({.command = command, .directory = directory, .stderr_fd = pipe->write_end.get()});
  if (!started) return Fail(started.error());
  child_ = *started;
  tee_ = std::make_unique<LogTee>(loop_, std::move(pipe->read_end), STDERR_FILENO);
  parts_.metrics.SetChild(true, parts_.clock.Wall());
  parts_.health.SetReady("child");
  return {};
}

void Supervisor::MakeDriver(std::vector<std::string> command, const std::filesystem::path& directory) {
  ReloadDriverOptions reload = options_.reload;
  command.insert(command.begin() + 1, "--dry-run");
  reload.check = {.command = std::move(command), .directory = directory};
  driver_ = std::make_unique<ReloadDriver>(
      std::move(reload),
      ReloadDriverParts{loop_, parts_.clock, *monitor_, *tee_, runner_, parts_.metrics, parts_.health,
                        parts_.logging.For("reload"), [this] { EndChild(); }},
      child_);
}

// A child that is stuck in a reload ignores SIGTERM, but not always.
void Supervisor::EndChild() {
  ended_by_us_ = true;
  log_.Error("ending Fluent Bit, whose reload does not end; --on-reload-timeout wait would go on waiting");
  kill(child_, SIGTERM);
  KillAfter(options_.kill_timeout > 0ms ? options_.kill_timeout : options_.kill_after_reload_timeout);
}

void Supervisor::KillAfter(std::chrono::milliseconds timeout) { kill_timer_->After(timeout); }

void Supervisor::Finish(int exit_code) {
  exit_code_ = exit_code;
  loop_.Stop();
}

}  // namespace kube_events
