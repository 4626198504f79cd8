// Flags and environment variables of kube-events-exporter, declared once in a table.
// Plain functions for the start of the program, main thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kube_events/app/flags.h"
#include "kube_events/base/logging.h"
#include "kube_events/base/result.h"
#include "kube_events/forward/sink_settings.h"
#include "kube_events/kube/scope.h"
#include "kube_events/leader/leader_elector.h"

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

  std::string checkpoint_config_map_namespace;  // empty: that of the Pod or context
  std::string checkpoint_config_map;            // empty: no ConfigMap
  std::string checkpoint_file;                  // empty: no file
  std::chrono::milliseconds checkpoint_interval{10'000};
  bool KeepsCheckpoint() const { return !checkpoint_config_map.empty() || !checkpoint_file.empty(); }

  bool leader_elect = false;
  std::string leader_elect_lease_namespace;  // empty: that of the Pod or context
  std::string leader_elect_lease_name = "kube-events-exporter";
  std::chrono::milliseconds leader_elect_lease_duration{15'000};
  std::chrono::milliseconds leader_elect_renew_deadline{10'000};
  std::chrono::milliseconds leader_elect_retry_period{2'000};
  ElectionTimes ElectionTimesGiven() const {
    return {leader_elect_lease_duration, leader_elect_renew_deadline, leader_elect_retry_period};
  }

  std::vector<std::string> forward;  // URLs of sinks
  std::string forward_config;        // a file with more of them; empty: none
  SinkDefaults forward_defaults;
  std::string forward_spool;  // a folder; empty: none
  std::uint64_t forward_spool_max_bytes = std::uint64_t{1} << 30;
  std::string cluster_name;
  std::chrono::milliseconds shutdown_timeout{5'000};
  bool Forwards() const { return !forward.empty() || !forward_config.empty(); }

  std::string log_level = "info";
  LogFormat log_format = LogFormat::kText;
};

using FlagSpec = Flag<ExporterOptions>;
// The table. docs/cli.md is compared with it by a test.
std::span<const FlagSpec> ExporterFlags();

// The environment variable of a flag: KUBE_EVENTS_EXPORTER_WATCH_INTERVAL.
std::string EnvironmentName(const FlagSpec& flag);

using ParsedCommandLine = ParsedFlags<ExporterOptions>;

// Parses flags, then variables for the flags not given. Fails with kConfiguration and one line that names the flag or
// variable, what is wrong with its value and what to write instead.
Result<ParsedCommandLine> ParseExporterCommandLine(std::span<const char* const> arguments,
                                                   const Environment& environment);

}  // namespace kube_events
