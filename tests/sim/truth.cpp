#include "sim/truth.h"

#include <algorithm>

namespace kube_events::sim {

void Truth::Add(std::uint64_t revision, const LabelSet& labels, std::int64_t count) {
  const auto [entry, added] = ids_.try_emplace(labels, static_cast<std::uint32_t>(label_sets_.size()));
  if (added) {
    label_sets_.push_back(&entry->first);
    folded_.push_back(0);
  }
  entries_.push_back({revision, entry->second, static_cast<std::int32_t>(count)});
  if (entries_.size() > kMaxEntries) Fold();
}

std::optional<OccurrenceCounts> Truth::Since(std::uint64_t revision) const {
  if (revision != 0 && revision < folded_revision_) return std::nullopt;
  std::vector<std::int64_t> sums(label_sets_.size(), 0);
  if (revision == 0) sums = folded_;
  const auto first = std::upper_bound(entries_.begin(), entries_.end(), revision,
                                      [](std::uint64_t wanted, const Entry& entry) { return wanted < entry.revision; });
  for (auto entry = first; entry != entries_.end(); ++entry) sums[entry->labels] += entry->count;
  OccurrenceCounts counts;
  for (std::size_t id = 0; id < sums.size(); ++id) {
    if (sums[id] > 0) counts.emplace(*label_sets_[id], sums[id]);
  }
  return counts;
}

void Truth::Fold() {
  const auto middle = entries_.begin() + static_cast<std::ptrdiff_t>(kMaxEntries / 2);
  for (auto entry = entries_.begin(); entry != middle; ++entry) folded_[entry->labels] += entry->count;
  folded_revision_ = std::prev(middle)->revision;
  entries_.erase(entries_.begin(), middle);
}

}  // namespace kube_events::sim
