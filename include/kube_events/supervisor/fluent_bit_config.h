// The few things in a Fluent Bit configuration that concern whoever reloads it: which other files belong to it, and
// where its HTTP server is. Not a validator: that is what --dry-run is for. Pure functions, any thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kube_events/base/result.h"

namespace kube_events {

enum class ConfigKind { kClassic, kYaml };
// By the file's name, as Fluent Bit does: .yaml and .yml are YAML.
ConfigKind KindOf(std::string_view path);

// What one file says.
struct ConfigText {
  std::vector<std::string> includes = {};             // configuration files, as written; may be patterns with * and ?
  std::vector<std::string> files = {};                // parsers, plugins and streams files, as written
  std::map<std::string, std::string> service = {};    // keys of the service section, in lower case
  std::map<std::string, std::string> variables = {};  // @SET lines or the env section
  bool empty = true;                                  // nothing but white space, comments and includes
};

// Fails with kInvalid where the text cannot be understood: then the child will say it better.
Result<ConfigText> ReadConfigText(ConfigKind kind, std::string_view text);

// Puts values in place of ${NAME}, unknown ones as nothing, as Fluent Bit does. `lookup` may be asked repeatedly.
template <typename Lookup>
std::string ExpandVariables(std::string_view text, const Lookup& lookup) {
  std::string expanded;
  while (!text.empty()) {
    const auto begin = text.find("${");
    const auto end = begin == text.npos ? text.npos : text.find('}', begin);
    if (end == text.npos) break;
    expanded += text.substr(0, begin);
    expanded += lookup(std::string(text.substr(begin + 2, end - begin - 2)));
    text.remove_prefix(end + 1);
  }
  return expanded.append(text);
}

// Where to reach a running Fluent Bit, and what its log shows.
struct ServiceSettings {
  bool http = false;
  std::string host = "127.0.0.1";  // an address to connect to
  std::uint16_t port = 2020;
  bool log_visible = true;  // its log is on stderr, with a level that shows reloads

  friend bool operator==(const ServiceSettings&, const ServiceSettings&) = default;
};

// `service`: keys in lower case, values expanded. `arguments`: those of the command line, which win.
ServiceSettings SettingsOf(const std::map<std::string, std::string>& service,
                           const std::vector<std::string>& arguments);

}  // namespace kube_events
