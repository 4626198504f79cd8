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
    owed_after_[labels] = scrape.gaps > 0 ? missing : std::min(owed_[labels], missing);
  }
  return verdict;
}

// What a process has made up for is made up for once it has saved that; one that is killed may not have.
void Succession::ProcessEnded(bool saved) {
  for (const auto& [labels, count] : owed_after_) owed_[labels] = saved ? count : std::max(owed_[labels], count);
  owed_after_.clear();
}

}  // namespace kube_events::chaos
