#include "kube_events/forward/record_format.h"

#include <array>
#include <cstddef>
#include <optional>
#include <utility>

#include "event_object.h"
#include "flat_fields.h"
#include "kube_events/base/json_text.h"
#include "kube_events/base/timestamp.h"
#include "kube_events/base/utf8.h"
#include "kube_events/event/event_decoder.h"
#include "msgpack.h"

namespace kube_events {
namespace {

// Buffers that had to grow beyond this for one record are given back before the next one.
constexpr std::size_t kKeptCapacity = std::size_t{4} << 20;

// Around an object, so that EventDecoder takes it for a frame of a watch.
constexpr std::string_view kFrameBegin = R"({"type":"ADDED","object":)";

using ReferenceNames = std::array<std::string_view, std::tuple_size_v<ReferenceFields>>;
constexpr ReferenceNames kInvolvedNames{"involved_object_api_version",
                                        "involved_object_kind",
                                        "involved_object_namespace",
                                        "involved_object_name",
                                        "involved_object_uid",
                                        "involved_object_field_path",
                                        "involved_object_resource_version"};
constexpr ReferenceNames kRelatedNames{
    "related_object_api_version", "related_object_kind",       "related_object_namespace",       "related_object_name",
    "related_object_uid",         "related_object_field_path", "related_object_resource_version"};

void AddReference(const ReferenceNames& names, const ReferenceFields& reference, FlatFields& fields) {
  for (std::size_t i = 0; i < names.size(); ++i) fields.Text(names[i], reference[i]);
}

std::string_view GapMessage(std::string_view reason) {
  if (reason == "expired") return "Events may be missing: the API server no longer had its history";
  if (reason == "restored") return "Events may be missing: the API server went back to an earlier state";
  if (reason == "overflow") return "Events may be missing: the queue and the spool were full";
  if (reason == "spool") return "Events may be missing: a spool file was damaged";
  return "Events may be missing";
}

std::string Valid(std::string_view text) {
  std::string valid;
  AppendValidUtf8(valid, text);
  return valid;
}

}  // namespace

struct RecordWriter::Impl {
  RecordFormatOptions options;
  EventDecoder decoder;
  EventObject object;
  FlatFields fields;
  std::string id;
  std::string text;
  std::string gap_scope;
  std::string gap_reason;

  // The object that was decoded last, as a frame with the decoder's padding behind it, and what came of it.
  std::string frame;
  std::size_t object_size = 0;
  Result<WatchFrame> decoded = Fail(ErrorKind::kInvalid, "nothing was decoded yet");

  // The Event of a record; null where it is none that the decoder can read, which only a damaged one can be. FactsOf
  // and Append… of the same record decode it once.
  const WatchFrame* Decode(const std::string& json) {
    const bool same = !frame.empty() && std::string_view(frame).substr(kFrameBegin.size(), object_size) == json;
    if (!same) DecodeAnew(json);
    return decoded ? &*decoded : nullptr;
  }

  void DecodeAnew(const std::string& json) {
    if (frame.capacity() > kKeptCapacity) frame = std::string();
    object_size = json.size();
    frame.assign(kFrameBegin).append(json).append("}");
    const std::size_t size = frame.size();
    frame.append(kJsonPadding, ' ');
    decoded = decoder.DecodeFrame(std::string_view(frame).substr(0, size));
  }

  void SetId(std::string_view prefix, WallTime time) {
    id.assign(prefix);
    AppendTimestamp(id, time);
  }

  void FillFlat(const Record& record, const WatchFrame& watched) {
    const Event& event = watched.event;
    const EventDetails details = object.Details(watched.raw_object);
    fields.Clear();
    fields.Time("timestamp", event.LastSeen().value_or(record.observed));
    fields.Text("id", id);
    fields.Text("type", ToString(record.type));
    fields.Text("cluster_name", options.cluster_name);
    fields.Text("event_type", event.type);
    fields.Text("reason", event.reason);
    fields.Text("message", details.message);
    fields.Number("occurrences", event.Total());
    fields.Time("first_seen", event.Epoch() ? event.Epoch() : event.creation_time);
    fields.Time("last_seen", event.LastSeen());
    AddReference(kInvolvedNames, details.involved, fields);
    fields.Text("reporting_controller", event.Controller());
    fields.Text("reporting_instance", details.reporting_instance);
    fields.Text("source_component", event.source_component);
    fields.Text("source_host", details.source_host);
    fields.Text("action", details.action);
    AddReference(kRelatedNames, details.related, fields);
    fields.Text("namespace", event.namespace_name);
    fields.Text("name", event.name);
    fields.Text("uid", event.uid);
    fields.Text("resource_version", event.resource_version);
    fields.Text("labels", details.labels);
  }

