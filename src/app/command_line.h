// Reads a command line by a table of flags. For the start of a program, main thread.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kube_events/app/flags.h"

namespace kube_events {

// What --help and complaints say about the program as a whole.
struct ProgramText {
  std::string_view name;
  std::string_view summary;
  std::string_view footer;
  std::string_view environment_prefix;
};

// What was written on a command line.
struct WrittenFlags {
  std::optional<std::string> text = {};  // of --help or --version
  std::map<std::string_view, std::vector<std::string>> values = {};
};

// `arguments`: with the name of the program at its begin. Fails with kConfiguration and one line.
Result<WrittenFlags> ReadCommandLine(const ProgramText& program, const std::vector<FlagText>& flags,
                                     std::span<const char* const> arguments);

// A complaint about what stands at `where`, on one line.
tl::unexpected<Error> BadFlag(const std::string& where, const std::string& what);

// Whether a variable is none of ours: the kubelet sets NAME_PORT=tcp://ADDRESS:PORT in Pods for each Service NAME, and
// a Service is likely to be named as the program (Kubernetes: "Discovering services", environment variables).
bool IsServiceLink(std::string_view value);

// Parses flags, then variables for the flags not given; a variable that is empty counts as not set.
template <typename Options>
Result<ParsedFlags<Options>> ParseFlags(const ProgramText& program, std::span<const Flag<Options>> flags,
                                        std::span<const char* const> arguments, const Environment& environment) {
  std::vector<FlagText> texts;
  for (const auto& flag : flags) texts.push_back(flag.Text());
  auto written = ReadCommandLine(program, texts, arguments);
  if (!written) return Fail(written.error());
  ParsedFlags<Options> parsed;
  parsed.text = std::move(written->text);
  if (parsed.text) return parsed;
  for (const auto& flag : flags) {
    std::string where = Dashed(flag.name);
    std::vector<std::string>& values = written->values[flag.name];
    if (values.empty()) {
      where = EnvironmentName(program.environment_prefix, flag.name);
      const auto value = environment(where);
      if (!value || value->empty() || IsServiceLink(*value)) continue;
      values.push_back(*value);
    }
    if (const auto applied = flag.apply(parsed.options, values); !applied) {
      return BadFlag(where, applied.error().message);
    }
  }
  return parsed;
}

}  // namespace kube_events
