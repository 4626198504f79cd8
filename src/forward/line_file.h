// A file of lines that only grows by whole batches: flushed to the disk, rotated by size, and never with half a line in
// it that stays. Owned by a sink or a dead-letter file; one thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "kube_events/base/file_descriptor.h"
#include "kube_events/base/result.h"

namespace kube_events {

struct LineFileOptions {
  std::filesystem::path path;
  std::uint64_t max_bytes = 0;  // rotated before it grows beyond this; 0: never
  int max_files = 0;            // rotated ones that are kept: PATH.1, the newest, … PATH.N; 0 or more. Where the path
                                // is a symbolic link, it stays, and PATH is what it leads to
  mode_t mode = 0600;           // of new files, less the umask
};

class LineFile {
 public:
  explicit LineFile(LineFileOptions options) : options_(std::move(options)) {}

  // Appends whole lines, each with its line end, and flushes them. Opens the file where that has not happened or where
  // it was deleted or moved away since; a line without end that it finds there is ended first. Blocks. Fails with
  // kRetry; then nothing of it is in the file.
  Result<void> Append(std::string_view lines);
  // The next Append opens the file anew.
  void Close() { file_.Reset(); }
  // Why the file could not be rotated before the last Append, which then went on with it; empty: it could or need not.
  const std::string& rotation_problem() const { return rotation_problem_; }

 private:
  Result<void> Open();
  Result<void> Rotate();
  Result<std::uint64_t> Size() const;
  Result<void> TakeBack(std::uint64_t size, const Error& why);
  std::filesystem::path Rotated(int number) const;

  const LineFileOptions options_;
  std::filesystem::path real_path_;  // of the open file: where the path is a link, the file behind it is rotated
  UniqueFd file_;
  bool torn_ = false;  // it ends with a line without end
  std::string rotation_problem_;
};

}  // namespace kube_events
