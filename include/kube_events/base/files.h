// Reading the small files that a process is configured with: credentials, certificates, YAML. Blocks as long as the
// disk; any thread.
#pragma once

#include <filesystem>
#include <string>

#include "kube_events/base/result.h"

namespace kube_events {

// The content of a file of at most 1 MiB. Fails with kConfiguration; the message names the file and the reason.
Result<std::string> ReadSmallFile(const std::filesystem::path& path);

}  // namespace kube_events
