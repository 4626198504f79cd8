// The kinds of Events of the synthetic cluster. Constants.
#pragma once

#include <span>

namespace kube_events::sim {

// In patterns: %p pod, %w workload, %r its ReplicaSet, %n namespace, %o node, %i image, %c container, %u uid,
// %d a small number.
struct CatalogRow {
  const char* component;    // who writes it
  bool events_v1;           // with eventTime and series rather than count
  const char* api_version;  // of the involved object
  const char* kind;
  const char* type;
  const char* reason;
  const char* action;  // only with events_v1
  const char* message;
  int weight;
};

std::span<const CatalogRow> EventCatalog();

}  // namespace kube_events::sim
