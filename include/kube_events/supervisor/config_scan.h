// Everything on disk that decides what a reload would load, as two hashes and a list of directories to watch.
// Owned by the ConfigMonitor; its thread only. Reads files and folders, so it blocks for as long as the disk takes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kube_events/supervisor/fluent_bit_config.h"
#include "kube_events/supervisor/folders.h"
#include "kube_events/supervisor/reload_protocol.h"

namespace kube_events {

struct ConfigSources {
  std::filesystem::path config;                // the main file, absolute
  std::vector<std::filesystem::path> files;    // others that the child is given: parsers, plugins
  std::vector<std::filesystem::path> watched;  // files and folders of -watch-path
  std::vector<std::string> arguments;          // of the child
  std::function<std::optional<std::string>(const std::string&)> environment;
};

struct ConfigScan {
  SeenConfig seen;
  ServiceSettings settings;
  std::vector<std::filesystem::path> files;  // all of them
  Folders folders;                           // where a change would show, all existing
  std::vector<std::string> warnings;         // what could not be read, one line each
};

// Reads all of it. Contents are hashed in pieces, whatever the size of a file; only configuration files of at most
// 4 MiB are searched for includes. What cannot be read becomes a warning and part of the hash; only the main file has
// to be readable, and must not be empty together with all that it includes.
ConfigScan ScanConfiguration(const ConfigSources& sources);

// The hash of names, sizes and times only: cheap, for polling. It changes whenever `seen.stamp` of a scan would.
std::uint64_t StampOf(const ConfigSources& sources, const ConfigScan& last);

// A hash as logs and metrics show it: 16 hexadecimal digits.
std::string HashText(std::uint64_t hash);

}  // namespace kube_events