  // A gap is the same in both formats.
  void FillGap(const Record& record) {
    SetId("gap/" + Valid(record.gap_scope) + "/", record.observed);
    fields.Clear();
    fields.Time("timestamp", record.observed);
    fields.Text("id", id);
    fields.Text("type", ToString(record.type));
    fields.Text("cluster_name", options.cluster_name);
    fields.Text("message", GapMessage(record.gap_reason));
    gap_scope = Valid(record.gap_scope);
    gap_reason = Valid(record.gap_reason);
    fields.Text("gap_scope", gap_scope);
    fields.Text("gap_reason", gap_reason);
    fields.Time("gap_from", record.gap_from);
    fields.Time("gap_until", record.observed);
  }

  // What is no Event is handed on as a text.
  void FillUnreadable(const Record& record) {
    SetId("unreadable/", record.observed);
    text = Valid(record.object);
    fields.Clear();
    fields.Time("timestamp", record.observed);
    fields.Text("id", id);
    fields.Text("type", ToString(record.type));
    fields.Text("cluster_name", options.cluster_name);
    fields.Text("unreadable", text);
  }

  // Fills `fields` with what is written in their way: everything but a good Event in the raw format, whose object is
  // returned.
  std::optional<std::string_view> Prepare(const Record& record) {
    if (record.type == RecordType::kGap) {
      FillGap(record);
      return std::nullopt;
    }
    if (options.format == RecordFormat::kRaw && !record.id.empty()) {
      id = record.id;
      return record.object;
    }
    const WatchFrame* const watched = Decode(record.object);
    if (watched == nullptr) {
      FillUnreadable(record);
      return std::nullopt;
    }
    id = RecordId(watched->event);
    if (options.format == RecordFormat::kRaw) return watched->raw_object;
    FillFlat(record, *watched);
    return std::nullopt;
  }

  void AppendRawJson(const Record& record, std::string_view raw, std::string& to) {
    to.append(R"({"type":")").append(ToString(record.type)).append(R"(","id":)");
    AppendJsonString(to, id);
    if (!options.cluster_name.empty()) {
      to += R"(,"cluster_name":)";
      AppendJsonString(to, options.cluster_name);
    }
    to += R"(,"object":)";
    object.AppendJson(raw, to);
    to += '}';
  }

  // False where `to` is to be put back.
  bool AppendRawMessagePack(const Record& record, std::string_view raw, std::string& to) {
    MessagePackWriter out(to);
    out.Map(options.cluster_name.empty() ? 3 : 4);
    out.String("type");
    out.String(ToString(record.type));
    out.String("id");
    out.String(id);
    if (!options.cluster_name.empty()) {
      out.String("cluster_name");
      out.String(options.cluster_name);
    }
    out.String("object");
    return object.AppendMessagePack(raw, to);
  }
};

RecordWriter::RecordWriter(RecordFormatOptions options) : impl_(std::make_unique<Impl>()) {
  impl_->options = std::move(options);
  impl_->options.cluster_name = Valid(impl_->options.cluster_name);
}
RecordWriter::~RecordWriter() = default;

void RecordWriter::AppendJson(const Record& record, std::string& to) {
  if (const auto raw = impl_->Prepare(record)) {
    impl_->AppendRawJson(record, *raw, to);
  } else {
    impl_->fields.AppendJson(to);
  }
}

void RecordWriter::AppendMessagePack(const Record& record, std::string& to) {
  const std::size_t before = to.size();
  if (const auto raw = impl_->Prepare(record)) {
    if (impl_->AppendRawMessagePack(record, *raw, to)) return;
    to.resize(before);
    impl_->FillUnreadable(record);
  }
  impl_->fields.AppendMessagePack(to);
}

WallTime RecordWriter::TimeOf(const Record& record) {
  if (record.type == RecordType::kGap || !record.id.empty()) return record.happened.value_or(record.observed);
  return FactsOf(record).time;
}

RecordWriter::Facts RecordWriter::FactsOf(const Record& record) {
  Facts facts{record.observed, {}, {}, {}, {}};
  if (record.type == RecordType::kGap) return facts;
  const WatchFrame* const watched = impl_->Decode(record.object);
  if (watched == nullptr) return facts;
  const Event& event = watched->event;
  facts.time = event.LastSeen().value_or(record.observed);
  facts.namespace_name = event.namespace_name;
  facts.type = event.type;
  facts.reason = event.reason;
  facts.kind = event.involved.kind;
  return facts;
}

}  // namespace kube_events
