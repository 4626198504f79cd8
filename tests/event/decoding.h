// What the tests of EventDecoder share: texts with the padding that it wants, and owned copies of what it gives.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kube_events/event/event_decoder.h"

namespace kube_events::testing {

// A text followed by bytes that must not matter.
class Padded {
 public:
  explicit Padded(std::string_view text) : buffer_(text), size_(text.size()) { buffer_.append(kJsonPadding, '}'); }
  std::string_view text() const { return std::string_view(buffer_).substr(0, size_); }

 private:
  std::string buffer_;
  std::size_t size_;
};

// A decoder together with the text that its last frame points into.
class FrameReader {
 public:
  Result<WatchFrame> Read(std::string_view json) {
    text_ = Padded(json);
    return decoder_.DecodeFrame(text_.text());
  }
  // A frame of type ADDED with this object.
  Result<WatchFrame> Added(const std::string& object) { return Read(R"({"type":"ADDED","object":)" + object + "}"); }
  // The Event of such a frame, which has to be fine.
  Event AddedEvent(const std::string& object) {
    const Result<WatchFrame> frame = Added(object);
    EXPECT_TRUE(frame.has_value()) << object << ": " << (frame ? "" : frame.error().message);
    return frame ? frame->event : Event{};
  }
  // The message of the failure that such a frame has to be.
  std::string AddedError(const std::string& object) {
    const Result<WatchFrame> frame = Added(object);
    EXPECT_FALSE(frame.has_value()) << object;
    if (frame) return "";
    EXPECT_EQ(frame.error().kind, ErrorKind::kInvalid);
    return frame.error().message;
  }

 private:
  EventDecoder decoder_;
  Padded text_{""};
};

// A minimal Event in which the field at `path`, "count" or "series.count", has the given JSON value.
inline std::string ObjectWith(std::string_view path, std::string_view json) {
  const std::size_t dot = path.find('.');
  const std::string leaf(dot == std::string_view::npos ? path : path.substr(dot + 1));
  const std::string field = ",\"" + leaf + "\":" + std::string(json);
  const std::string metadata = R"({"kind":"Event","metadata":{"name":"a","resourceVersion":"7")";
  if (dot == std::string_view::npos) return metadata + "}" + field + "}";
  const std::string parent(path.substr(0, dot));
  if (parent == "metadata") return metadata + field + "}}";
  return metadata + "},\"" + parent + "\":{" + field.substr(1) + "}}";
}

struct ListedItem {
  std::string name;
  std::string raw;
};
struct ListOutcome {
  Result<ListMeta> meta;
  std::vector<ListedItem> items;
};

inline ListOutcome ReadList(EventDecoder& decoder, std::string_view json) {
  const Padded text(json);
  std::vector<ListedItem> items;
  Result<ListMeta> meta = decoder.DecodeList(text.text(), [&items](const Event& event, std::string_view raw) {
    items.push_back({std::string(event.name), std::string(raw)});
  });
  return {std::move(meta), std::move(items)};
}

}  // namespace kube_events::testing
