// Records on disk that a receiver could not be given yet: files of bounded size in a folder of one sink, oldest first.
// Owned by a SinkWorker. Append and DropOldestFor belong to its spooling thread, Peek to its delivery thread, the
// others to both; no file is read or written under a lock. docs/forwarding.md says what is in the folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kube_events/base/clock.h"
#include "kube_events/base/result.h"
#include "kube_events/forward/record.h"

namespace kube_events {

struct SpoolOptions {
  std::filesystem::path folder;                      // made where it is missing
  std::uint64_t max_bytes = std::uint64_t{1} << 30;  // of all files together
  // Of one file, which is deleted when all of it is done; a larger record has a file of its own. At most an eighth of
  // max_bytes is used, and 1 GiB.
  std::uint64_t file_bytes = std::uint64_t{8} << 20;
};

struct SpoolStats {
  std::uint64_t records = 0;
  std::uint64_t bytes = 0;
};

// Records are numbered in the order in which they were appended: those that were there at Open from 0.
class Spool {
 public:
  // Opens the folder and counts what a process before has left. What cannot be read (a torn end, a flipped bit) is
  // skipped, the rest is kept; `damaged` says how many records or pieces of file that were, `first_problem` where.
  // Reads all files. Fails with kConfiguration where the folder cannot be made, written or locked (another process uses
  // it).
  struct Opened;
  static Result<Opened> Open(const SpoolOptions& options);

  virtual ~Spool() = default;
  // Writes the records behind the last one and flushes them to the disk: they are safe. Blocks. Fails with kConflict
  // and reason "full" beyond max_bytes, with kRetry where the disk does not take them, and with kInvalid and reason
  // "too_large" where one has more than 256 MiB; then nothing was appended.
  virtual Result<void> Append(std::span<const RecordPtr> records) = 0;
  // The next records from number `from` on, at most so many and about so many bytes; at least one, if there is one.
  // Does not remove them. Reads one file; a record that has become unreadable comes as a gap with reason "spool", so
  // numbers stay dense, and several in a row share one gap (the same pointer). Empty where there is none, and where
  // `from` was removed or dropped: ask again from Front(). Fails with kRetry.
  virtual Result<std::vector<RecordPtr>> Peek(std::uint64_t from, std::size_t max_records, std::size_t max_bytes) = 0;
  // Everything before this number is done; files that hold nothing else are deleted. A crash may bring back what was
  // done in the oldest file, except that a position inside it is kept too, written without being flushed.
  virtual void RemoveBefore(std::uint64_t number) = 0;
  // Drops the oldest files, whole, until these records have room or nothing is left. Returns how many records were lost
  // with them; Front() has moved on behind those. An Append of them then is not "full", unless they alone are too much.
  virtual std::uint64_t DropOldestFor(std::span<const RecordPtr> records) = 0;
  // Number of the oldest record that is not removed, and one past the newest.
  virtual std::uint64_t Front() const = 0;
  virtual std::uint64_t End() const = 0;
  virtual SpoolStats Stats() const = 0;
};

struct Spool::Opened {
  std::unique_ptr<Spool> spool;
  std::uint64_t damaged = 0;
  std::string first_problem = {};
  OptionalTime intact_until = {};  // when the last record before the first damage was observed; none: not known
};

}  // namespace kube_events
