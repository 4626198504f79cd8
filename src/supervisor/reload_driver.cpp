#include "kube_events/supervisor/reload_driver.h"

#include <signal.h>

#include <algorithm>
#include <utility>

namespace kube_events {
namespace {

using namespace std::chrono_literals;

constexpr auto kProbeInterval = 100ms;
// An HTTP server that should be there is gone for some milliseconds while another reload ends.
constexpr auto kPatience = 1s;
constexpr auto kAskAgain = 50ms;
// Within this time the child's log says if it dropped a signal.
constexpr auto kHangupAnswer = 200ms;
constexpr auto kHangupLook = 20ms;

// Two conditions, since only the first is given time.
constexpr const char* kReloadCondition = "reload";
constexpr const char* kConfigCondition = "configuration";

}  // namespace

ReloadDriver::ReloadDriver(ReloadDriverOptions options, ReloadDriverParts parts, pid_t child)
    : options_(std::move(options)),
      parts_(std::move(parts)),
      child_(child),
      controller_(options_.reload, parts_.monitor.Last().seen),
      running_(parts_.monitor.Last().settings),
      began_(Now()),
      ready_timer_(parts_.loop.MakeTimer([this] { ProbeReady(); })),
      count_timer_(parts_.loop.MakeTimer([this] { AskForCount(Servers()); })),
      hangup_timer_(parts_.loop.MakeTimer([this] { OnHangup(); })),
      wake_timer_(parts_.loop.MakeTimer([this] { Feed(reload_input::Tick{}); })) {
  parts_.health.SetNotReady(kReloadCondition, "Fluent Bit is starting");
  ready_timer_->After(running_.http ? 0ms : options_.ready_settle);
}

// A signal before its handlers are there would kill the child, and one right then can crash it.
void ReloadDriver::ProbeReady() {
  if (!running_.http) return OnReady("settled");
  if (Now() - began_ >= options_.ready_timeout) {
    parts_.logger.Warn("the HTTP server of Fluent Bit does not answer; it is taken as started all the same",
                       {{"port", static_cast<int>(running_.port)}});
    return OnReady("timeout");
  }
  call_ = CallReloadApi(parts_.loop, running_, "GET", options_.api_timeout, [this](const Result<ApiAnswer>& answer) {
    if (answer) return OnReady("HTTP server");
    ready_timer_->After(kProbeInterval);
  });
}

void ReloadDriver::OnReady(const std::string& how) {
  parts_.logger.Info("Fluent Bit is up", {{"shown_by", how}});
  Feed(reload_input::ChildReady{});
}

void ReloadDriver::Look() { Feed(reload_input::Seen{parts_.monitor.Scan().seen}); }

// One input after the other, also where carrying out an effect brings the next one at once.
void ReloadDriver::Feed(ReloadInput input) {
  inputs_.push_back(std::move(input));
  if (std::exchange(feeding_, true)) return;
  while (!inputs_.empty()) {
    const ReloadInput next = std::move(inputs_.front());
    inputs_.pop_front();
    const ReloadState before = controller_.State();
    const Effects effects = controller_.Step(Now(), next);
    if (controller_.State() != before) {
      parts_.logger.Debug("reload", {{"from", ToString(before)}, {"to", ToString(controller_.State())}});
    }
    for (const ReloadEffect& effect : effects) std::visit([this](const auto& what) { Carry(what); }, effect);
  }
  feeding_ = false;
  wake_timer_->Set(controller_.NextWake());
  ShowState();
}

void ReloadDriver::Carry(const reload_effect::ScanConfig& /*effect*/) { Look(); }

void ReloadDriver::Carry(const reload_effect::CheckConfig& /*effect*/) {
  parts_.logger.Info("the configuration changed", {{"hash", HashText(parts_.monitor.Last().seen.content)}});
  parts_.runner.Run(options_.check, options_.check_timeout,
                    [this](const CommandOutcome& outcome) { OnChecked(outcome); });
}

void ReloadDriver::OnChecked(const CommandOutcome& outcome) {
  using Verdict = reload_input::Checked::Verdict;
  reload_input::Checked checked;
  if (!outcome.started) {
    checked = {Verdict::kUnknown, outcome.output};
  } else if (!outcome.ended) {
    checked = {Verdict::kUnknown, "--dry-run did not end in time"};
  } else if (outcome.exit_code > 128 && outcome.exit_code < 128 + NSIG) {  // a signal: no verdict
    checked = {Verdict::kUnknown, "--dry-run ended with " + std::to_string(outcome.exit_code)};
  } else if (outcome.exit_code != 0) {
    checked = {Verdict::kBad, EssenceOf(outcome.output)};
  }
  Feed(std::move(checked));
}

std::vector<ServiceSettings> ReloadDriver::Servers() const {
  std::vector<ServiceSettings> servers;
  if (running_.http) servers.push_back(running_);
  const ServiceSettings& wanted = parts_.monitor.Last().settings;
  if (wanted.http && !(running_.http && wanted.host == running_.host && wanted.port == running_.port)) {
    servers.push_back(wanted);
  }
  return servers;
}

void ReloadDriver::Carry(const reload_effect::ReadCount& effect) {
  // Once is enough: a child that lost its server to an unlucky reload must not be kept waiting at every attempt.
  patience_ = Now() + (effect.before_trigger && running_.http && answered_ ? kPatience : 0s);
  AskForCount(Servers());
}

// The first server that answers counts.
void ReloadDriver::AskForCount(std::vector<ServiceSettings> servers) {
  if (servers.empty()) {
    if (Now() < patience_) {
      count_timer_->After(kAskAgain);
    } else {
      OnCount(std::nullopt);
    }
    return;
  }
  const ServiceSettings server = servers.front();
  servers.erase(servers.begin());
  call_ = CallReloadApi(parts_.loop, server, "GET", options_.api_timeout,
                        [this, rest = std::move(servers)](const Result<ApiAnswer>& answer) {
                          const auto count = answer ? ParseReloadCount(*answer) : std::nullopt;
                          if (count) {
                            OnCount(count);
                          } else {
                            AskForCount(rest);
                          }
                        });
}

void ReloadDriver::OnCount(std::optional<std::uint64_t> count) {
  answered_ = count.has_value();
  const ServiceSettings& wanted = parts_.monitor.Last().settings;
  reload_input::Counted counted;
  counted.http = count;
  counted.log_lines = parts_.log.Counts().reloaded;
  counted.http_before = running_.http;
  counted.http_wanted = wanted.http;
  counted.log_visible = running_.log_visible && wanted.log_visible;
  Feed(counted);
}

void ReloadDriver::Carry(const reload_effect::Trigger& /*effect*/) {
  triggered_ = parts_.monitor.Last().settings;
  if (options_.method == ReloadMethod::kSignal) return Hangup();
  Post(Servers());
}

void ReloadDriver::Post(std::vector<ServiceSettings> servers) {
  if (servers.empty()) {
    if (options_.method == ReloadMethod::kAuto) return Hangup();
    return Feed(
        reload_input::Triggered{TriggerAnswer::kUnreachable,
                                "the HTTP server of Fluent Bit does not answer; switch it on (http_server: on), "
                                "or use --reload-method auto"});
  }
  const ServiceSettings server = servers.front();
  servers.erase(servers.begin());
  call_ = CallReloadApi(parts_.loop, server, "POST", options_.api_timeout,
                        [this, rest = std::move(servers)](const Result<ApiAnswer>& answer) {
                          const auto meaning = answer ? ParseTriggerAnswer(*answer) : TriggerAnswer::kUnreachable;
                          if (meaning == TriggerAnswer::kUnreachable) return Post(rest);
                          Feed(reload_input::Triggered{meaning, "hot reload is not enabled in Fluent Bit"});
                        });
}

// A signal gets no answer, but the child's log says if it was dropped.
void ReloadDriver::Hangup() {
  before_hangup_ = parts_.log.Counts();
  hangup_until_ = Now() + kHangupAnswer;
  kill(child_, SIGHUP);
  hangup_timer_->After(kHangupLook);
}

void ReloadDriver::OnHangup() {
  const LogCounts& counts = parts_.log.Counts();
  if (counts.disabled > before_hangup_.disabled) {
    Feed(reload_input::Triggered{TriggerAnswer::kDisabled, "hot reload is not enabled in Fluent Bit"});
  } else if (counts.aborted > before_hangup_.aborted) {
    Feed(reload_input::Triggered{TriggerAnswer::kBusy});
  } else if (Now() >= hangup_until_) {
    Feed(reload_input::Triggered{TriggerAnswer::kAccepted});
  } else {
    hangup_timer_->After(kHangupLook);
  }
}

void ReloadDriver::Carry(const reload_effect::EndChild& /*effect*/) { parts_.end_child(); }

void ReloadDriver::Carry(const reload_effect::Finished& effect) {
  parts_.metrics.CountReload(effect.result);
  const std::string hash = HashText(effect.content);
  trouble_ = effect.words;
  switch (effect.result) {
    case ReloadResult::kApplied:
      return TellApplied(effect);
    case ReloadResult::kRejected:
      trouble_ = "the configuration was refused: " + effect.words;
      parts_.logger.Error("the configuration was refused; the previous one keeps running",
                          {{"hash", hash}, {"reason", effect.words}});
      break;
    case ReloadResult::kFailed:
      trouble_ = "the reload failed: " + effect.words;
      parts_.logger.Error("the reload failed and will be tried again", {{"hash", hash}, {"reason", effect.words}});
      break;
    case ReloadResult::kTimeout:
      trouble_ = "the reload does not end";
      parts_.logger.Error("the reload does not end; perhaps an output cannot be drained", {{"hash", hash}});
      break;
  }
}

void ReloadDriver::TellApplied(const reload_effect::Finished& effect) {
  trouble_.clear();
  running_ = triggered_;
  parts_.metrics.ObserveDuration(effect.took);
  const std::string hash = HashText(effect.content);
  if (!effect.certain) {
    parts_.logger.Info("reloaded, but files changed meanwhile; reloading once more", {{"hash", hash}});
    return;
  }
  shown_.reset();
  const bool weak = effect.proof != ReloadProof::kCount;
  parts_.logger.Info(weak ? "the new configuration runs, as far as can be told without the HTTP server of Fluent Bit: "
                            "this is weaker than its reload count"
                          : "the new configuration runs",
                     {{"hash", hash}, {"shown_by", ToString(effect.proof)}, {"took_ms", effect.took.count()}});
}

void ReloadDriver::Carry(const reload_effect::Swallowed& /*effect*/) {
  parts_.metrics.triggers_swallowed_total.Increment();
  parts_.logger.Warn("Fluent Bit swallowed a trigger; another one was sent");
}

void ReloadDriver::Carry(const reload_effect::Busy& /*effect*/) {
  parts_.logger.Info("Fluent Bit is busy with another reload; waiting for its end");
}

void ReloadDriver::ShowState() {
  const bool pending = controller_.Pending();
  parts_.metrics.pending_reload.Set(pending ? 1 : 0);
  if (controller_.State() == ReloadState::kStarting) return;
  if (pending) {
    parts_.health.SetNotReady(kReloadCondition, "a reload is under way", options_.pending_grace);
  } else {
    trouble_.clear();
    ShowApplied();
    parts_.health.SetReady(kReloadCondition);
  }
  if (trouble_.empty()) {
    parts_.health.SetReady(kConfigCondition);
  } else {
    parts_.metrics.last_reload_successful.Set(0);
    parts_.health.SetNotReady(kConfigCondition, trouble_);
  }
}

void ReloadDriver::ShowApplied() {
  parts_.metrics.last_reload_successful.Set(1);
  if (shown_ == controller_.Running()) return;
  shown_ = controller_.Running();
  parts_.metrics.SetApplied(*shown_, parts_.clock.Wall());
}

}  // namespace kube_events
