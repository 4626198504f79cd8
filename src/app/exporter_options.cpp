#include "kube_events/app/exporter_options.h"

#include "command_line.h"

namespace kube_events {
namespace {

constexpr ProgramText kProgram{
    .name = "kube-events-exporter",
    .summary = "Counts every occurrence of Kubernetes Events into the Prometheus counter kube_events_total.",
    .footer =
        "Every flag can also be given as an environment variable: --watch-interval as\n"
        "KUBE_EVENTS_EXPORTER_WATCH_INTERVAL. Durations: 300ms, 10s, 5m, 1h30m; a bare number is seconds.\n"
        "Lists: repeat the flag or separate by commas. More: docs/cli.md",
    .environment_prefix = "KUBE_EVENTS_EXPORTER_"};

}  // namespace

std::string EnvironmentName(const FlagSpec& flag) { return EnvironmentName(kProgram.environment_prefix, flag.name); }

Result<ParsedCommandLine> ParseExporterCommandLine(std::span<const char* const> arguments,
                                                   const Environment& environment) {
  auto parsed = ParseFlags(kProgram, ExporterFlags(), arguments, environment);
  if (parsed && !parsed->options.exporter_host.empty() && !parsed->options.exporter_port) {
    return BadFlag("--exporter-host", "has no effect without --exporter-port; give both");
  }
  if (parsed) {
    if (const auto times = CheckElectionTimes(parsed->options.ElectionTimesGiven()); !times) return Fail(times.error());
  }
  return parsed;
}

}  // namespace kube_events
