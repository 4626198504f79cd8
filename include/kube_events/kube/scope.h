// What is listed and watched together. Plain values, no thread rules.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kube_events {

// The two groups that serve the same stored Events; RBAC is granted per group.
enum class EventApi { kCoreV1, kEventsV1 };

// One list+watch: API group, namespace, server-side selectors. Positions (resourceVersions) belong to a scope.
struct Scope {
  EventApi api = EventApi::kCoreV1;
  std::string namespace_name;  // empty: all namespaces
  std::string label_selector;  // as the API takes it, not encoded; empty: none
  std::string field_selector;

  // For labels and messages: the namespace, or "all" for every namespace.
  std::string Name() const { return namespace_name.empty() ? "all" : namespace_name; }
};

// Index into the list of scopes of this process.
using ScopeIndex = std::uint16_t;

// The API group, as RBAC and paths name it: "" or "events.k8s.io".
std::string_view GroupOf(EventApi api);

// "v1" or "events.k8s.io/v1", as --event-api takes them.
std::string_view ToString(EventApi api);

}  // namespace kube_events
