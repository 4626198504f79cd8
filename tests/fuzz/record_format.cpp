// Records: whatever an object holds, both formats are one line of valid JSON and valid MessagePack, which say the same.
#include <nlohmann/json.hpp>
#include <string>

#include "fuzz/check.h"
#include "kube_events/base/utf8.h"
#include "kube_events/forward/record_format.h"

namespace {

using kube_events::Record;
using kube_events::RecordFormat;
using kube_events::RecordType;
using kube_events::RecordWriter;
using kube_events::WallTime;
using kube_events::fuzz::Check;
using nlohmann::json;

Record RecordOf(std::string object) { return {RecordType::kAdded, std::move(object), WallTime{}}; }

std::string Text(RecordWriter& writer, const Record& record) {
  std::string text;
  writer.AppendJson(record, text);
  return text;
}

json CheckOutputs(RecordWriter& writer, const Record& record) {
  const std::string text = Text(writer, record);
  Check(kube_events::IsValidUtf8(text), "JSON is UTF-8", text);
  Check(text.find_first_of("\r\n") == std::string::npos, "JSON is one line", text);
  json read = json::parse(text, nullptr, false);
  Check(read.is_object(), "JSON is an object", text);
  Check(!read.value("id", "").empty(), "every record has an id", text);

  std::string packed;
  writer.AppendMessagePack(record, packed);
  const json unpacked = json::from_msgpack(packed, true, false);
  Check(!unpacked.is_discarded(), "MessagePack can be read", text);
  Check(unpacked == read, "MessagePack says what JSON says", text + "\n" + unpacked.dump());
  return read;
}

void CheckFlat(const json& flat) {
  for (const auto& item : flat.items()) Check(item.value().is_primitive(), "flat has one level", flat.dump());
}

// What was written once comes out the same again.
void CheckAgain(RecordWriter& writer, const json& raw, const std::string& text) {
  if (!raw.contains("object")) return;
  const std::string begin = R"(,"object":)";
  const std::string object = text.substr(text.find(begin) + begin.size());
  Check(Text(writer, RecordOf(object.substr(0, object.size() - 1))) == text, "written again it is the same", text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static RecordWriter raw_writer({RecordFormat::kRaw, ""});
  static RecordWriter flat_writer({RecordFormat::kFlat, "cluster"});
  const Record record = RecordOf(std::string(kube_events::fuzz::Text(data, size)));
  const json raw = CheckOutputs(raw_writer, record);
  const json flat = CheckOutputs(flat_writer, record);
  CheckFlat(flat);
  Check(raw.at("id") == flat.at("id"), "both formats have the same id");
  Check(raw.contains("object") == flat.contains("occurrences"), "both formats take the same Events");
  CheckAgain(raw_writer, raw, Text(raw_writer, record));

  const RecordWriter::Facts facts = raw_writer.FactsOf(record);
  Check(facts.reason == flat.value("reason", ""), "the facts are those of the record");
  Check(facts.kind.empty() || flat.contains("involved_object_kind"), "the facts are those of the record");
  return 0;
}
