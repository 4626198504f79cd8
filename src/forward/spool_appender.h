// Writes records into the files of a spool, all of a batch or nothing. Owned by a Spool; the spooling thread only.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kube_events/base/file_descriptor.h"
#include "kube_events/base/result.h"
#include "kube_events/forward/record.h"
#include "spool_folder.h"

namespace kube_events {

// A file that is not full yet.
struct SpoolWriter {
  UniqueFd fd;
  std::uint64_t sequence = 0;
  std::uint64_t id = 0;
  std::uint64_t bytes = 0;
  std::uint32_t next_index = 0;
};

// What one batch puts into one file.
struct SpoolPart {
  SpoolWriter writer;
  bool is_new = false;
  std::uint64_t bytes_before = 0;
  std::vector<std::uint32_t> offsets = {};  // of its frames
};

class SpoolAppender {
 public:
  // `folder` must outlive the appender. `next_sequence`: of the first new file. `file_bytes`: what a file may grow to.
  SpoolAppender(SpoolFolder& folder, std::uint64_t next_sequence, std::uint64_t file_bytes)
      : folder_(folder), next_sequence_(next_sequence), file_bytes_(file_bytes) {}

  // The most that these records take, with all that is around them.
  std::uint64_t BytesFor(std::span<const RecordPtr> records) const;

  // Writes the records and flushes them. `parts`: empty, or the file that is begun; files are added as they fill. Fails
  // with kRetry; then what was written has been taken back, and none of the files may be gone on with, since nobody
  // knows what a disk did with bytes that it failed to flush.
  Result<void> Write(std::span<const RecordPtr> records, std::vector<SpoolPart>& parts);

 private:
  Result<void> WriteParts(std::span<const RecordPtr> records, std::vector<SpoolPart>& parts);
  bool NeedsNewFile(const std::vector<SpoolPart>& parts, std::uint64_t bytes) const;
  Result<void> BeginFile(std::vector<SpoolPart>& parts);
  Result<void> Flush(std::vector<SpoolPart>& parts);
  void Undo(const std::vector<SpoolPart>& parts);

  SpoolFolder& folder_;
  std::uint64_t next_sequence_;
  const std::uint64_t file_bytes_;
  std::string buffer_;  // for the last of the parts
};

}  // namespace kube_events
