// From the bytes of a watch stream to decoded frames: splits, decodes, and makes the best of what is broken.
// Owned by a ScopeSession on the informer thread.
#pragma once

#include <optional>
#include <string_view>

#include "kube_events/base/result.h"
#include "kube_events/event/event_decoder.h"
#include "kube_events/informer/frame_splitter.h"

namespace kube_events {

class FrameReader {
 public:
  // `decoder` must outlive the reader and not be used for anything else between Next and the use of what it gave.
  explicit FrameReader(EventDecoder& decoder) : decoder_(decoder) {}

  // Adds what came from the network.
  void Append(std::string_view bytes) { splitter_.Append(bytes); }

  // The next frame, valid until the next call of any method; kInvalid where one cannot be decoded or is larger than
  // 16 MiB, after which the next call goes on behind it; nothing while the next frame is incomplete.
  std::optional<Result<WatchFrame>> Next();

  // Forgets everything: a new stream begins.
  void Reset();

 private:
  EventDecoder& decoder_;
  FrameSplitter splitter_;
  std::string_view pieces_;  // of a text that is not one frame: what is still to be tried one by one
};

}  // namespace kube_events
