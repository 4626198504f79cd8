#include "chaos/delivery_verdict.h"

#include <iostream>

#include "chaos/trial.h"

namespace kube_events::chaos {

bool JudgeDelivery(const std::string& sink, const Receipts& receipts, const std::vector<sim::SimChange>& history,
                   const Disturbed& disturbed) {
  const Receipts::Missing missing = receipts.Compare(history);
  std::cout << sink << ": " << receipts.events() << " states arrived, " << receipts.again()
            << " came again after a kill, " << receipts.again_from_one_process() << " from one process; "
            << receipts.gaps() << " gaps told, " << missing.within_gaps << " states missing within them, "
            << missing.outside << " missing otherwise" << std::endl;
  for (const std::string& example : missing.examples) std::cout << "  missing: " << example << '\n';
  for (const std::string& fault : receipts.faults()) std::cout << "  " << fault << '\n';
  const bool complete = Check(missing.outside == 0, sink + ": every state arrives, but within gaps");
  const bool orderly = Check(receipts.faults().empty(), sink + ": order and duplicates are as documented");
  // A list that a compaction makes necessary begins anew where it breaks off, or where the queue gets full.
  const bool once =
      Check(receipts.again_from_one_process() == 0 || disturbed.compactions > 0, sink + ": no process hands on twice");
  const bool never =
      Check(disturbed.kills > 0 || receipts.again() <= static_cast<std::size_t>(disturbed.terms) * disturbed.batch,
            sink + ": without a kill, only what is under way at the end comes again");
  return complete && orderly && once && never;
}

}  // namespace kube_events::chaos
