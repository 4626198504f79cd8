#include <memory>
#include <string>

#include "kube_events/forward/sink_feed.h"

namespace kube_events {

const RecordPtr& SharedRecord::As(RecordType type) {
  for (RecordPtr* known : {&record_, &other_}) {
    if (!*known) *known = Make(type);
    if ((*known)->type == type) return *known;
  }
  return other_ = Make(type);
}

RecordPtr SharedRecord::Make(RecordType type) const {
  return std::make_shared<const Record>(Record{.type = type,
                                               .object = std::string(change_.raw),
                                               .observed = change_.server_time,
                                               .id = RecordId(change_.event),
                                               .happened = change_.event.LastSeen()});
}

}  // namespace kube_events
