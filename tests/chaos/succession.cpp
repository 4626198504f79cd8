#include "chaos/succession.h"

#include <algorithm>

namespace kube_events::chaos {

Verdict Succession::JudgeProcess(const Scrape& scrape, const sim::OccurrenceCounts& truth) {
  sim::OccurrenceCounts with_owed = owed_;
  for (const auto& [labels, count] : truth) with_owed[labels] += count;
  Verdict verdict = Judge({{}, owed_}, {scrape, with_owed});
  for (const auto& [labels, count] : with_owed) {
    const auto found = scrape.occurrences.find(labels);
    const std::int64_t value = found == scrape.occurrences.end() ? 0 : found->second;
    const std::int64_t missing = std::max<std::int64_t>(0, count - value);
    owed_[labels] = scrape.gaps > 0 ? missing : std::min(owed_[labels], missing);
  }
  return verdict;
}

}  // namespace kube_events::chaos
