// Whether what one sink delivered over several processes is what it had to deliver; says so on stdout.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "chaos/receipts.h"

namespace kube_events::chaos {

// How often the processes were disturbed, on which depends what may come twice.
struct Disturbed {
  int kills = 0;
  int terms = 0;
  int compactions = 0;
  std::size_t batch = 0;  // records that are under way at most
};

bool JudgeDelivery(const std::string& sink, const Receipts& receipts, const std::vector<sim::SimChange>& history,
                   const Disturbed& disturbed);

}  // namespace kube_events::chaos
