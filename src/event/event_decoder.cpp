#include "kube_events/event/event_decoder.h"

#include <simdjson.h>

#include <optional>
#include <tuple>
#include <utility>

#include "json_repair.h"
#include "kube_events/base/text.h"
#include "object_decoder.h"

namespace kube_events {
namespace {

namespace ondemand = simdjson::ondemand;

// Buffers that had to grow beyond this for one text are given back before the next one.
constexpr std::size_t kKeptCapacity = std::size_t{4} << 20;

// The outermost level of a text; what is below it is read by ObjectDecoder. Empty where missing.
struct Frame {
  std::string_view type;
  std::string_view object;
};
struct Page {
  std::string_view kind;
  std::string_view metadata;
  bool has_items = false;
};

tl::unexpected<Error> Invalid(std::string message) { return Fail(ErrorKind::kInvalid, std::move(message)); }
tl::unexpected<Error> Broken(std::string_view what, simdjson::error_code code) {
  return Invalid(std::string(what) + " is not JSON: " + simdjson::error_message(code));
}

// What a peer sent, short and printable enough for a message.
std::string Quoted(std::string_view text) { return "\"" + Shortened(text, 64) + "\""; }

std::optional<FrameType> ParseFrameType(std::string_view word) {
  for (const FrameType type :
       {FrameType::kAdded, FrameType::kModified, FrameType::kDeleted, FrameType::kBookmark, FrameType::kError}) {
    if (word == ToString(type)) return type;
  }
  return std::nullopt;
}

// Sets `text` to the JSON of a value that has to be an object, without looking into it.
simdjson::error_code RawObject(ondemand::value value, std::string_view& text) {
  ondemand::json_type type{};
  if (const auto code = value.type().get(type)) return code;
  if (type != ondemand::json_type::object) return simdjson::INCORRECT_TYPE;  // asked first: get_object() would move on
  ondemand::object object;
  if (const auto code = value.get_object().get(object)) return code;
  if (const auto code = object.raw_json().get(text)) return code;
  text = Trimmed(text);  // simdjson includes the blanks up to the next token
  // It counts brackets without telling their kinds apart.
  return text.ends_with('}') ? simdjson::SUCCESS : simdjson::TAPE_ERROR;
}

// Passes over an element of an array if it is a string. simdjson would take one that is left alone for a name, and skip
// what follows it up to the end of the array.
void SkipString(ondemand::value value) {
  ondemand::raw_json_string text;
  std::ignore = value.get_raw_json_string().get(text);
}

// A string, or "" for null.
simdjson::error_code OptionalString(ondemand::value value, std::string_view& text) {
  bool null = false;
  if (const auto code = simdjson::simdjson_result<bool>(value.is_null()).get(null)) return code;
  return null ? simdjson::SUCCESS : value.get_string().get(text);
}

// The parts of a frame that is written exactly as the API server writes them, `{"type":"ADDED","object":{…}}`; nothing
// for any other. When the object proves to be one whole JSON object, so does the frame.
std::optional<Frame> SplitPlainFrame(std::string_view json) {
  constexpr std::string_view kBegin = R"({"type":")";
  constexpr std::string_view kMiddle = R"(","object":)";
  if (!json.starts_with(kBegin) || !json.ends_with("}}")) return std::nullopt;
  json.remove_prefix(kBegin.size());
  json.remove_suffix(1);
  const std::string_view type = json.substr(0, json.find('"'));
  json.remove_prefix(type.size());
  if (!json.starts_with(kMiddle)) return std::nullopt;
  return Frame{type, json.substr(kMiddle.size())};
}

// What every item and every object of a frame has to have.
std::optional<std::string> ProblemWith(const DecodedObject& object, bool named) {
  if (!object.kind.empty() && object.kind != "Event") {
    return "kind: expected Event, got " + Quoted(object.kind);
  }
  if (named && object.event.name.empty()) return "metadata.name is missing";
  if (object.event.resource_version.empty()) return "metadata.resourceVersion is missing";
  return std::nullopt;
}

}  // namespace

std::string_view ToString(FrameType type) {
  switch (type) {
    case FrameType::kAdded:
      return "ADDED";
    case FrameType::kModified:
      return "MODIFIED";
    case FrameType::kDeleted:
      return "DELETED";
    case FrameType::kBookmark:
      return "BOOKMARK";
    case FrameType::kError:
      return "ERROR";
  }
  return "";
}

struct EventDecoder::Impl {
  using ItemCallback = FunctionRef<void(const Event&, std::string_view raw)>;

  std::unique_ptr<ondemand::parser> parser = std::make_unique<ondemand::parser>();
  std::string repaired;
  ObjectDecoder objects;

  // Starts on a text, on a repaired copy of it where it is not UTF-8.
  simdjson::error_code Open(std::string_view json, ondemand::document& document) {
    if (parser->capacity() > kKeptCapacity) parser = std::make_unique<ondemand::parser>();
    if (repaired.capacity() > kKeptCapacity) repaired = std::string();
    const auto code = Iterate(json, document);
    if (code != simdjson::UTF8_ERROR) return code;
    RepairJson(json, repaired);
    const std::size_t size = repaired.size();
    repaired.append(kJsonPadding, ' ');
    return Iterate(std::string_view(repaired).substr(0, size), document);
  }

  simdjson::error_code Iterate(std::string_view json, ondemand::document& document) {
    static_assert(kJsonPadding >= simdjson::SIMDJSON_PADDING);
    return parser->iterate(json.data(), json.size(), json.size() + kJsonPadding).get(document);
  }

