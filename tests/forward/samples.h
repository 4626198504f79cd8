// Records that the tests of forwarding share.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "event/samples.h"
#include "kube_events/forward/record.h"
#include "kube_events/forward/record_format.h"
#include "support/fake_clock.h"

namespace kube_events::testing {

inline constexpr WallTime kObserved = FakeClock::kDefaultStart;

inline Record RecordOf(std::string object, RecordType type = RecordType::kAdded) {
  return {type, std::move(object), kObserved};
}

inline Record GapOf(std::string reason = "expired", std::string scope = "all namespaces") {
  return {RecordType::kGap, {}, kObserved, std::move(scope), kObserved - std::chrono::minutes{10}, std::move(reason)};
}

// A small Event on one line; `number` makes it another one.
inline std::string SmallEvent(int number, std::string_view message = "hello") {
  const std::string text = std::to_string(number);
  return R"({"kind":"Event","apiVersion":"v1","metadata":{"name":"e)" + text + R"(","namespace":"default","uid":"u)" +
         text + R"(","resourceVersion":")" + text + R"("},"reason":"R","type":"Normal","message":")" +
         std::string(message) + R"("})";
}
inline RecordPtr SmallRecord(int number, std::string_view message = "hello") {
  return std::make_shared<Record>(RecordOf(SmallEvent(number, message)));
}

inline std::string JsonOf(const Record& record, RecordFormatOptions options = {}) {
  RecordWriter writer(std::move(options));
  std::string text;
  writer.AppendJson(record, text);
  return text;
}
inline std::string MessagePackOf(const Record& record, RecordFormatOptions options = {}) {
  RecordWriter writer(std::move(options));
  std::string bytes;
  writer.AppendMessagePack(record, bytes);
  return bytes;
}

}  // namespace kube_events::testing
