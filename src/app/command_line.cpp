#include "command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <functional>
#include <set>

#include "kube_events/app/version.h"
#include "kube_events/base/text.h"

namespace kube_events {
namespace {

std::string HelpFor(const FlagText& flag) {
  std::string help(flag.help);
  if (!flag.default_value.empty()) help += " (default: " + std::string(flag.default_value) + ")";
  return help;
}

// CLI11 brings only syntax and --help; values are checked by the table's functions, with one kind of message.
class CommandLine {
 public:
  CommandLine(const ProgramText& program, const std::vector<FlagText>& flags)
      : app_(std::string(program.summary), std::string(program.name)) {
    app_.get_formatter()->column_width(44);
    app_.footer(std::string(program.footer));
    app_.add_flag("--version", version_, "print the version and exit");
    for (const FlagText& flag : flags) {
      if (flag.value.empty()) switches_.insert(Dashed(flag.name));
      app_.add_option(Dashed(flag.name), values_[flag.name], HelpFor(flag))
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
      if (switches_.contains(argument)) {
        reversed.push_back(std::string(argument) + "=true");  // it takes no value from the next argument
        continue;
      }
      const bool empty_value = argument.starts_with("--") && argument.find('=') == argument.size() - 1;
      reversed.emplace_back(argument.substr(0, argument.size() - (empty_value ? 1 : 0)));
      if (empty_value) reversed.emplace_back();
    }
    std::reverse(reversed.begin(), reversed.end());
    app_.parse(std::move(reversed));
  }

  // What of the arguments is no flag of ours.
  std::vector<std::string> Remaining() const { return app_.remaining(); }

  std::string Help() { return app_.help(); }
  bool version() const { return version_; }
  std::map<std::string_view, std::vector<std::string>> TakeValues() { return std::move(values_); }

 private:
  CLI::App app_;
  bool version_ = false;
  std::set<std::string, std::less<>> switches_;
  std::map<std::string_view, std::vector<std::string>> values_;
};

// Without values, and only words of what is no flag: the rest may be secret, such as the path of a URL.
std::string UnknownText(const std::vector<std::string>& remaining) {
  constexpr std::string_view kOfWords = "-_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
  for (const std::string& argument : remaining) {
    if (!argument.starts_with('-')) continue;
    return "there is no flag " + Shortened(argument.substr(0, argument.find_first_not_of(kOfWords)), 60);
  }
  constexpr std::size_t kLongestWord = 20;
  std::string shown = "an argument";
  for (const std::string& argument : remaining) {
    const bool word = argument.find_first_not_of(kOfWords) == std::string::npos && argument.size() <= kLongestWord;
    if (word) shown = "the argument \"" + argument + "\"";
  }
  return shown + " is neither a flag nor the value of one; a flag takes one value, lists are written with commas";
}

std::string FirstLine(const std::string& text) { return text.substr(0, text.find('\n')); }

std::string VersionLine(const ProgramText& program) {
  const BuildInfo build = ThisBuild();
  return std::string(program.name) + " " + std::string(build.version) + " (revision " + std::string(build.revision) +
         ", " + std::string(build.compiler) + ")\n";
}

}  // namespace

std::string Dashed(std::string_view flag_name) { return (flag_name.size() == 1 ? "-" : "--") + std::string(flag_name); }

std::string EnvironmentName(std::string_view prefix, std::string_view flag_name) {
  std::string name = std::string(prefix) + std::string(flag_name);
  std::transform(name.begin(), name.end(), name.begin(), [](char c) {
    return c == '-' ? '_' : (c >= 'a' && c <= 'z') ? static_cast<char>(c - 'a' + 'A') : c;
  });
  return name;
}

bool IsServiceLink(std::string_view value) {
  return value.starts_with("tcp://") || value.starts_with("udp://") || value.starts_with("sctp://");
}

std::optional<std::string> FromProcessEnvironment(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

tl::unexpected<Error> BadFlag(const std::string& where, const std::string& what) {
  std::string line = where + ": " + what;
  std::replace_if(line.begin(), line.end(), IsControlCharacter, ' ');  // a value may hold a line break
  return Fail(ErrorKind::kConfiguration, std::move(line));
}

Result<WrittenFlags> ReadCommandLine(const ProgramText& program, const std::vector<FlagText>& flags,
                                     std::span<const char* const> arguments) {
  CommandLine line(program, flags);
  try {
    line.Parse(arguments);
  } catch (const CLI::CallForHelp&) {
    return WrittenFlags{.text = line.Help()};
  } catch (const CLI::ExtrasError&) {
    return BadFlag("command line",
                   UnknownText(line.Remaining()) + "; " + std::string(program.name) + " --help lists the flags");
  } catch (const CLI::Error& error) {
    return BadFlag("command line",
                   FirstLine(error.what()) + "; " + std::string(program.name) + " --help lists the flags");
  }
  if (line.version()) return WrittenFlags{.text = VersionLine(program)};
  return WrittenFlags{.values = line.TakeValues()};
}

}  // namespace kube_events
