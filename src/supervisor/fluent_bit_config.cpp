#include "kube_events/supervisor/fluent_bit_config.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <charconv>

#include "kube_events/base/text.h"

namespace kube_events {
namespace {

constexpr std::string_view kSpace = " \t\r";

// The service keys that name further files.
bool NamesFile(const std::string& key) {
  return key == "parsers_file" || key == "plugins_file" || key == "streams_file";
}

void AddService(ConfigText& config, const std::string& key, const std::string& value) {
  if (NamesFile(key)) config.files.push_back(value);
  config.service[key] = value;
}

// One line of a classic file, trimmed and not empty. `section` is the one that it stands in.
void ReadClassicLine(ConfigText& config, std::string& section, std::string_view line) {
  if (line.front() == '[') {
    section = LowerAscii(line.substr(1, line.find(']') - 1));
    return;
  }
  const auto gap = std::min(line.find_first_of(kSpace), line.size());
  const std::string key = LowerAscii(line.substr(0, gap));
  const std::string value(Trimmed(line.substr(gap)));
  if (key == "@include") {
    config.includes.push_back(value);
  } else if (key == "@set") {
    const auto equals = value.find('=');
    if (equals == value.npos) return;
    config.variables[std::string(Trimmed(value.substr(0, equals)))] = value.substr(equals + 1);
  } else if (section == "service") {
    AddService(config, key, value);
  }
}

ConfigText ReadClassic(std::string_view text) {
  ConfigText config;
  std::string section;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    const std::string_view line = Trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty() || line.front() == '#') continue;
    if (!LowerAscii(line).starts_with("@include")) config.empty = false;
    ReadClassicLine(config, section, line);
  }
  return config;
}

// The scalars of a node that is one or a list of them.
std::vector<std::string> Scalars(const YAML::Node& node) {
  std::vector<std::string> scalars;
  if (node.IsScalar()) scalars.push_back(node.Scalar());
  if (node.IsSequence()) {
    for (const auto& element : node) {
      if (element.IsScalar()) scalars.push_back(element.Scalar());
    }
  }
  return scalars;
}

ConfigText ReadYaml(std::string_view text) {
  ConfigText config;
  const YAML::Node root = YAML::Load(std::string(text));
  const std::size_t includes = root.IsMap() && root["includes"] ? 1 : 0;
  config.empty = root.IsNull() || ((root.IsMap() || root.IsSequence()) && root.size() == includes);
  if (!root.IsMap()) return config;
  config.includes = Scalars(root["includes"] ? root["includes"] : YAML::Node(YAML::NodeType::Sequence));
  if (const YAML::Node service = root["service"]; service && service.IsMap()) {
    for (const auto& entry : service) {
      if (!entry.first.IsScalar()) continue;
      for (const auto& value : Scalars(entry.second)) AddService(config, LowerAscii(entry.first.Scalar()), value);
    }
  }
  if (const YAML::Node variables = root["env"]; variables && variables.IsMap()) {
    for (const auto& entry : variables) {
      if (entry.first.IsScalar() && entry.second.IsScalar()) {
        config.variables[entry.first.Scalar()] = entry.second.Scalar();
      }
    }
  }
  return config;
}

bool IsOn(const std::string& value) {
  const std::string lower = LowerAscii(value);
  return lower == "on" || lower == "true" || lower == "yes" || lower == "1";
}

std::string ConnectHost(const std::string& listen) {
  if (listen.empty() || listen == "0.0.0.0" || LowerAscii(listen) == "localhost") return "127.0.0.1";
  return listen == "::" ? "::1" : listen;
}

void SetPort(ServiceSettings& settings, const std::string& text) {
  std::uint16_t port = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (code == std::errc{} && end == text.data() + text.size() && port != 0) settings.port = port;
}

// The value of a flag of the child: "-P 2020", "-P2020", "--port 2020" or "--port=2020".
std::optional<std::string> FlagValue(const std::vector<std::string>& arguments, std::size_t i, std::string_view letter,
                                     std::string_view word) {
  const std::string& argument = arguments[i];
  if (argument == letter || argument == word) {
    return i + 1 < arguments.size() ? arguments[i + 1] : std::string();
  }
  if (argument.starts_with(std::string(word) + "=")) return argument.substr(word.size() + 1);
  if (argument.starts_with(letter) && !argument.starts_with("--")) return argument.substr(letter.size());
  return std::nullopt;
}

}  // namespace

ConfigKind KindOf(std::string_view path) {
  return path.ends_with(".yaml") || path.ends_with(".yml") ? ConfigKind::kYaml : ConfigKind::kClassic;
}

Result<ConfigText> ReadConfigText(ConfigKind kind, std::string_view text) {
  if (kind == ConfigKind::kClassic) return ReadClassic(text);
  try {
    return ReadYaml(text);
  } catch (const YAML::Exception& error) {
    return Fail(ErrorKind::kInvalid, error.what());
  }
}

ServiceSettings SettingsOf(const std::map<std::string, std::string>& service,
                           const std::vector<std::string>& arguments) {
  const auto value = [&service](const char* key) {
    const auto found = service.find(key);
    return found == service.end() ? std::string() : found->second;
  };
  ServiceSettings settings;
  settings.http = IsOn(value("http_server"));
  settings.host = ConnectHost(value("http_listen"));
  SetPort(settings, value("http_port"));
  const std::string level = LowerAscii(value("log_level"));
  settings.log_visible =
      value("log_file").empty() && (level.empty() || level == "info" || level == "debug" || level == "trace");
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == "-H" || arguments[i] == "--http") settings.http = true;
    if (arguments[i] == "-q" || arguments[i] == "--quiet") settings.log_visible = false;
    if (const auto host = FlagValue(arguments, i, "-L", "--listen")) settings.host = ConnectHost(*host);
    if (const auto port = FlagValue(arguments, i, "-P", "--port")) SetPort(settings, *port);
    if (FlagValue(arguments, i, "-l", "--log_file")) settings.log_visible = false;
  }
  return settings;
}

}  // namespace kube_events
