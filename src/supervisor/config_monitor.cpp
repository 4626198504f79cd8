#include "kube_events/supervisor/config_monitor.h"

#include <algorithm>
#include <utility>

namespace kube_events {

ConfigMonitor::ConfigMonitor(EventLoop& loop, ConfigMonitorOptions options)
    : options_(std::move(options)),
      debouncer_(options_.debounce, options_.debounce_longest),
      debounce_timer_(loop.MakeTimer([this] { OnDebounce(); })),
      rehash_timer_(loop.MakeTimer([this] { OnRehash(); })),
      watcher_(loop, {.poll = options_.poll,
                      .poll_interval = options_.poll_interval,
                      .stamp = [this] { return StampOf(options_.sources, last_); },
                      .on_change = [this] { OnChange(); },
                      .on_error = options_.on_error,
                      .logger = options_.logger}) {
  rehash_timer_->After(options_.rehash_interval);
}

const ConfigScan& ConfigMonitor::Scan() {
  last_ = ScanConfiguration(options_.sources);
  // What changed in a folder before it was watched was not seen. New folders at every look are a race that the slow
  // re-hash ends.
  constexpr int kMaxLooks = 4;
  for (int looks = 1; looks < kMaxLooks && watcher_.Watch(last_.folders); ++looks) {
    last_ = ScanConfiguration(options_.sources);
  }
  Report();
  return last_;
}

void ConfigMonitor::OnChange() {
  debouncer_.OnChange(std::chrono::steady_clock::now());
  debounce_timer_->Set(debouncer_.Due());
}

void ConfigMonitor::OnDebounce() {
  if (debouncer_.Take(std::chrono::steady_clock::now())) {
    options_.on_due();
  } else {
    debounce_timer_->Set(debouncer_.Due());
  }
}

void ConfigMonitor::OnRehash() {
  rehash_timer_->After(options_.rehash_interval);
  options_.on_due();
}

// Each warning once, until it is over.
void ConfigMonitor::Report() {
  for (const std::string& warning : last_.warnings) {
    if (std::find(reported_.begin(), reported_.end(), warning) != reported_.end()) continue;
    options_.logger.Warn(warning);
    if (options_.on_error) options_.on_error();
  }
  reported_ = last_.warnings;
}

}  // namespace kube_events
