#include "stub_fluent_bit/stub_config.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace stub {
namespace {

constexpr const char* kSpace = " \t\r";

std::string Trim(const std::string& text) {
  const auto begin = text.find_first_not_of(kSpace);
  return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

std::string Lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

void ReadInto(Config& config, const std::string& path, int depth) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  std::ifstream file(path);
  if (!file || depth > 8) {
    config.failure = "cannot open " + path;
    return;
  }
  const auto include = [&](const std::string& name) {
    ReadInto(config, std::filesystem::path(name).is_absolute() ? name : (folder / name).string(), depth + 1);
  };
  bool in_includes = false;
  for (std::string line; std::getline(file, line);) {
    line = Trim(line);
    if (line.empty() || line[0] == '#' || line[0] == '[') continue;
    if (in_includes && line.starts_with("- ")) {
      include(Trim(line.substr(2)));
      continue;
    }
    const auto gap = line.find_first_of(" \t:");
    const std::string key = Lower(line.substr(0, gap));
    const std::string value = gap == std::string::npos ? "" : Trim(line.substr(gap + 1));
    in_includes = key == "includes";
    if (key == "@include") {
      include(value);
      continue;
    }
    if (!in_includes) config.empty = false;
    config.values[key] = value;
    if (key == "parsers_file" && !std::filesystem::exists(value)) {
      config.failure = "could not configure service property 'parsers_file'";
    }
  }
}

}  // namespace

std::string Config::Text(const std::string& key, const std::string& otherwise) const {
  const auto found = values.find(key);
  return found == values.end() ? otherwise : found->second;
}

int Config::Number(const std::string& key, int otherwise) const {
  const std::string text = Text(key);
  return text.empty() ? otherwise : std::atoi(text.c_str());
}

bool Config::On(const std::string& key) const {
  const std::string text = Lower(Text(key));
  return text == "on" || text == "true";
}

Config Read(const std::string& path) {
  Config config;
  ReadInto(config, path, 0);
  const std::string fail = config.Text("stub.fail");
  if (config.failure.empty() && (fail == "parse" || fail == "property")) {
    config.failure = fail == "parse" ? "unknown plugin 'stub'" : "unknown configuration property 'stub'";
  }
  return config;
}

}  // namespace stub
