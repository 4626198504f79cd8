// Which records are in which file of a spool, without the files. Plain bookkeeping, guarded by its Spool's mutex.
// Costs 4 bytes per record.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "spool_folder.h"

namespace kube_events {

struct SpoolFile {
  std::uint64_t sequence = 0;
  std::uint64_t id = 0;
  std::uint64_t bytes = 0;             // of all of it
  std::vector<std::uint32_t> offsets;  // of its frames
  std::uint64_t first = 0;             // number of its first record; set by the index

  std::uint64_t End() const { return first + offsets.size(); }
};

// Frames that follow each other in one file.
struct SpoolSlice {
  std::uint64_t sequence = 0;
  std::uint64_t id = 0;
  std::vector<std::uint32_t> offsets;
  std::uint64_t end = 0;  // byte behind the last one
};

class SpoolIndex {
 public:
  // A file behind the last one.
  void Add(SpoolFile file);
  // The last file has grown to `bytes`, by these frames.
  void Extend(const std::vector<std::uint32_t>& offsets, std::uint64_t bytes);

  // Frames from number `from` on, as Spool::Peek limits them; none where `from` is not there.
  SpoolSlice Find(std::uint64_t from, std::size_t max_records, std::size_t max_bytes) const;

  // Forgets the files that hold nothing at or behind `number`, apart from the one with the sequence `keep`, and returns
  // their sequences.
  std::vector<std::uint64_t> RemoveBefore(std::uint64_t number, std::optional<std::uint64_t> keep);
  // Forgets the oldest files until at most `bytes` are left.
  struct Dropped {
    std::vector<std::uint64_t> sequences;
    std::uint64_t records = 0;  // of those, not removed before
  };
  Dropped DropDownTo(std::uint64_t bytes);

  // Up to where the oldest file is done; nothing where none of it is.
  std::optional<SpoolPosition> Position() const;

  std::uint64_t front() const { return front_; }
  std::uint64_t end() const { return end_; }
  std::uint64_t bytes() const { return bytes_; }

 private:
  void PopFront();

  std::deque<SpoolFile> files_;
  std::uint64_t front_ = 0;
  std::uint64_t end_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace kube_events
