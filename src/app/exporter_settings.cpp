#include "exporter_settings.h"

#include <random>
#include <utility>

#include "kube_events/app/version.h"

namespace kube_events {

std::vector<Scope> Scopes(const ExporterOptions& options) {
  const Scope all{options.event_api, "", options.label_selector, options.field_selector};
  if (options.namespaces.empty()) return {all};
  std::vector<Scope> scopes;
  for (const std::string& name : options.namespaces) {
    scopes.push_back(all);
    scopes.back().namespace_name = name;
  }
  return scopes;
}

std::vector<std::string> Names(const std::vector<Scope>& scopes) {
  std::vector<std::string> names;
  for (const Scope& scope : scopes) names.push_back(scope.Name());
  return names;
}

EventFilterOptions FilterOptions(const ExporterOptions& options) {
  return {.event_types = options.event_types,
          .involved_object_api_groups = options.involved_object_api_groups,
          .involved_object_namespaces = options.involved_object_namespaces,
          .involved_object_kinds = options.involved_object_kinds,
          .reasons = options.reasons,
          .reporting_controllers = options.reporting_controllers};
}

OccurrenceCounterOptions CounterOptions(const ExporterOptions& options, std::vector<Scope> scopes) {
  OccurrenceCounterOptions counter;
  counter.scopes = std::move(scopes);
  counter.max_live = options.max_cached_events;
  counter.sync_period = options.sync_period;
  counter.hash_seed = (std::uint64_t{std::random_device{}()} << 32) | std::random_device{}();
  return counter;
}

SessionOptions Session(const ExporterOptions& options) {
  SessionOptions session;
  session.list_page_size = options.list_page_size;
  session.watch_interval = options.watch_interval;
  session.seed = std::random_device{}();
  return session;
}

SelfMetricsOptions MetricsOptions(std::vector<std::string> scopes) {
  const BuildInfo build = ThisBuild();
  return {.version = std::string(build.version),
          .revision = std::string(build.revision),
          .compiler = std::string(build.compiler),
          .scopes = std::move(scopes)};
}

}  // namespace kube_events
