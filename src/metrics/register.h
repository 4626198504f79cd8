// Families of prometheus-cpp by the catalog. Private to the metrics library; at the start, any thread.
#pragma once

#include <string>

#include "kube_events/metrics/catalog.h"
#include "prometheus/family.h"
#include "prometheus/registry.h"

namespace kube_events {

// `builder`: prometheus::BuildCounter() and its like. The family gets its name and help from the metric's row and
// belongs to the registry.
template <typename T>
prometheus::Family<T>& Register(prometheus::Registry& registry, prometheus::detail::Builder<T> builder, Metric metric) {
  const MetricSpec& spec = Spec(metric);
  return builder.Name(std::string(spec.name)).Help(std::string(spec.help)).Register(registry);
}

}  // namespace kube_events
