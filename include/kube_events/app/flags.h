// Flags and environment variables of a program, declared once in a table: the command line, --help and a page of the
// documentation follow from it. Values and constant data, any thread.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kube_events/base/result.h"

namespace kube_events {

// How a flag is written and explained.
struct FlagText {
  std::string_view name;           // "watch-interval", without dashes; a single letter is written with one dash
  std::string_view value;          // "DURATION"; empty: a switch
  std::string_view default_value;  // as a user would write it; empty: none
  std::string_view group;
  std::string_view help;
};

// One row of the table of a program whose options are of the type `Options`.
template <typename Options>
struct Flag {
  std::string_view name;
  std::string_view value;
  std::string_view default_value;
  std::string_view group;
  std::string_view help;
  // Applies the values given, one or more (each occurrence of the flag is one). Fails with kConfiguration and a text
  // that does not name the flag: the caller does.
  Result<void> (*apply)(Options& options, const std::vector<std::string>& values);

  FlagText Text() const { return {name, value, default_value, group, help}; }
};

// "--watch-interval", or "-b" for a single letter.
std::string Dashed(std::string_view flag_name);

// The environment variable of a flag: prefix "KUBE_EVENTS_EXPORTER_" and "watch-interval" give
// "KUBE_EVENTS_EXPORTER_WATCH_INTERVAL".
std::string EnvironmentName(std::string_view prefix, std::string_view flag_name);

// The value of an environment variable, or nothing where it is not set.
using Environment = std::function<std::optional<std::string>(const std::string& name)>;

// The environment of this process. Blocks nobody; not while another thread changes the environment.
std::optional<std::string> FromProcessEnvironment(const std::string& name);

// What the command line asks for: `text` to print and exit with 0, or options to run with.
template <typename Options>
struct ParsedFlags {
  std::optional<std::string> text = {};
  Options options = {};
};

}  // namespace kube_events
