// What a receiver will never take, kept for an administrator to look at: one JSON line per record.
// Owned by a SinkWorker; its delivery thread only.
#pragma once

#include <filesystem>
#include <memory>
#include <string_view>

#include "kube_events/base/clock.h"
#include "kube_events/base/result.h"
#include "kube_events/forward/record.h"

namespace kube_events {

class DeadLetterFile {
 public:
  static constexpr int kRotatedFiles = 1;  // PATH.1

  // For the start: fails with kConfiguration where no file can be made at `path`, since its folder does not exist or
  // may not be written, or where something else than a file is there. Blocks for a look at the folder.
  static Result<void> Check(const std::filesystem::path& path);

  // Nothing is opened before the first Append. With PATH.1, into which it is rotated at 32 MiB, it takes 64 MiB at
  // most, unless a single record is larger.
  explicit DeadLetterFile(std::filesystem::path path);
  ~DeadLetterFile();

  // Appends {"time", "sink", "reason", "message", "record"}, the record in the raw format, and flushes it to the disk.
  // `sink`: its id. `why`: what the receiver said. `now`: the API server's or our own time. Blocks. Fails with kRetry;
  // then nothing was appended.
  Result<void> Append(std::string_view sink, const Error& why, const Record& record, WallTime now);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kube_events
