// Flags and environment variables of kube-events-exporter, declared once in a table.
// Plain functions for the start of the program, main thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kube_events/base/logging.h"
#include "kube_events/base/result.h"
#include "kube_events/kube/scope.h"

namespace kube_events {

struct ExporterOptions {
  std::string apiserver;
  std::string kubeconfig;
  std::string context;

  std::string host;  // empty: all interfaces
  std::uint16_t port = 8080;
  std::string exporter_host;
  std::optional<std::uint16_t> exporter_port;  // unset: the exporter's own metrics are on the same server

  EventApi event_api = EventApi::kCoreV1;
  std::vector<std::string> namespaces;  // empty: all, one watch
  std::string label_selector;
  std::string field_selector;

  std::vector<std::string> event_types;
  std::vector<std::string> involved_object_api_groups;
  std::vector<std::string> involved_object_namespaces;
  std::vector<std::string> involved_object_kinds;
  std::vector<std::string> reasons;
  std::vector<std::string> reporting_controllers;

  int list_page_size = 500;
  std::chrono::milliseconds watch_interval{300'000};
  std::chrono::milliseconds sync_period{0};
  std::size_t max_cached_events = 2'000'000;
  std::size_t max_series = 10'000;

  std::string log_level = "info";
  LogFormat log_format = LogFormat::kText;
};

// One row of the table: how a flag is written and explained. docs/cli.md is compared with it by a test.
struct FlagSpec {
  std::string_view name;           // "watch-interval", without dashes
  std::string_view value;          // "DURATION"
  std::string_view default_value;  // as a user would write it; empty: none
  std::string_view group;
  std::string_view help;
  // Applies the values given, one or more (each occurrence of the flag is one). Fails with kConfiguration and a text
  // that does not name the flag: the caller does.
  Result<void> (*apply)(ExporterOptions& options, const std::vector<std::string>& values);
};
std::span<const FlagSpec> ExporterFlags();

// The environment variable of a flag: KUBE_EVENTS_EXPORTER_WATCH_INTERVAL.
std::string EnvironmentName(const FlagSpec& flag);

// What the command line asks for: `text` to print and exit with 0, or options to run with.
struct ParsedCommandLine {
  std::optional<std::string> text;
  ExporterOptions options;
};

// The value of an environment variable, or nothing where it is not set.
using Environment = std::function<std::optional<std::string>(const std::string& name)>;

// Parses flags, then variables for the flags not given. Fails with kConfiguration and one line that names the flag or
// variable, what is wrong with its value and what to write instead.
Result<ParsedCommandLine> ParseExporterCommandLine(std::span<const char* const> arguments,
                                                   const Environment& environment);

}  // namespace kube_events
