// Flags and environment variables of fluent-bit-watcher, declared once in a table.
// Plain functions for the start of the program, main thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kube_events/app/flags.h"
#include "kube_events/base/logging.h"
#include "kube_events/base/result.h"
#include "kube_events/supervisor/reload_driver.h"

namespace kube_events {

struct WatcherOptions {
  std::string binary = "/fluent-bit/bin/fluent-bit";
  std::string config;  // empty: found as fluent-operator's watcher finds it, see FindConfig
  std::string external_plugin;
  std::string parsers;
  std::vector<std::string> child_arguments;  // what follows "--"

  std::vector<std::string> watch_paths{"/fluent-bit/config"};
  bool poll = false;
  std::chrono::milliseconds poll_interval{1'000};
  std::chrono::milliseconds debounce{1'000};
  std::chrono::milliseconds rehash_interval{180'000};
  std::chrono::milliseconds config_wait{30'000};

  ReloadMethod reload_method = ReloadMethod::kAuto;
  std::chrono::milliseconds reload_timeout{120'000};
  bool exit_on_reload_timeout = true;
  std::chrono::milliseconds kill_timeout{0};  // 0: never

  std::string host;                   // empty: all interfaces
  std::optional<std::uint16_t> port;  // unset: no HTTP server

  std::string log_level = "info";
  LogFormat log_format = LogFormat::kText;

  std::vector<std::string> notices;  // about deprecated flags that were given
};

// The table. docs/fluent-bit-watcher.md is compared with it by a test.
std::span<const Flag<WatcherOptions>> WatcherFlags();

// The environment variable of a flag: FLUENT_BIT_WATCHER_WATCH_PATH.
std::string WatcherEnvironmentName(std::string_view flag_name);

// Parses flags, with one or two dashes as Go's flag package takes them, then variables for the flags not given. Fails
// with kConfiguration and one line that names the flag or variable, what is wrong and what to write instead.
Result<ParsedFlags<WatcherOptions>> ParseWatcherCommandLine(std::span<const char* const> arguments,
                                                            const Environment& environment);

}  // namespace kube_events
