// Records as the JSON and MessagePack that receivers get; docs/forwarding.md and its JSON Schemas describe them.
// Pure functions and one reusable writer, used on the delivery thread of a sink.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "kube_events/base/clock.h"
#include "kube_events/forward/record.h"
#include "kube_events/forward/sink_settings.h"

namespace kube_events {

struct RecordFormatOptions {
  RecordFormat format = RecordFormat::kRaw;
  std::string cluster_name;  // --cluster-name; empty: left out
};

// Keeps buffers between records. One thread.
class RecordWriter {
 public:
  explicit RecordWriter(RecordFormatOptions options);
  ~RecordWriter();

  // Appends one JSON object without line breaks, always valid UTF-8. kRaw: {"type","object"} with the object as the API
  // server sent it except for metadata.managedFields; kFlat: one level of what people search for. Both have `id`
  // (uid and resourceVersion), by which a receiver can drop what comes twice. A gap is a marker in both formats.
  void AppendJson(const Record& record, std::string& to);
  // The same as a MessagePack map.
  void AppendMessagePack(const Record& record, std::string& to);

  // For tags and for the time of the forward protocol. Views are valid until the next call.
  struct Facts {
    WallTime time;  // when it last happened, as `timestamp` of the flat format; of a gap: when it ended
    std::string_view namespace_name, type, reason, kind;
  };
  Facts FactsOf(const Record& record);
  // Only the time of FactsOf, for which most records need not be decoded.
  WallTime TimeOf(const Record& record);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kube_events
