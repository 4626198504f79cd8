// The folder of a spool: its lock, its files by their numbers, and the position inside the oldest of them.
// Owned by a Spool. Lock and Create belong to the thread that appends, the others to any.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "kube_events/base/file_descriptor.h"
#include "kube_events/base/result.h"

namespace kube_events {

// Everything before byte `offset` of the file with this id is done.
struct SpoolPosition {
  std::uint64_t id = 0;
  std::uint64_t offset = 0;
};

class SpoolFolder {
 public:
  explicit SpoolFolder(std::filesystem::path path) : path_(std::move(path)) {}

  // Makes the folder, for this user only, where it is missing, and takes its lock. Fails with kConfiguration where it
  // cannot be made or written, or another process has it.
  Result<void> Lock();

  std::filesystem::path PathOf(std::uint64_t sequence) const;
  // The numbers of all files there are, ascending. Fails with kConfiguration.
  Result<std::vector<std::uint64_t>> List() const;
  // Makes a new file with this content, for this user only, and flushes it with its name. Where somebody deleted the
  // folder or its lock, both are made anew. Fails with kRetry; then there is no such file.
  Result<UniqueFd> Create(std::uint64_t sequence, std::string_view content);
  // Deletes the file. Returns whether there is none now.
  bool Remove(std::uint64_t sequence) const;

  // Nothing where there is none that can be read.
  std::optional<SpoolPosition> ReadPosition() const;
  // Best effort, not flushed.
  void WritePosition(const SpoolPosition& position) const;

 private:
  std::filesystem::path path_;
  UniqueFd lock_;
};

}  // namespace kube_events
