// JSON of the API server to Event values, for core/v1 and events.k8s.io/v1 alike (their field names do not collide).
// The hot path of the exporter: one pass with simdjson, no allocation per Event once the buffers have grown.
// Owned by the one thread that uses it (the informer); not thread-safe.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "kube_events/base/function_ref.h"
#include "kube_events/base/result.h"
#include "kube_events/event/event.h"

namespace kube_events {

// Bytes that must be readable (any content) behind every text given to the decoder.
inline constexpr std::size_t kJsonPadding = 64;

enum class FrameType { kAdded, kModified, kDeleted, kBookmark, kError };
// The word of the watch protocol: "ADDED" …
std::string_view ToString(FrameType type);

// One frame of a watch: {"type": …, "object": …}.
struct WatchFrame {
  FrameType type = FrameType::kError;
  Event event;                        // of ADDED, MODIFIED, DELETED
  std::string_view resource_version;  // of those and of BOOKMARK; never empty there
  std::string_view raw_object;        // the object's JSON as sent (with ERROR: a metav1.Status)
};

struct ListMeta {
  std::string resource_version;    // of the list; the same on each of its pages
  std::string continue_token;      // empty on the last page
  std::size_t items = 0;           // decoded
  std::size_t skipped = 0;         // items that could not be decoded
  std::string first_problem = {};  // why the first of those could not
};

class EventDecoder {
 public:
  EventDecoder();
  ~EventDecoder();

  // Decodes one complete frame. `json` must be followed by kJsonPadding readable bytes. Fails with kInvalid where it
  // is not JSON, has trailing content, an unknown type, an object of another kind, no resourceVersion, or a needed
  // field of the wrong type; the message names the field. Missing and null fields are empty. Invalid UTF-8 in
  // strings becomes U+FFFD, it is no failure. The result is valid until the next call.
  Result<WatchFrame> DecodeFrame(std::string_view json);

  // Only the metadata of a page (items and skipped stay 0): the reader has to know the list's version before it takes
  // the items. Fails like DecodeList. Cheap, since the API server writes metadata before items.
  Result<ListMeta> DecodeListMeta(std::string_view json);

  // Decodes one page of an EventList and calls `on_event` for each item with its raw JSON; the Event is valid during
  // the call. An item that cannot be decoded is skipped and counted. Fails with kInvalid where the page as a whole is
  // not JSON, not an EventList, or has no resourceVersion; some items may have been delivered before that.
  Result<ListMeta> DecodeList(std::string_view json, FunctionRef<void(const Event&, std::string_view raw)> on_event);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kube_events
