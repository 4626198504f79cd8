// Batches as JSON lines. Owned by a sink that writes such; its thread only.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "kube_events/forward/record.h"
#include "kube_events/forward/record_format.h"

namespace kube_events {

class LineBuffer {
 public:
  explicit LineBuffer(RecordFormatOptions options) : writer_(std::move(options)) {}

  // One line for each record. Valid until the next call.
  std::string_view Write(std::span<const RecordPtr> batch) {
    if (text_.capacity() > kKeptCapacity) text_ = std::string();
    text_.clear();
    for (const RecordPtr& record : batch) {
      writer_.AppendJson(*record, text_);
      text_ += '\n';
    }
    return text_;
  }

 private:
  static constexpr std::size_t kKeptCapacity = std::size_t{8} << 20;

  RecordWriter writer_;
  std::string text_;
};

}  // namespace kube_events
