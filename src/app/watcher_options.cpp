#include "kube_events/app/watcher_options.h"

#include <algorithm>
#include <string_view>

#include "command_line.h"

namespace kube_events {
namespace {

constexpr ProgramText kProgram{
    .name = "fluent-bit-watcher",
    .summary = "Runs Fluent Bit and has it reload, provably, when its configuration changes.",
    .footer =
        "Flags may be written with one dash or two. What follows -- is passed on to Fluent Bit. Every flag can also\n"
        "be given as an environment variable: --watch-path as FLUENT_BIT_WATCHER_WATCH_PATH. Durations: 300ms,\n"
        "10s, 5m; a bare number is seconds. More: docs/fluent-bit-watcher.md",
    .environment_prefix = "FLUENT_BIT_WATCHER_"};

// The row of a flag as it was written, "-poll=false" for example; null: there is none.
const Flag<WatcherOptions>* FindFlag(std::string_view written) {
  written.remove_prefix(std::min(written.find_first_not_of('-'), written.size()));
  const std::string_view name = written.substr(0, written.find('='));
  const auto flags = WatcherFlags();
  const auto found = std::find_if(flags.begin(), flags.end(), [name](const auto& flag) { return flag.name == name; });
  return found == flags.end() ? nullptr : &*found;
}

// As Go's flag package takes it: one dash or two, a switch without a value is true and takes none after a space.
std::string Normalised(std::string_view written, const Flag<WatcherOptions>& flag) {
  const auto equals = written.find('=');
  if (equals != written.npos) return Dashed(flag.name) + std::string(written.substr(equals));
  return Dashed(flag.name) + (flag.value.empty() ? "=true" : "");
}

// Splits "-b=PATH": a flag of a single letter takes its value from the next argument.
void Append(std::vector<std::string>& out, std::string argument) {
  const bool letter = argument.size() > 2 && argument[0] == '-' && argument[1] != '-' && argument[2] == '=';
  if (!letter) return out.push_back(std::move(argument));
  out.push_back(argument.substr(0, 2));
  out.push_back(argument.substr(3));
}

struct SplitArguments {
  std::vector<std::string> ours;
  std::vector<std::string> childs;
};

SplitArguments Split(std::span<const char* const> arguments) {
  SplitArguments split;
  bool value_follows = true;  // of the program's own name there is nothing to look up
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view written = arguments[i];
    if (value_follows) {
      split.ours.emplace_back(written);
      value_follows = false;
      continue;
    }
    if (written == "--") {
      split.childs.assign(arguments.begin() + static_cast<std::ptrdiff_t>(i) + 1, arguments.end());
      break;
    }
    const auto* flag = written.starts_with('-') ? FindFlag(written) : nullptr;
    if (flag == nullptr) {
      split.ours.emplace_back(written);
      continue;
    }
    value_follows = !flag->value.empty() && written.find('=') == written.npos;
    Append(split.ours, Normalised(written, *flag));
  }
  return split;
}

}  // namespace

std::string WatcherEnvironmentName(std::string_view flag_name) {
  return EnvironmentName(kProgram.environment_prefix, flag_name);
}

Result<ParsedFlags<WatcherOptions>> ParseWatcherCommandLine(std::span<const char* const> arguments,
                                                            const Environment& environment) {
  const SplitArguments split = Split(arguments);
  std::vector<const char*> ours;
  for (const std::string& argument : split.ours) ours.push_back(argument.c_str());
  auto parsed = ParseFlags<WatcherOptions>(kProgram, WatcherFlags(), ours, environment);
  if (parsed) parsed->options.child_arguments = split.childs;
  return parsed;
}

}  // namespace kube_events
