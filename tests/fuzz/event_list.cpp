// List pages: what nlohmann::json reads as a good page brings the same items, and the page's metadata alone says the
// same.
#include <string>
#include <vector>

#include "fuzz/check.h"
#include "fuzz/event_oracle.h"
#include "kube_events/event/event_decoder.h"

namespace {

using kube_events::Event;
using kube_events::EventDecoder;
using kube_events::kJsonPadding;
using kube_events::ListMeta;
using kube_events::Result;
using kube_events::fuzz::Check;
using kube_events::fuzz::Json;
using kube_events::fuzz::OwnedEvent;

// A page as the oracle reads it.
struct OraclePage {
  bool usable = true;
  std::string version;
  std::string token;
  std::vector<OwnedEvent> items;
  std::size_t skipped = 0;
};

void ReadMetadata(const Json& json, OraclePage& page) {
  const auto metadata = json.find("metadata");
  if (metadata == json.end() || !metadata->is_object()) {
    page.usable = false;
    return;
  }
  const auto text = [&](const char* name) {
    const auto found = metadata->find(name);
    if (found == metadata->end() || found->is_null()) return std::string();
    if (!found->is_string()) page.usable = false;
    return found->is_string() ? found->get<std::string>() : std::string();
  };
  page.version = text("resourceVersion");
  page.token = text("continue");
  page.usable = page.usable && !page.version.empty();
}

void ReadItems(const Json& items, OraclePage& page) {
  if (items.is_null()) return;
  if (!items.is_array()) page.usable = false;
  if (!items.is_array()) return;
  for (const Json& item : items) {
    const auto object = item.is_object() ? kube_events::fuzz::ReadObject(item) : std::nullopt;
    if (object && kube_events::fuzz::IsUsable(*object, true)) {
      page.items.push_back(object->event);
    } else {
      ++page.skipped;
    }
  }
}

OraclePage ReadPage(const Json& json) {
  OraclePage page;
  const Json kind = json.value("kind", Json());
  if (!kind.is_null() && !kind.is_string()) page.usable = false;
  const std::string word = kind.is_string() ? kind.get<std::string>() : std::string();
  if (word != "EventList" && !(word.empty() && json.contains("items"))) page.usable = false;
  ReadMetadata(json, page);
  if (json.contains("items")) ReadItems(json["items"], page);
  return page;
}

void CompareWithOracle(std::string_view text, const Result<ListMeta>& meta, const std::vector<OwnedEvent>& items) {
  const auto json = kube_events::fuzz::ParseForOracle(text);
  if (!json || !json->is_object()) return;
  const OraclePage page = ReadPage(*json);
  Check(meta.has_value() == page.usable, "the oracle takes the same pages", meta ? text : meta.error().message);
  if (!meta) return;
  Check(meta->resource_version == page.version && meta->continue_token == page.token, "the same metadata", text);
  Check(meta->items == page.items.size() && meta->skipped == page.skipped, "as many items", text);
  Check(items == page.items, "the same items", text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static EventDecoder decoder;
  const std::string_view text = kube_events::fuzz::Text(data, size);
  const kube_events::fuzz::Padded padded(text, kJsonPadding);
  std::vector<OwnedEvent> items;
  const auto meta = decoder.DecodeList(
      padded.View(), [&](const Event& event, std::string_view) { items.push_back(kube_events::fuzz::Own(event)); });
  if (!meta) Check(meta.error().kind == kube_events::ErrorKind::kInvalid, "what cannot be decoded is invalid");
  if (meta) Check(meta->items == items.size(), "every item was handed over");
  CompareWithOracle(text, meta, items);
  const auto only_meta = decoder.DecodeListMeta(padded.View());
  if (!meta) return 0;
  // Brackets that do not match are noticed in one place or the other.
  if (!only_meta) Check(!Json::accept(text), "a page that can be read has metadata", text);
  if (!only_meta) return 0;
  Check(only_meta->resource_version == meta->resource_version && only_meta->continue_token == meta->continue_token,
        "metadata alone says the same", text);
  return 0;
}
