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
  std::size_t torn() const { return place_.torn; }
  std::size_t files() const { return place_.done_files + 1; }

 private:
  struct Place {
    std::size_t done_files = 0;  // read to their ends
    std::uint64_t offset = 0;    // in the next one
    std::size_t torn = 0;
  };
  struct File {
    std::filesystem::path path;
    std::uint64_t inode = 0;  // 0: is not there at the moment
    bool operator==(const File&) const = default;
  };
  std::vector<File> Files() const;
  static std::vector<Received> TakeFrom(const std::vector<File>& files, int process, Place& place);

  const std::filesystem::path path_;
  Place place_;
};

}  // namespace kube_events::chaos
