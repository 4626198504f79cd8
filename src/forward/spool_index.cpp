#include "spool_index.h"

#include <algorithm>
#include <utility>

namespace kube_events {

void SpoolIndex::Add(SpoolFile file) {
  file.first = end_;
  end_ = file.End();
  bytes_ += file.bytes;
  files_.push_back(std::move(file));
}

void SpoolIndex::Extend(const std::vector<std::uint32_t>& offsets, std::uint64_t bytes) {
  SpoolFile& file = files_.back();
  bytes_ += bytes - file.bytes;
  file.bytes = bytes;
  file.offsets.insert(file.offsets.end(), offsets.begin(), offsets.end());
  end_ = file.End();
}

SpoolSlice SpoolIndex::Find(std::uint64_t from, std::size_t max_records, std::size_t max_bytes) const {
  SpoolSlice slice;
  if (from < front_ || from >= end_) return slice;
  const auto file = std::find_if(files_.begin(), files_.end(), [from](const SpoolFile& f) { return from < f.End(); });
  slice.sequence = file->sequence;
  slice.id = file->id;
  const auto& offsets = file->offsets;
  const auto begin = static_cast<std::size_t>(from - file->first);
  for (std::size_t i = begin; i < offsets.size() && i - begin < std::max<std::size_t>(max_records, 1); ++i) {
    const std::uint64_t end = i + 1 < offsets.size() ? offsets[i + 1] : file->bytes;
    if (i > begin && end - offsets[begin] > max_bytes) break;
    slice.offsets.push_back(offsets[i]);
    slice.end = end;
  }
  return slice;
}

std::vector<std::uint64_t> SpoolIndex::RemoveBefore(std::uint64_t number, std::optional<std::uint64_t> keep) {
  front_ = std::clamp(number, front_, end_);
  std::vector<std::uint64_t> removed;
  while (!files_.empty() && files_.front().End() <= front_ && files_.front().sequence != keep) {
    removed.push_back(files_.front().sequence);
    PopFront();
  }
  return removed;
}

SpoolIndex::Dropped SpoolIndex::DropDownTo(std::uint64_t bytes) {
  Dropped dropped;
  while (!files_.empty() && bytes_ > bytes) {
    const SpoolFile& oldest = files_.front();
    const std::uint64_t lost_from = std::max(front_, oldest.first);
    front_ = std::max(front_, oldest.End());
    dropped.records += front_ - lost_from;
    dropped.sequences.push_back(oldest.sequence);
    PopFront();
  }
  return dropped;
}

std::optional<SpoolPosition> SpoolIndex::Position() const {
  if (files_.empty() || files_.front().first >= front_) return std::nullopt;
  const SpoolFile& oldest = files_.front();
  const auto done = static_cast<std::size_t>(front_ - oldest.first);
  return SpoolPosition{oldest.id, done < oldest.offsets.size() ? oldest.offsets[done] : oldest.bytes};
}

void SpoolIndex::PopFront() {
  bytes_ -= files_.front().bytes;
  files_.pop_front();
}

}  // namespace kube_events
