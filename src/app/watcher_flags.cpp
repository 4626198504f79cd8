#include "kube_events/app/watcher_options.h"
#include "kube_events/base/flag_values.h"

namespace kube_events {
namespace {

using namespace flag_values;

constexpr std::string_view kFluentBit = "Fluent Bit";
constexpr std::string_view kWatch = "Noticing a change";
constexpr std::string_view kReload = "Reloading";
constexpr std::string_view kServe = "HTTP server of the watcher";
constexpr std::string_view kLog = "Logging";
constexpr std::string_view kDeprecated = "Without effect, for compatibility";

using O = WatcherOptions;
constexpr std::int64_t kSecondMs = 1000;
constexpr std::int64_t kHourMs = 3600 * kSecondMs;
constexpr std::int64_t kDayMs = 24 * kHourMs;

Result<void> Method(O& options, Values values) {
  const std::string& name = values.back();
  if (name == "auto") {
    options.reload_method = ReloadMethod::kAuto;
  } else if (name == "http") {
    options.reload_method = ReloadMethod::kHttp;
  } else if (name == "signal") {
    options.reload_method = ReloadMethod::kSignal;
  } else {
    return BadValue("\"" + name + "\" is unknown; write auto, http or signal");
  }
  return {};
}

Result<void> OnTimeout(O& options, Values values) {
  if (values.back() != "exit" && values.back() != "wait") {
    return BadValue("\"" + values.back() + "\" is unknown; write exit or wait");
  }
  options.exit_on_reload_timeout = values.back() == "exit";
  return {};
}

Result<void> Paths(O& options, Values values) {
  options.watch_paths.clear();
  for (std::string& path : SplitList(values)) {
    if (path.empty()) return BadValue("a path is empty; write a folder or a file");
    options.watch_paths.push_back(std::move(path));
  }
  return {};
}

// Said only where the flag is given, which is more than it used to be.
Result<void> ExitOnFailure(O& options, Values values) {
  const auto parsed = ParseBool(values.back());
  if (!parsed) return Fail(parsed.error());
  options.notices.emplace_back(
      "-exit-on-failure is deprecated and has no effect: the watcher always ends with Fluent Bit; leave it out");
  return {};
}

Result<void> FlbTimeout(O& options, Values values) {
  const auto parsed = ParseDuration(values.back());
  if (!parsed) return Fail(parsed.error());
  options.notices.emplace_back(
      "-flb-timeout is deprecated and has no effect: Fluent Bit is not restarted but reloaded; --kill-timeout bounds "
      "its "
      "end");
  return {};
}

constexpr Flag<O> kFlags[] = {
    {"b", "PATH", "/fluent-bit/bin/fluent-bit", kFluentBit, "binary of Fluent Bit, 2.1 or later", Text<&O::binary>},
    {"c", "PATH", "/fluent-bit/etc/fluent-bit.conf", kFluentBit,
     "main configuration file; by default fluent-bit.yaml where /fluent-bit/config/fluent-bit.yaml exists",
     Text<&O::config>},
    {"e", "PATH", "", kFluentBit, "external plugin, passed on", Text<&O::external_plugin>},
    {"R", "PATH", "", kFluentBit, "parsers file, passed on and watched", Text<&O::parsers>},
    {"kill-timeout", "DURATION", "0s", kFluentBit,
     "after a signal was passed on: kill Fluent Bit where it has not ended in this time; 0s never does",
     DurationIn<&O::kill_timeout, 0, kDayMs>},

    {"watch-path", "PATH", "/fluent-bit/config", kWatch,
     "folder or file to watch besides the configuration and what it includes; repeatable", Paths},
    {"poll", "", "false", kWatch, "poll instead of inotify, for file systems without it", Switch<&O::poll>},
    {"poll-interval", "DURATION", "1s", kWatch, "time between two polls", DurationIn<&O::poll_interval, 10, kHourMs>},
    {"debounce", "DURATION", "1s", kWatch, "wait until nothing has changed for this long, but at most 10s",
     DurationIn<&O::debounce, 0, kHourMs>},
    {"rehash-interval", "DURATION", "3m", kWatch, "read everything again this often, in case a change was not noticed",
     DurationIn<&O::rehash_interval, 100, kDayMs>},
    {"config-wait", "DURATION", "30s", kWatch, "at the start, wait this long for a configuration that is not empty",
     DurationIn<&O::config_wait, 0, kDayMs>},

    {"reload-method", "METHOD", "auto", kReload,
     "http, signal, or auto: by HTTP where Fluent Bit's HTTP server is on, else by SIGHUP", Method},
    {"reload-timeout", "DURATION", "2m", kReload, "a reload that takes longer counts as stuck",
     DurationIn<&O::reload_timeout, kSecondMs, kDayMs>},
    {"on-reload-timeout", "ACTION", "exit", kReload,
     "exit: end Fluent Bit and the watcher with it, so that the pod is restarted; wait: go on waiting", OnTimeout},

    {"host", "ADDRESS", "all interfaces", kServe, "address to serve /metrics, /healthz and /readyz on", Text<&O::host>},
    {"port", "PORT", "off", kServe, "port to serve them on, for example 9533; 0 picks a free one, which the log names",
     OptionalPort<&O::port>},

    {"log-level", "LEVELS", "info", kLog, "debug, info, warn, error or off, also per component: info,reload=debug",
     Text<&O::log_level>},
    {"log-format", "FORMAT", "text", kLog, "text, json or logfmt; one line each, on stderr", Format<&O::log_format>},

    {"exit-on-failure", "", "false", kDeprecated, "deprecated: the watcher always ends with Fluent Bit", ExitOnFailure},
    {"flb-timeout", "DURATION", "0s", kDeprecated, "deprecated: see --kill-timeout", FlbTimeout},
};

}  // namespace

std::span<const Flag<WatcherOptions>> WatcherFlags() { return kFlags; }

}  // namespace kube_events
