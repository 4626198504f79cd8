// What the flags mean for each part of the exporter. Pure but for the random numbers, any thread.
#pragma once

#include <string>
#include <vector>

#include "kube_events/app/exporter_options.h"
#include "kube_events/counting/occurrence_counter.h"
#include "kube_events/event/event_filter.h"
#include "kube_events/informer/scope_session.h"
#include "kube_events/metrics/self_metrics.h"

namespace kube_events {

// What is listed and watched: all namespaces together, or each of --namespaces.
std::vector<Scope> Scopes(const ExporterOptions& options);
std::vector<std::string> Names(const std::vector<Scope>& scopes);
EventFilterOptions FilterOptions(const ExporterOptions& options);
// Draws a seed for the hashes.
OccurrenceCounterOptions CounterOptions(const ExporterOptions& options, std::vector<Scope> scopes);
// Draws a seed for jitter.
SessionOptions Session(const ExporterOptions& options);
SelfMetricsOptions MetricsOptions(std::vector<std::string> scopes);

}  // namespace kube_events
