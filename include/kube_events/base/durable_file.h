// Single steps of writing files so that a crash or a full disk loses nothing that was said to be safe.
// Functions without state; each blocks as long as the disk takes. Any thread.
#pragma once

#include <filesystem>
#include <string_view>

#include "kube_events/base/result.h"

namespace kube_events {

// "cannot WHAT PATH: …" for an error number of errno(3); kRetry, reason "file".
Error FileError(std::string_view what, const std::filesystem::path& path, int code);

// Writes all of `bytes` where the file stands. Returns 0, or an error number; some of it may have been written then.
int WriteAll(int fd, std::string_view bytes);

// Flushes the folder that `path` is in, so that the file's name survives a power failure. Fails with kRetry.
Result<void> FlushFolderOf(const std::filesystem::path& path);

// Whether `path` still leads to the open file `fd`, which somebody may have deleted or moved away.
bool IsStillAt(int fd, const std::filesystem::path& path);

}  // namespace kube_events
