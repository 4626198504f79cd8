#include "kube_events/app/exporter_options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>

#include "kube_events/app/version.h"

namespace kube_events {
namespace {

constexpr std::string_view kProgram = "kube-events-exporter";

std::string HelpFor(const FlagSpec& flag) {
  std::string help(flag.help);
  if (!flag.default_value.empty()) help += " (default: " + std::string(flag.default_value) + ")";
  return help;
}

// CLI11 brings only syntax and --help; values are checked by the table's functions, with one kind of message.
class CommandLine {
 public:
  CommandLine()
      : app_("Counts every occurrence of Kubernetes Events into the Prometheus counter kube_events_total.",
             std::string(kProgram)) {
    app_.get_formatter()->column_width(44);
    app_.footer(
        "Every flag can also be given as an environment variable: --watch-interval as\n"
        "KUBE_EVENTS_EXPORTER_WATCH_INTERVAL. Durations: 300ms, 10s, 5m, 1h30m; a bare number is seconds.\n"
        "Lists: repeat the flag or separate by commas. More: docs/cli.md");
    app_.add_flag("--version", version_, "print the version and exit");
    for (const FlagSpec& flag : ExporterFlags()) {
      app_.add_option("--" + std::string(flag.name), values_[flag.name], HelpFor(flag))
          ->type_name(std::string(flag.value))
          ->group(std::string(flag.group))
          ->expected(1)
          ->allow_extra_args(false)
          ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    }
  }

  // Throws CLI::Error.
  void Parse(std::span<const char* const> arguments) {
    // CLI11 takes its arguments last one first, and "--flag=" for a flag without a value; here it is an empty one.
    std::vector<std::string> reversed;
    for (const std::string_view argument : arguments.subspan(std::min<std::size_t>(1, arguments.size()))) {
      const bool empty_value = argument.starts_with("--") && argument.find('=') == argument.size() - 1;
      reversed.emplace_back(argument.substr(0, argument.size() - (empty_value ? 1 : 0)));
      if (empty_value) reversed.emplace_back();
    }
    std::reverse(reversed.begin(), reversed.end());
    app_.parse(std::move(reversed));
  }

  std::string Help() { return app_.help(); }
  bool version() const { return version_; }
  const std::vector<std::string>& Values(const FlagSpec& flag) { return values_[flag.name]; }

 private:
  CLI::App app_;
  bool version_ = false;
  std::map<std::string_view, std::vector<std::string>> values_;
};

tl::unexpected<Error> Bad(const std::string& where, const std::string& what) {
  return Fail(ErrorKind::kConfiguration, where + ": " + what);
}

std::string FirstLine(const std::string& text) { return text.substr(0, text.find('\n')); }

Result<ParsedCommandLine> Apply(CommandLine& line, const Environment& environment) {
  ParsedCommandLine parsed;
  for (const FlagSpec& flag : ExporterFlags()) {
    std::string where = "--" + std::string(flag.name);
    std::vector<std::string> values = line.Values(flag);
    if (values.empty()) {
      where = EnvironmentName(flag);
      const auto value = environment(where);
      if (!value || value->empty()) continue;
      values.push_back(*value);
    }
    if (const auto applied = flag.apply(parsed.options, values); !applied) return Bad(where, applied.error().message);
  }
  if (!parsed.options.exporter_host.empty() && !parsed.options.exporter_port) {
    return Bad("--exporter-host", "has no effect without --exporter-port; give both");
  }
  return parsed;
}

}  // namespace

std::string EnvironmentName(const FlagSpec& flag) {
  std::string name = "KUBE_EVENTS_EXPORTER_" + std::string(flag.name);
  std::transform(name.begin(), name.end(), name.begin(), [](char c) {
    return c == '-' ? '_' : (c >= 'a' && c <= 'z') ? static_cast<char>(c - 'a' + 'A') : c;
  });
  return name;
}

Result<ParsedCommandLine> ParseExporterCommandLine(std::span<const char* const> arguments,
                                                   const Environment& environment) {
  CommandLine line;
  ParsedCommandLine text_only;
  try {
    line.Parse(arguments);
  } catch (const CLI::CallForHelp&) {
    text_only.text = line.Help();
    return text_only;
  } catch (const CLI::Error& error) {
    return Bad("command line", FirstLine(error.what()) + "; " + std::string(kProgram) + " --help lists the flags");
  }
  if (line.version()) {
    const BuildInfo build = ThisBuild();
    text_only.text = std::string(kProgram) + " " + std::string(build.version) + " (revision " +
                     std::string(build.revision) + ", " + std::string(build.compiler) + ")\n";
    return text_only;
  }
  return Apply(line, environment);
}

}  // namespace kube_events
