// Whether what the exporter counted in one round can be, given what really happened. Pure, any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "chaos/exporter_process.h"
#include "sim/truth.h"

namespace kube_events::chaos {

// The state at a quiet moment: nothing is being written, and the exporter has seen all there is.
struct Snapshot {
  Scrape scrape;
  sim::OccurrenceCounts truth;  // since the exporter's first list
};

struct Verdict {
  std::vector<std::string> faults;  // one sentence each; empty: all is as it must be
  std::int64_t occurrences = 0;     // that really happened in between
  std::int64_t lost = 0;            // of those, allowed by a gap
  bool exact = false;               // nothing was uncertain and no gap was reported, so each count had to be equal
};

// Compares what came between two snapshots, series by series: value - counted <= truth <= value + not_counted, with
// the uncertain occurrences of the same time; more may be missing only if a gap was reported meanwhile, and what is
// missing may be made up for later.
Verdict Judge(const Snapshot& before, const Snapshot& after);

}  // namespace kube_events::chaos
