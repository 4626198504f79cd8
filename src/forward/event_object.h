// The JSON of one Event as it is handed on: what Event leaves out, and the object as a whole without
// metadata.managedFields. Owned by a RecordWriter; one thread. The only file of the library that knows simdjson.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>

namespace kube_events {

// An ObjectReference: apiVersion, kind, namespace, name, uid, fieldPath, resourceVersion. Empty where missing.
using ReferenceFields = std::array<std::string_view, 7>;

struct EventDetails {
  std::string_view message;  // events.k8s.io: note
  std::string_view action;
  std::string_view reporting_instance;
  std::string_view source_host;  // events.k8s.io: deprecatedSource.host
  ReferenceFields involved;      // events.k8s.io: regarding
  ReferenceFields related;
  std::string_view labels;  // "a=b,c=d", as kubectl writes them
};

class EventObject {
 public:
  EventObject();
  ~EventObject();

  // Below, `raw` is what EventDecoder gave as the object: JSON in valid UTF-8.

  // Appends the object without line breaks.
  void AppendJson(std::string_view raw, std::string& to);
  // The same as a MessagePack map. Appends nothing and returns false where `raw` is not what it has to be.
  bool AppendMessagePack(std::string_view raw, std::string& to);
  // The result is valid until the next call.
  EventDetails Details(std::string_view raw);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kube_events
