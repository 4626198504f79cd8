// What the pages of both programs have in common: the standard process_* metrics, read anew at every call, and the
// order of families. Any thread.
#pragma once

#include <string>
#include <vector>

#include "kube_events/base/clock.h"
#include "kube_events/metrics/catalog.h"
#include "kube_events/metrics/exposition.h"
#include "prometheus/metric_family.h"

namespace kube_events {

// A family of one value without labels.
prometheus::MetricFamily OneValueFamily(Metric metric, double value);

// What can be read of /proc; a few small reads, otherwise does not block.
std::vector<prometheus::MetricFamily> ProcessFamilies();

// Appends these families and those of the process, sorted by name.
void AppendWithProcess(std::string& page, ExpositionFormat format, std::vector<prometheus::MetricFamily> families);

// The value of a metric that is called *_timestamp_seconds.
double UnixSeconds(WallTime when);

}  // namespace kube_events
