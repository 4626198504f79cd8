#include "event_object.h"

#include <simdjson.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <tuple>
#include <utility>
#include <vector>

#include "kube_events/base/text.h"
#include "kube_events/event/event_decoder.h"
#include "msgpack.h"

namespace kube_events {
namespace {

namespace dom = simdjson::dom;
namespace ondemand = simdjson::ondemand;

// Buffers that had to grow beyond this for one text are given back before the next one.
constexpr std::size_t kKeptCapacity = std::size_t{4} << 20;
constexpr std::string_view kManagedFields = "managedFields";

// --- cutting managedFields out of the text

// A stretch of the text that is left out; what follows it is the next member or the end of its object.
struct Cut {
  const char* begin;
  const char* end;
};

void AppendOneLine(std::string_view text, std::string& to) {
  if (text.find('\n') == std::string_view::npos && text.find('\r') == std::string_view::npos) {
    to += text;
    return;
  }
  // Between tokens only: a string cannot hold them unescaped.
  std::copy_if(text.begin(), text.end(), std::back_inserter(to), [](char c) { return c != '\n' && c != '\r'; });
}

// Takes back the comma that led to a member which was the last of its object, with the blanks around it.
void DropComma(std::string& to) {
  while (to.ends_with(' ') || to.ends_with('\t') || to.ends_with(',')) to.pop_back();
}

// Whether there may be such a member. The C library looks for a longer text much faster than string_view does, which
// stops at every quote. Names may be written with \u escapes too.
bool MayHaveManagedFields(std::string_view text) {
  static constexpr std::string_view kQuoted = "\"managedFields\"";
  return ::memmem(text.data(), text.size(), kQuoted.data(), kQuoted.size()) != nullptr ||
         text.find("\\u") != std::string_view::npos;
}

// Calls on_field(name, where it begins, value) -> error_code for each field of an object, as long as that succeeds.
template <typename OnField>
simdjson::error_code ForEachField(ondemand::object object, OnField on_field) {
  for (auto item : object) {
    ondemand::field field;
    if (const auto code = std::move(item).get(field)) return code;
    const char* const begin = field.key().raw() - 1;  // its quote
    std::string_view name;
    if (const auto code = field.unescaped_key().get(name)) return code;
    if (const auto code = on_field(name, begin, field.value())) return code;
  }
  return simdjson::SUCCESS;
}

// Finds the cuts in a member `metadata` of the document, which may be of any type.
simdjson::error_code CutMetadata(ondemand::document& document, ondemand::value& metadata, std::vector<Cut>& out) {
  ondemand::json_type type{};
  if (const auto code = metadata.type().get(type)) return code;
  if (type != ondemand::json_type::object) return simdjson::SUCCESS;
  ondemand::object object;
  if (const auto code = metadata.get_object().get(object)) return code;
  const char* begin = nullptr;
  const auto code = ForEachField(object, [&](std::string_view name, const char* at, const ondemand::value&) {
    if (begin != nullptr) out.push_back({begin, at});
    begin = name == kManagedFields ? at : nullptr;
    return simdjson::SUCCESS;
  });
  if (code || begin == nullptr) return code;
  const char* end = nullptr;  // the token behind the object
  if (const auto at_end = document.current_location().get(end)) return at_end;
  while (*--end != '}') {
  }
  out.push_back({begin, end});
  return simdjson::SUCCESS;
}

// Finds the cuts in all members `metadata`; JSON may repeat a name. `raw` has kJsonPadding readable bytes behind it.
simdjson::error_code FindCuts(ondemand::parser& parser, std::string_view raw, std::vector<Cut>& out) {
  static_assert(kJsonPadding >= simdjson::SIMDJSON_PADDING);
  ondemand::document document;
  if (const auto code = parser.iterate(raw.data(), raw.size(), raw.size() + kJsonPadding).get(document)) return code;
  ondemand::object root;
  if (const auto code = document.get_object().get(root)) return code;
  return ForEachField(root, [&](std::string_view name, const char*, ondemand::value& value) {
    return name == "metadata" ? CutMetadata(document, value, out) : simdjson::SUCCESS;
  });
}

// --- MessagePack

// Where an object stands, as far as that matters.
enum class Place { kRoot, kMetadata, kElsewhere };

// simdjson's own size is cut off at its 24 bits.
template <typename Container>
std::size_t SizeOf(const Container& container) {
  constexpr std::size_t kSaturated = 0xFFFFFF;
  std::size_t size = container.size();
  if (size < kSaturated) return size;
  size = 0;
  for (auto at = container.begin(); at != container.end(); ++at) ++size;
  return size;
}

bool IsLeftOut(Place place, std::string_view name) { return place == Place::kMetadata && name == kManagedFields; }

std::size_t Kept(const dom::object& object, Place place) {
  if (place != Place::kMetadata) return SizeOf(object);
  std::size_t kept = 0;
  for (const dom::key_value_pair field : object) kept += IsLeftOut(place, field.key) ? 0 : 1;
  return kept;
}

template <typename T>
T Get(const dom::element& element) {
  T value{};
  std::ignore = element.get(value);
  return value;
}

// As deep as the parser goes, 1024 levels.
void AppendValue(MessagePackWriter& out, const dom::element& element, Place place);

void AppendObject(MessagePackWriter& out, const dom::object& object, Place place) {
  out.Map(Kept(object, place));
  for (const dom::key_value_pair field : object) {
    if (IsLeftOut(place, field.key)) continue;
    out.String(field.key);
    const bool metadata = place == Place::kRoot && field.key == "metadata";
    AppendValue(out, field.value, metadata ? Place::kMetadata : Place::kElsewhere);
  }
}

void AppendArray(MessagePackWriter& out, const dom::array& array) {
  out.Array(SizeOf(array));
  for (const dom::element element : array) AppendValue(out, element, Place::kElsewhere);
}

void AppendValue(MessagePackWriter& out, const dom::element& element, Place place) {
  switch (element.type()) {
    case dom::element_type::OBJECT:
      return AppendObject(out, Get<dom::object>(element), place);
    case dom::element_type::ARRAY:
      return AppendArray(out, Get<dom::array>(element));
    case dom::element_type::STRING:
      return out.String(Get<std::string_view>(element));
    case dom::element_type::INT64:
      return out.Integer(Get<std::int64_t>(element));
    case dom::element_type::UINT64:
      return out.Unsigned(Get<std::uint64_t>(element));
    case dom::element_type::DOUBLE:
      return out.Double(Get<double>(element));
    case dom::element_type::BOOL:
      return out.Bool(Get<bool>(element));
    default:
      return out.Nil();
  }
}

// --- details

// A string that is not empty; each API's spelling of a field is left empty where the other one was used.
void Take(const dom::element& value, std::string_view& out) {
  const auto text = Get<std::string_view>(value);
  if (!text.empty()) out = text;
}

template <typename OnField>
void ForEachField(const dom::element& value, OnField on_field) {
  dom::object object;
  if (value.get(object) != simdjson::SUCCESS) return;
  for (const dom::key_value_pair field : object) on_field(field.key, field.value);
}

void TakeReference(const dom::element& value, ReferenceFields& out) {
  static constexpr std::array<std::string_view, 7> kNames{"apiVersion", "kind",      "namespace",      "name",
                                                          "uid",        "fieldPath", "resourceVersion"};
  ForEachField(value, [&out](std::string_view name, const dom::element& field) {
    const auto found = std::find(kNames.begin(), kNames.end(), name);
    if (found != kNames.end()) Take(field, out[static_cast<std::size_t>(found - kNames.begin())]);
  });
}

void TakeLabels(const dom::element& metadata, std::string& out) {
  ForEachField(metadata, [&out](std::string_view name, const dom::element& labels) {
    if (name != "labels") return;
    ForEachField(labels, [&out](std::string_view key, const dom::element& value) {
      if (!out.empty()) out += ',';
      out.append(key).append("=").append(Get<std::string_view>(value));
    });
  });
}

void TakeDetail(std::string_view name, const dom::element& value, EventDetails& out, std::string& labels) {
  if (name == "message" || name == "note") return Take(value, out.message);
  if (name == "action") return Take(value, out.action);
  if (name == "reportingInstance") return Take(value, out.reporting_instance);
  if (name == "involvedObject" || name == "regarding") return TakeReference(value, out.involved);
  if (name == "related") return TakeReference(value, out.related);
  if (name == "metadata") return TakeLabels(value, labels);
  if (name != "source" && name != "deprecatedSource") return;
  ForEachField(value, [&out](std::string_view key, const dom::element& field) {
    if (key == "host") Take(field, out.source_host);
  });
}

}  // namespace

struct EventObject::Impl {
  std::unique_ptr<ondemand::parser> cutter = std::make_unique<ondemand::parser>();
  std::unique_ptr<dom::parser> parser = std::make_unique<dom::parser>();
  std::string padded;
  std::vector<Cut> cuts;
  std::string labels;

