#include "object_decoder.h"

#include <simdjson.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "json_repair.h"
#include "rfc3339.h"

namespace kube_events {
namespace {

namespace dom = simdjson::dom;

// Buffers that had to grow beyond this for one text are given back before the next one.
constexpr std::size_t kKeptCapacity = std::size_t{4} << 20;

template <typename Member>
struct Field {
  std::string_view name;
  Member Event::*member;
};

// The names of both APIs: no name means two things, so one table serves both.
constexpr std::array<Field<std::string_view>, 4> kStrings{{{"type", &Event::type},
                                                           {"reason", &Event::reason},
                                                           {"reportingComponent", &Event::reporting_controller},
                                                           {"reportingController", &Event::reporting_controller}}};
constexpr std::array<Field<OptionalTime>, 5> kTimes{{{"firstTimestamp", &Event::first_time},
                                                     {"lastTimestamp", &Event::last_time},
                                                     {"eventTime", &Event::event_time},
                                                     {"deprecatedFirstTimestamp", &Event::first_time},
                                                     {"deprecatedLastTimestamp", &Event::last_time}}};
constexpr std::array<Field<std::int64_t>, 2> kCounts{{{"count", &Event::count}, {"deprecatedCount", &Event::count}}};

template <typename Table>
auto Find(const Table& table, std::string_view name) {
  return std::find_if(table.begin(), table.end(), [name](const auto& field) { return field.name == name; });
}

const char* NameOf(dom::element_type type) {
  switch (type) {
    case dom::element_type::ARRAY:
      return "an array";
    case dom::element_type::OBJECT:
      return "an object";
    case dom::element_type::STRING:
      return "a string";
    case dom::element_type::BOOL:
      return "a boolean";
    case dom::element_type::NULL_VALUE:
      return "null";
    default:
      return "a number";
  }
}

// Where a value stands, for messages: `parent` is "" or ends with a dot.
struct Path {
  std::string_view parent;
  std::string_view name;
};

// Reads values into fields. null means absent and leaves the field alone. Keeps the first problem.
class Reader {
 public:
  bool Failed() const { return !problem_.empty(); }
  const std::string& problem() const { return problem_; }

  void String(Path path, dom::element value, std::string_view& out) {
    if (value.is_null() || value.get(out) == simdjson::SUCCESS) return;
    Mismatch(path, "a string", value);
  }

  void Time(Path path, dom::element value, OptionalTime& out) {
    if (value.is_null()) return;
    std::string_view text;
    if (value.get(text) != simdjson::SUCCESS) return Mismatch(path, "a time", value);
    if (!ParseRfc3339(text, out)) Problem(path, "expected a time like 2006-01-02T15:04:05Z");
  }

  // Clamped to int32, the type that the API gives its counts.
  void Count(Path path, dom::element value, std::int64_t& out) {
    if (value.is_null()) return;
    double number = 0;  // exact far beyond int32
    if (value.get(number) != simdjson::SUCCESS) return Mismatch(path, "a number", value);
    constexpr double kLow = std::numeric_limits<std::int32_t>::min();
    constexpr double kHigh = std::numeric_limits<std::int32_t>::max();
    out = static_cast<std::int64_t>(std::clamp(number, kLow, kHigh));
  }

  // Calls on_field(name, value) for each field until one of them fails; returns whether it was an object.
  template <typename OnField>
  bool Object(Path path, dom::element value, OnField on_field) {
    if (value.is_null()) return false;
    dom::object object;
    if (value.get(object) != simdjson::SUCCESS) {
      Mismatch(path, "an object", value);
      return false;
    }
    for (const dom::key_value_pair field : object) {
      on_field(field.key, field.value);
      if (Failed()) return false;
    }
    return true;
  }

 private:
  void Problem(Path path, std::string_view what) {
    problem_.append(path.parent).append(path.name).append(": ").append(what);
  }
  void Mismatch(Path path, std::string_view expected, dom::element value) {
    Problem(path, std::string("expected ").append(expected).append(", got ").append(NameOf(value.type())));
  }

