// What a perfect counter would have counted: the occurrences that the API first showed, per label set and revision.
// Owned by the server; used on its thread only.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace kube_events::sim {

// The labels of kube_events_total.
struct LabelSet {
  std::string type;
  std::string involved_object_namespace;
  std::string involved_object_kind;
  std::string reason;

  auto operator<=>(const LabelSet&) const = default;  // NOLINT(modernize-use-nullptr): a false alarm
};

using OccurrenceCounts = std::map<LabelSet, std::int64_t>;

class Truth {
 public:
  // The revision at which the occurrences became visible; never falls. `count`: 1 or more.
  void Add(std::uint64_t revision, const LabelSet& labels, std::int64_t count);
  // Occurrences after `revision`: all of them with 0. Nothing where that is too long ago to be known one by one.
  std::optional<OccurrenceCounts> Since(std::uint64_t revision) const;

 private:
  struct Entry {
    std::uint64_t revision;
    std::uint32_t labels;
    std::int32_t count;
  };
  // Entries beyond this are added up, oldest first: the memory is bounded.
  static constexpr std::size_t kMaxEntries = 4'000'000;

  void Fold();

  std::map<LabelSet, std::uint32_t> ids_;
  std::vector<const LabelSet*> label_sets_;  // by id; keys of ids_
  std::vector<Entry> entries_;
  std::vector<std::int64_t> folded_;  // by id: occurrences up to folded_revision_
  std::uint64_t folded_revision_ = 0;
};

}  // namespace kube_events::sim
