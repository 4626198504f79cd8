// Whether what several processes counted, each going on from a checkpoint of the one before, can be, given what
// really happened. Pure, any thread.
#pragma once

#include "chaos/verdict.h"

namespace kube_events::chaos {

class Succession {
 public:
  // Of the process that is at rest now; `truth`: what has happened since the position from which it went on. Its counts
  // began at 0.
  Verdict JudgeProcess(const Scrape& scrape, const sim::OccurrenceCounts& truth);

  // The process that was judged last has ended; `saved`: with a last checkpoint.
  void ProcessEnded(bool saved);

 private:
  // What a gap hid may show in a later process, in the whole count of an Event that is re-created.
  sim::OccurrenceCounts owed_;        // as of the last checkpoint
  sim::OccurrenceCounts owed_after_;  // as of the last judgement
};

}  // namespace kube_events::chaos