  std::string problem_;
};

void ReadMetadata(Reader& reader, std::string_view name, dom::element value, DecodedObject& out) {
  const Path path{"metadata.", name};
  Event& event = out.event;
  if (name == "name") return reader.String(path, value, event.name);
  if (name == "namespace") return reader.String(path, value, event.namespace_name);
  if (name == "uid") return reader.String(path, value, event.uid);
  if (name == "resourceVersion") return reader.String(path, value, event.resource_version);
  if (name == "creationTimestamp") return reader.Time(path, value, event.creation_time);
}

void ReadInvolved(Reader& reader, Path path, dom::element value, InvolvedObject& out) {
  if (path.name == "apiVersion") return reader.String(path, value, out.api_version);
  if (path.name == "kind") return reader.String(path, value, out.kind);
  if (path.name == "namespace") return reader.String(path, value, out.namespace_name);
  if (path.name == "name") return reader.String(path, value, out.name);
}

void ReadSeries(Reader& reader, std::string_view name, dom::element value, Event& event) {
  const Path path{"series.", name};
  if (name == "count") return reader.Count(path, value, event.series_count);
  if (name == "lastObservedTime") return reader.Time(path, value, event.series_last_observed_time);
}

// The fields that hold objects; returns false for every other name.
bool ReadNested(Reader& reader, std::string_view name, dom::element value, DecodedObject& out) {
  const Path path{"", name};
  if (name == "metadata") {
    reader.Object(path, value, [&](auto key, auto field) { ReadMetadata(reader, key, field, out); });
  } else if (name == "involvedObject" || name == "regarding") {
    const std::string_view parent = name == "regarding" ? "regarding." : "involvedObject.";
    reader.Object(path, value, [&](auto key, auto field) {
      ReadInvolved(reader, {parent, key}, field, out.event.involved);
    });
  } else if (name == "source" || name == "deprecatedSource") {
    const std::string_view parent = name == "source" ? "source." : "deprecatedSource.";
    reader.Object(path, value, [&](auto key, auto field) {
      if (key == "component") reader.String({parent, key}, field, out.event.source_component);
    });
  } else if (name == "series") {
    if (reader.Object(path, value, [&](auto key, auto field) { ReadSeries(reader, key, field, out.event); })) {
      out.event.has_series = true;
    }
  } else {
    return false;
  }
  return true;
}

void ReadField(Reader& reader, std::string_view name, dom::element value, DecodedObject& out) {
  const Path path{"", name};
  if (const auto field = Find(kStrings, name); field != kStrings.end()) {
    // Each spelling of the reporting controller is empty, not missing, where the writer used the other one.
    std::string_view text;
    reader.String(path, value, text);
    if (!text.empty()) out.event.*(field->member) = text;
  } else if (const auto time = Find(kTimes, name); time != kTimes.end()) {
    reader.Time(path, value, out.event.*(time->member));
  } else if (const auto count = Find(kCounts, name); count != kCounts.end()) {
    reader.Count(path, value, out.event.*(count->member));
  } else if (name == "kind") {
    reader.String(path, value, out.kind);
  } else {
    ReadNested(reader, name, value, out);
  }
}

}  // namespace

struct ObjectDecoder::Impl {
  std::unique_ptr<dom::parser> parser = std::make_unique<dom::parser>();
  std::string repaired;

  // Sets `raw` to the text that was parsed in the end.
  Result<dom::element> Parse(std::string_view& raw) {
    if (parser->capacity() > kKeptCapacity) parser = std::make_unique<dom::parser>();
    if (repaired.capacity() > kKeptCapacity) repaired = std::string();
    dom::element root;
    simdjson::error_code code = parser->parse(raw.data(), raw.size(), false).get(root);
    if (code != simdjson::SUCCESS) {
      RepairJson(raw, repaired);
      const std::size_t size = repaired.size();
      repaired.append(kJsonPadding, ' ');
      raw = std::string_view(repaired).substr(0, size);
      code = parser->parse(raw.data(), raw.size(), false).get(root);
    }
    if (code == simdjson::SUCCESS) return root;
    return Fail(ErrorKind::kInvalid, std::string("not JSON: ") + simdjson::error_message(code));
  }
};

ObjectDecoder::ObjectDecoder() : impl_(std::make_unique<Impl>()) {}
ObjectDecoder::~ObjectDecoder() = default;

Result<DecodedObject> ObjectDecoder::Decode(std::string_view raw) {
  DecodedObject out;
  const Result<dom::element> root = impl_->Parse(raw);
  if (!root) return tl::unexpected(root.error());
  out.raw = raw;
  Reader reader;
  reader.Object({"", "object"}, *root, [&](auto name, auto value) { ReadField(reader, name, value, out); });
  if (reader.Failed()) return Fail(ErrorKind::kInvalid, reader.problem());
  return out;
}

Result<ListMeta> ObjectDecoder::DecodeListMeta(std::string_view raw) {
  const Result<dom::element> root = impl_->Parse(raw);
  if (!root) return tl::unexpected(root.error());
  std::string_view version;
  std::string_view token;
  Reader reader;
  reader.Object({"", "metadata"}, *root, [&](auto name, auto value) {
    if (name == "resourceVersion") reader.String({"metadata.", name}, value, version);
    if (name == "continue") reader.String({"metadata.", name}, value, token);
  });
  if (reader.Failed()) return Fail(ErrorKind::kInvalid, reader.problem());
  return ListMeta{std::string(version), std::string(token)};
}

}  // namespace kube_events
