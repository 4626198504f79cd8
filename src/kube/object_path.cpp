#include "kube_events/kube/object_path.h"

namespace kube_events {

std::string ToString(const ObjectPath& path) {
  std::string text = path.resource + " \"" + path.name + "\"";
  if (!path.namespace_name.empty()) text += " in namespace \"" + path.namespace_name + "\"";
  return text;
}

}  // namespace kube_events
