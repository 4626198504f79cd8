// What a sink file:///… writes, read while it grows and is rotated. Owned and used by one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "chaos/receipts.h"

namespace kube_events::chaos {

// Reads PATH and PATH.1, PATH.2 … (the oldest has the highest number, and none is missing at the end) as one stream.
class JsonLines {
 public:
  explicit JsonLines(std::filesystem::path path) : path_(std::move(path)) {}

  // The records of the lines that were completed since the last call, as of `process`.
  std::vector<Received> Take(int process);
  // Lines that are no records: what a killed process had begun to write.
  std::size_t torn() const { return torn_; }
  std::size_t files() const { return done_files_ + 1; }

 private:
  std::vector<std::filesystem::path> Files() const;
  void Read(const std::filesystem::path& file, int process, std::vector<Received>& records);

  const std::filesystem::path path_;
  std::size_t done_files_ = 0;  // read to their ends
  std::uint64_t offset_ = 0;    // in the next one
  std::size_t torn_ = 0;
};

}  // namespace kube_events::chaos