  // Calls on_field(name, value) -> error_code for each field of the outermost object, which has to be all there is.
  template <typename OnField>
  simdjson::error_code ForEachField(std::string_view json, OnField on_field) {
    ondemand::document document;
    if (const auto code = Open(json, document)) return code;
    ondemand::object root;
    if (const auto code = document.get_object().get(root)) return code;
    for (auto item : root) {
      ondemand::field field;
      if (const auto code = std::move(item).get(field)) return code;
      if (const auto code = on_field(field.key(), field.value())) return code;
    }
    const bool at_end = document.current_location().error() == simdjson::OUT_OF_BOUNDS;
    return at_end ? simdjson::SUCCESS : simdjson::TAPE_ERROR;
  }

  simdjson::error_code ReadFrame(std::string_view json, Frame& frame) {
    return ForEachField(json, [&frame](auto key, auto& value) {
      if (key == "type") return OptionalString(value, frame.type);
      if (key == "object") return RawObject(value, frame.object);
      return simdjson::SUCCESS;
    });
  }

  // Decodes the object of a frame.
  Result<WatchFrame> ReadObject(const Frame& parts) {
    const std::optional<FrameType> type = ParseFrameType(parts.type);
    if (!type) return Invalid("watch frame: unknown type " + Quoted(parts.type));
    if (parts.object.empty()) return Invalid("watch frame: object is missing");

    WatchFrame frame;
    frame.type = *type;
    frame.raw_object = parts.object;
    if (*type == FrameType::kError) return frame;
    const Result<DecodedObject> object = objects.Decode(parts.object);
    const auto invalid = [&](const std::string& problem) {
      return Invalid(std::string(ToString(*type)) + ": " + problem);
    };
    if (!object) return invalid(object.error().message);
    if (const auto problem = ProblemWith(*object, *type != FrameType::kBookmark)) return invalid(*problem);
    frame.event = object->event;
    frame.resource_version = object->event.resource_version;
    frame.raw_object = object->raw;
    return frame;
  }

  // Decodes what it can of the array; broken items are counted.
  simdjson::error_code ReadItems(ondemand::value value, ListMeta& counts, ItemCallback on_event) {
    bool null = false;
    if (const auto code = simdjson::simdjson_result<bool>(value.is_null()).get(null)) return code;
    if (null) return simdjson::SUCCESS;
    ondemand::array items;
    if (const auto code = value.get_array().get(items)) return code;
    for (auto element : items) {
      ondemand::value item;
      if (const auto code = std::move(element).get(item)) return code;  // NOLINT(performance-move-const-arg): &&
      std::string_view raw;
      const auto code = RawObject(item, raw);
      if (code && code != simdjson::INCORRECT_TYPE) return code;
      if (code) SkipString(item);
      std::optional<std::string> problem =
          code ? "item: " + std::string(simdjson::error_message(code)) : DeliverItem(raw, on_event);
      ++(problem ? counts.skipped : counts.items);
      if (problem && counts.first_problem.empty()) counts.first_problem = std::move(*problem);
    }
    return simdjson::SUCCESS;
  }

  // Returns what is wrong with the item, if anything.
  std::optional<std::string> DeliverItem(std::string_view raw, ItemCallback on_event) {
    const Result<DecodedObject> object = objects.Decode(raw);
    if (!object) return object.error().message;
    if (auto problem = ProblemWith(*object, true)) return problem;
    on_event(object->event, object->raw);
    return std::nullopt;
  }

  // Checks what ReadPage found and reads the metadata.
  Result<ListMeta> Finish(const Page& page, const ListMeta& counts) {
    if (page.kind != "EventList" && !(page.kind.empty() && page.has_items)) {
      return Invalid("list: kind: expected EventList, got " + Quoted(page.kind));
    }
    if (page.metadata.empty()) return Invalid("list: metadata is missing");
    Result<ListMeta> meta = objects.DecodeListMeta(page.metadata);
    if (!meta) return Invalid("list: " + meta.error().message);
    if (meta->resource_version.empty()) return Invalid("list: metadata.resourceVersion is missing");
    meta->items = counts.items;
    meta->skipped = counts.skipped;
    meta->first_problem = counts.first_problem;
    return meta;
  }
};

EventDecoder::EventDecoder() : impl_(std::make_unique<Impl>()) {}
EventDecoder::~EventDecoder() = default;

Result<WatchFrame> EventDecoder::DecodeFrame(std::string_view json) {
  // Nearly all frames are plain: then only the object is parsed. Whatever is odd about one is found out the long way.
  if (const auto plain = SplitPlainFrame(json)) {
    if (auto frame = impl_->ReadObject(*plain); frame && frame->type != FrameType::kError) return frame;
  }
  Frame parts;
  if (const auto code = impl_->ReadFrame(json, parts)) return Broken("watch frame", code);
  return impl_->ReadObject(parts);
}

Result<ListMeta> EventDecoder::DecodeListMeta(std::string_view json) {
  Page page;
  const auto code = impl_->ForEachField(json, [&page](auto key, auto& value) {
    if (key == "kind") return OptionalString(value, page.kind);
    if (key == "metadata") return RawObject(value, page.metadata);
    if (key == "items") page.has_items = true;
    return simdjson::SUCCESS;
  });
  if (code) return Broken("list", code);
  return impl_->Finish(page, {});
}

Result<ListMeta> EventDecoder::DecodeList(std::string_view json,
                                          FunctionRef<void(const Event&, std::string_view raw)> on_event) {
  Page page;
  ListMeta counts;
  const auto code = impl_->ForEachField(json, [&](auto key, auto& value) {
    if (key == "kind") return OptionalString(value, page.kind);
    if (key == "metadata") return RawObject(value, page.metadata);
    if (key != "items") return simdjson::SUCCESS;
    page.has_items = true;
    return impl_->ReadItems(value, counts, on_event);
  });
  if (code) return Broken("list", code);
  return impl_->Finish(page, counts);
}

}  // namespace kube_events
