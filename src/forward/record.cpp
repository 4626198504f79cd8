#include "kube_events/forward/record.h"

#include "kube_events/event/event.h"

namespace kube_events {

std::string_view ToString(RecordType type) {
  switch (type) {
    case RecordType::kAdded:
      return "ADDED";
    case RecordType::kModified:
      return "MODIFIED";
    case RecordType::kDeleted:
      return "DELETED";
    case RecordType::kGap:
      return "GAP";
  }
  return "GAP";
}

std::string RecordId(const Event& event) {
  std::string id;
  id.reserve(event.uid.size() + event.resource_version.size() + 1);
  if (event.uid.empty()) {
    id.append(event.namespace_name).append("/").append(event.name);
  } else {
    id.append(event.uid);
  }
  return id.append("/").append(event.resource_version);
}

}  // namespace kube_events
