#include "chaos/verdict.h"

#include <algorithm>
#include <set>

namespace kube_events::chaos {
namespace {

std::int64_t ValueOf(const sim::OccurrenceCounts& counts, const sim::LabelSet& labels) {
  const auto found = counts.find(labels);
  return found == counts.end() ? 0 : found->second;
}

std::string ToText(const sim::LabelSet& labels) {
  return labels.type + "/" + labels.involved_object_namespace + "/" + labels.involved_object_kind + "/" + labels.reason;
}

}  // namespace

Verdict Judge(const Snapshot& before, const Snapshot& after) {
  const std::int64_t counted = after.scrape.counted - before.scrape.counted;
  const std::int64_t not_counted = after.scrape.not_counted - before.scrape.not_counted;
  const bool gap = after.scrape.gaps > before.scrape.gaps;
  Verdict verdict;
  verdict.exact = counted == 0 && not_counted == 0 && !gap;
  std::set<sim::LabelSet> all;
  for (const auto& [labels, count] : after.truth) all.insert(labels);
  for (const auto& [labels, count] : after.scrape.occurrences) all.insert(labels);
  std::int64_t missing = 0;
  std::int64_t surplus = 0;
  for (const sim::LabelSet& labels : all) {
    const std::int64_t value = ValueOf(after.scrape.occurrences, labels);
    const std::int64_t value_before = ValueOf(before.scrape.occurrences, labels);
    const std::int64_t truth_before = ValueOf(before.truth, labels);
    const std::int64_t rise = value - value_before;
    const std::int64_t truth = ValueOf(after.truth, labels) - truth_before;
    // What a gap hid may show later, in the whole count of an Event that is re-created.
    const std::int64_t owed = std::max<std::int64_t>(0, truth_before - value_before);
    const std::int64_t most = truth + owed;
    verdict.occurrences += truth;
    if (rise < 0) verdict.faults.push_back(ToText(labels) + " fell by " + std::to_string(-rise));
    missing += std::max<std::int64_t>(0, truth - rise);
    surplus += std::max<std::int64_t>(0, rise - most);
    if (rise - counted > most || (!gap && truth > rise + not_counted)) {
      verdict.faults.push_back(ToText(labels) + ": " + std::to_string(truth) + " happened, " + std::to_string(rise) +
                               " were counted (" + std::to_string(counted) + " counted and " +
                               std::to_string(not_counted) + " not counted ones uncertain, " +
                               (gap ? "with a gap)" : "without a gap)"));
    }
  }
  if (surplus > counted) verdict.faults.push_back("all series together have " + std::to_string(surplus) + " too many");
  if (!gap && missing > not_counted) {
    verdict.faults.push_back("all series together miss " + std::to_string(missing));
  }
  if (gap && missing > not_counted) verdict.lost = missing - not_counted;
  return verdict;
}

}  // namespace kube_events::chaos
