// Batches of records as messages of the forward protocol: PackedForward, each with an id that the receiver has to
// acknowledge. Owned by a sink; its delivery thread only.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "forward/forward_tag.h"
#include "kube_events/forward/record.h"
#include "kube_events/forward/record_format.h"

namespace kube_events {

struct ForwardMessage {
  std::string chunk;  // its id: 16 random bytes in base64
  std::string bytes;  // all of it, as it is sent
};

// So many random bytes, for what has to be unique rather than secret.
std::string RandomBytes(std::size_t size);

class ForwardEncoder {
 public:
  ForwardEncoder(TagTemplate tag, RecordFormatOptions format) : tag_(std::move(tag)), writer_(std::move(format)) {}

  // One message for each tag, in the order of the tags' first appearance; within a message the records in their order.
  // Each record has the time when it last happened, as EventTime. 4 GiB at most.
  std::vector<ForwardMessage> Encode(std::span<const RecordPtr> batch);

 private:
  const TagTemplate tag_;
  RecordWriter writer_;
};

}  // namespace kube_events
