// The configuration of the stub: see README.md.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace stub {

struct Config {
  std::map<std::string, std::string> values;
  std::string failure;  // why it cannot be parsed
  bool empty = true;

  std::string Text(const std::string& key, const std::string& otherwise = "") const;
  int Number(const std::string& key, int otherwise) const;
  bool On(const std::string& key) const;
};

// Reads a file with all that it includes, relative to its folder.
Config Read(const std::string& path);

}  // namespace stub
