#include "spool_reader.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "kube_events/base/durable_file.h"
#include "spool_file.h"

namespace kube_events {

Result<std::vector<RecordPtr>> SpoolReader::Read(std::uint64_t from, const SpoolSlice& slice) {
  if (auto opened = Open(slice.sequence); !opened) return Fail(opened.error());
  const std::uint64_t begin = slice.offsets.front();
  const std::string bytes = Bytes(begin, slice.end);
  std::vector<RecordPtr> records;
  records.reserve(slice.offsets.size());
  for (const std::uint32_t offset : slice.offsets) {
    const std::size_t at = std::min<std::size_t>(offset - begin, bytes.size());
    auto record = DecodeSpoolFrame(std::string_view(bytes).substr(at), slice.id);
    records.push_back(record ? std::make_shared<const Record>(std::move(*record)) : nullptr);
  }
  FillGaps(from, records);
  return records;
}

Result<void> SpoolReader::Open(std::uint64_t sequence) {
  if (file_ && sequence_ == sequence) return {};
  const std::filesystem::path path = folder_.PathOf(sequence);
  file_ = UniqueFd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  sequence_ = sequence;
  const bool gone = !file_ && (errno == ENOENT || errno == ENOTDIR);
  if (!file_ && !gone) return Fail(FileError("read", path, errno));
  return {};
}

// What can be read from `begin` on, at most up to `end`.
std::string SpoolReader::Bytes(std::uint64_t begin, std::uint64_t end) const {
  std::string bytes(file_ ? end - begin : 0, '\0');
  std::size_t done = 0;
  while (done < bytes.size()) {
    const auto at = static_cast<off_t>(begin + done);
    const ssize_t got = ::pread(file_.get(), bytes.data() + done, bytes.size() - done, at);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;  // cut off, or a bad place on the disk
    done += static_cast<std::size_t>(got);
  }
  bytes.resize(done);
  return bytes;
}

// Puts one gap in the place of records in a row that could not be read.
void SpoolReader::FillGaps(std::uint64_t from, std::vector<RecordPtr>& records) {
  for (auto at = records.begin(); at != records.end(); ++at) {
    if (*at) {
      last_observed_ = (*at)->observed;
      continue;
    }
    const auto next = std::find_if(at, records.end(), [](const RecordPtr& record) { return record != nullptr; });
    const OptionalTime until = next == records.end() ? OptionalTime{} : (*next)->observed;
    std::fill(at, next, GapAt(from + static_cast<std::uint64_t>(at - records.begin()), until));
  }
}

// The same one where it is asked for again, so that a receiver knows it.
RecordPtr SpoolReader::GapAt(std::uint64_t number, OptionalTime until) {
  if (gap_ && gap_number_ == number) return gap_;
  Record gap;
  gap.type = RecordType::kGap;
  gap.gap_reason = "spool";
  gap.gap_from = last_observed_;
  gap.observed = until ? *until : SystemClock().Wall();
  if (last_observed_) gap.observed = std::max(gap.observed, *last_observed_);
  gap_number_ = number;
  gap_ = std::make_shared<const Record>(std::move(gap));
  return gap_;
}

}  // namespace kube_events