  simdjson::error_code Parse(std::string_view raw, dom::element& root) {
    if (parser->capacity() > kKeptCapacity) parser = std::make_unique<dom::parser>();
    return parser->parse(raw.data(), raw.size(), true).get(root);  // true: makes the padding itself
  }

  // The same text with kJsonPadding bytes behind it, until the next call.
  std::string_view Padded(std::string_view raw) {
    if (padded.capacity() > kKeptCapacity) padded = std::string();
    padded.assign(raw).append(kJsonPadding, ' ');
    return std::string_view(padded).substr(0, raw.size());
  }

  // `raw` is padded.
  void FindAllCuts(std::string_view raw) {
    cuts.clear();
    if (cutter->capacity() > kKeptCapacity) cutter = std::make_unique<ondemand::parser>();
    if (FindCuts(*cutter, raw, cuts)) cuts.clear();  // better too much than something broken
  }
};

EventObject::EventObject() : impl_(std::make_unique<Impl>()) {}
EventObject::~EventObject() = default;

void EventObject::AppendJson(std::string_view raw, std::string& to) {
  if (!MayHaveManagedFields(raw)) return AppendOneLine(raw, to);
  raw = impl_->Padded(raw);
  impl_->FindAllCuts(raw);
  const char* at = raw.data();
  for (const Cut& cut : impl_->cuts) {
    AppendOneLine({at, static_cast<std::size_t>(cut.begin - at)}, to);
    if (*cut.end == '}') DropComma(to);
    at = cut.end;
  }
  AppendOneLine(raw.substr(static_cast<std::size_t>(at - raw.data())), to);
}

bool EventObject::AppendMessagePack(std::string_view raw, std::string& to) {
  dom::element root;
  if (impl_->Parse(raw, root) != simdjson::SUCCESS || !root.is_object()) return false;
  MessagePackWriter out(to);
  AppendValue(out, root, Place::kRoot);
  return true;
}

EventDetails EventObject::Details(std::string_view raw) {
  EventDetails details;
  impl_->labels.clear();
  dom::element root;
  if (impl_->Parse(raw, root) != simdjson::SUCCESS) return details;
  ForEachField(
      root, [&](std::string_view name, const dom::element& value) { TakeDetail(name, value, details, impl_->labels); });
  details.labels = impl_->labels;
  return details;
}

}  // namespace kube_events
