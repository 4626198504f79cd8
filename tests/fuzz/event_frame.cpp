// Watch frames: whatever comes in, nothing breaks; what nlohmann::json reads as a good frame decodes to the same
// values, and what was decoded survives being written and decoded again.
#include <string>

#include "fuzz/check.h"
#include "fuzz/event_oracle.h"
#include "kube_events/base/utf8.h"
#include "kube_events/event/event_decoder.h"

namespace {

using kube_events::EventDecoder;
using kube_events::FrameType;
using kube_events::kJsonPadding;
using kube_events::WatchFrame;
using kube_events::fuzz::Check;
using kube_events::fuzz::Json;
using kube_events::fuzz::OwnedEvent;
using kube_events::fuzz::Padded;

bool HasEvent(FrameType type) { return type != FrameType::kBookmark && type != FrameType::kError; }

void CheckFrame(const WatchFrame& frame) {
  if (frame.type == FrameType::kError) return;
  Check(!frame.resource_version.empty(), "a frame that is no ERROR has a version");
  if (!HasEvent(frame.type)) return;
  Check(!frame.event.name.empty(), "an Event has a name");
  for (const std::string& text : kube_events::fuzz::Own(frame.event).texts) {
    Check(kube_events::IsValidUtf8(text), "texts are valid UTF-8", text);
  }
}

void CompareWithOracle(std::string_view text, const kube_events::Result<WatchFrame>& frame) {
  const auto json = kube_events::fuzz::ParseForOracle(text);
  if (!json || !json->is_object() || !json->contains("type") || !json->contains("object")) return;
  const Json& type = (*json)["type"];
  const Json& object = (*json)["object"];
  if (!type.is_string() || !object.is_object()) return Check(!frame, "a frame needs a type and an object", text);
  const std::string word = type;
  if (word == "ERROR") return Check(frame.has_value(), "every object may be a Status", text);
  const bool known = word == "ADDED" || word == "MODIFIED" || word == "DELETED" || word == "BOOKMARK";
  const auto read = kube_events::fuzz::ReadObject(object);
  const bool usable = known && read && kube_events::fuzz::IsUsable(*read, word != "BOOKMARK");
  Check(frame.has_value() == usable, "the oracle takes the same frames", frame ? text : frame.error().message);
  if (!frame) return;
  Check(ToString(frame->type) == word, "the type is the one given", text);
  const OwnedEvent decoded = kube_events::fuzz::Own(frame->event);
  Check(decoded == read->event, "the oracle reads the same values", ToString(decoded) + "\n" + ToString(read->event));
  const bool as_sent = text.find(frame->raw_object) != text.npos;  // else a repaired copy
  Check(!as_sent || Json::parse(frame->raw_object) == object, "raw_object is the object", frame->raw_object);
}

void DecodeAgain(EventDecoder& decoder, const WatchFrame& frame) {
  const OwnedEvent before = kube_events::fuzz::Own(frame.event);
  for (const auto& time : before.times) {
    // An offset may move a time to a year without four digits.
    if (time && (*time < kube_events::WallTime{std::chrono::seconds{-62'000'000'000}} ||
                 *time > kube_events::WallTime{std::chrono::seconds{253'402'300'799}})) {
      return;
    }
  }
  const std::string text = R"({"type":"MODIFIED","object":)" + kube_events::fuzz::Encode(frame.event) + "}";
  const Padded padded(text, kJsonPadding);
  const auto again = decoder.DecodeFrame(padded.View());
  Check(again.has_value(), "a written Event is accepted", text);
  const OwnedEvent after = kube_events::fuzz::Own(again->event);
  Check(after == before, "a written Event decodes to the same", ToString(before) + "\n" + ToString(after));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static EventDecoder decoder;
  const std::string_view text = kube_events::fuzz::Text(data, size);
  const Padded padded(text, kJsonPadding);
  const auto frame = decoder.DecodeFrame(padded.View());
  if (!frame) Check(frame.error().kind == kube_events::ErrorKind::kInvalid, "what cannot be decoded is invalid");
  if (frame) CheckFrame(*frame);
  CompareWithOracle(text, frame);
  if (frame && HasEvent(frame->type)) DecodeAgain(decoder, *frame);
  return 0;
}
