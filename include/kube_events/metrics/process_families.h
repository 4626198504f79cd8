// The standard process_* metrics of this process, read anew at every call. Any thread.
#pragma once

#include <vector>

#include "kube_events/metrics/catalog.h"
#include "prometheus/metric_family.h"

namespace kube_events {

// A family of one value without labels.
prometheus::MetricFamily OneValueFamily(Metric metric, double value);

// What can be read of /proc; a few small reads, otherwise does not block.
std::vector<prometheus::MetricFamily> ProcessFamilies();

}  // namespace kube_events
