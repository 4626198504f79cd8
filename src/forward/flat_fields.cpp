#include "flat_fields.h"

#include "kube_events/base/json_text.h"
#include "kube_events/base/timestamp.h"
#include "msgpack.h"

namespace kube_events {
namespace {

struct JsonValue {
  std::string& to;
  void operator()(std::string_view text) const { AppendJsonString(to, text); }
  void operator()(std::int64_t number) const { to += std::to_string(number); }
  void operator()(WallTime time) const {
    to += '"';
    AppendTimestamp(to, time);
    to += '"';
  }
};

struct MessagePackValue {
  MessagePackWriter& to;
  void operator()(std::string_view text) const { to.String(text); }
  void operator()(std::int64_t number) const { to.Integer(number); }
  void operator()(WallTime time) const {
    std::string text;
    AppendTimestamp(text, time);
    to.String(text);
  }
};

}  // namespace

void FlatFields::Text(std::string_view name, std::string_view text) {
  if (!text.empty()) fields_.push_back({name, text});
}

void FlatFields::Number(std::string_view name, std::int64_t number) { fields_.push_back({name, number}); }

void FlatFields::Time(std::string_view name, OptionalTime time) {
  if (time) fields_.push_back({name, *time});
}

void FlatFields::AppendJson(std::string& to) const {
  char before = '{';
  for (const Field& field : fields_) {
    to += before;
    before = ',';
    to += '"';
    to += field.name;
    to += "\":";
    std::visit(JsonValue{to}, field.value);
  }
  to += fields_.empty() ? "{}" : "}";
}

void FlatFields::AppendMessagePack(std::string& to) const {
  MessagePackWriter out(to);
  out.Map(fields_.size());
  for (const Field& field : fields_) {
    out.String(field.name);
    std::visit(MessagePackValue{out}, field.value);
  }
}

}  // namespace kube_events
