// Where an object of the Kubernetes API is. Plain values, no thread rules.
#pragma once

#include <string>

namespace kube_events {

// E.g. {"coordination.k8s.io", "leases", "monitoring", "exporter"}. Nothing in it is percent-encoded.
struct ObjectPath {
  std::string group;           // empty: the core group. The version is v1, as it is for all that this project needs
  std::string resource;        // plural, "configmaps"
  std::string namespace_name;  // empty: a resource without namespaces
  std::string name;
};

// For logs and messages: `leases "exporter" in namespace "monitoring"`.
std::string ToString(const ObjectPath& path);

}  // namespace kube_events
