// Reads records from the files of a spool. Owned by a Spool; the delivery thread only.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kube_events/base/clock.h"
#include "kube_events/base/file_descriptor.h"
#include "kube_events/base/result.h"
#include "kube_events/forward/record.h"
#include "spool_index.h"

namespace kube_events {

class SpoolReader {
 public:
  // `folder` must outlive the reader.
  explicit SpoolReader(const SpoolFolder& folder) : folder_(folder) {}

  // The records of a slice, whose first has the number `from`; those that cannot be read are gaps. Blocks. Fails with
  // kRetry where another try may be able to.
  Result<std::vector<RecordPtr>> Read(std::uint64_t from, const SpoolSlice& slice);

 private:
  Result<void> Open(std::uint64_t sequence);
  std::string Bytes(std::uint64_t begin, std::uint64_t end) const;
  void FillGaps(std::uint64_t from, std::vector<RecordPtr>& records);
  RecordPtr GapAt(std::uint64_t number, OptionalTime until);

  const SpoolFolder& folder_;
  UniqueFd file_;  // the one that was read last; none where it is gone
  std::uint64_t sequence_ = 0;
  OptionalTime last_observed_;  // of what could be read last
  std::uint64_t gap_number_ = 0;
  RecordPtr gap_;
};

}  // namespace kube_events
