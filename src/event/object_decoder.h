// Reads single JSON objects: Events, bookmarks, the metadata of a list. Owned by EventDecoder; not thread-safe.
#pragma once

#include <memory>
#include <string_view>

#include "kube_events/base/result.h"
#include "kube_events/event/event.h"
#include "kube_events/event/event_decoder.h"

namespace kube_events {

struct DecodedObject {
  Event event;
  std::string_view kind;  // empty where missing
  std::string_view raw;   // the text that the views belong to: as given, or a repaired copy of it
};

class ObjectDecoder {
 public:
  ObjectDecoder();
  ~ObjectDecoder();

  // Decodes one object; kJsonPadding readable bytes follow `raw`. Fails with kInvalid where it is not a JSON object or
  // a field that is read has the wrong type; which fields are needed is the caller's to check. The result is valid
  // until the next call.
  Result<DecodedObject> Decode(std::string_view raw);

  // Decodes the `metadata` of a list; items and skipped stay 0.
  Result<ListMeta> DecodeListMeta(std::string_view raw);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kube_events
