#include "kube_events/forward/record.h"

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

}  // namespace kube_events
