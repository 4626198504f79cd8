// Allow and deny lists against a naive reading of the same entries; writing them without blanks changes nothing.
//   byte: which list; line by line the value that an Event has, then the entries
#include "kube_events/event/event_filter.h"

#include <algorithm>
#include <string>
#include <vector>

#include "fuzz/check.h"

namespace {

using kube_events::Event;
using kube_events::EventFilter;
using kube_events::EventFilterOptions;
using kube_events::fuzz::Check;

struct List {
  std::vector<std::string> EventFilterOptions::*entries;
  const char* flag;
  void (*set)(Event& event, std::string_view value);
};

// The group is taken from an apiVersion, so a value with a slash means what stands before it.
const List kLists[] = {
    {&EventFilterOptions::event_types, "--event-types", [](Event& e, std::string_view v) { e.type = v; }},
    {&EventFilterOptions::involved_object_api_groups, "--involved-object-api-groups",
     [](Event& e, std::string_view v) { e.involved.api_version = v; }},
    {&EventFilterOptions::involved_object_namespaces, "--involved-object-namespaces",
     [](Event& e, std::string_view v) { e.involved.namespace_name = v; }},
    {&EventFilterOptions::involved_object_kinds, "--involved-object-kinds",
     [](Event& e, std::string_view v) { e.involved.kind = v; }},
    {&EventFilterOptions::reasons, "--reasons", [](Event& e, std::string_view v) { e.reason = v; }},
    {&EventFilterOptions::reporting_controllers, "--reporting-controllers",
     [](Event& e, std::string_view v) { e.source_component = v; }},
};

std::string Trimmed(std::string text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; };
  while (!text.empty() && blank(text.front())) text.erase(0, 1);
  while (!text.empty() && blank(text.back())) text.pop_back();
  return text;
}

// "!" and the value, without blanks.
std::string Normal(const std::string& entry) {
  const std::string text = Trimmed(entry);
  return text.starts_with('!') ? "!" + Trimmed(text.substr(1)) : text;
}

bool PassesByHand(const std::vector<std::string>& entries, const std::string& value, bool group) {
  bool allows = false;
  bool allowed = false;
  for (const std::string& entry : entries) {
    std::string normal = Normal(entry);
    const bool deny = normal.starts_with('!');
    if (deny) normal.erase(0, 1);
    if (group && normal == "core") normal.clear();
    if (deny && normal == value) return false;
    allows = allows || !deny;
    allowed = allowed || (!deny && normal == value);
  }
  return !allows || allowed;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  kube_events::fuzz::Bytes bytes(data, size);
  const List& list = kLists[bytes.Below(std::size(kLists))];
  const std::string given(bytes.Until('\n'));
  std::vector<std::string> entries;
  std::vector<std::string> normal;
  while (!bytes.Empty()) {
    entries.emplace_back(bytes.Until('\n'));
    normal.push_back(Normal(entries.back()));
  }
  EventFilterOptions options;
  options.*list.entries = entries;
  const auto filter = EventFilter::Create(options);
  options.*list.entries = normal;
  const auto again = EventFilter::Create(options);
  Check(filter.has_value() == again.has_value(), "blanks around entries mean nothing");
  if (!filter) {
    Check(filter.error().kind == kube_events::ErrorKind::kConfiguration, "bad entries are a configuration error");
    Check(filter.error().message.starts_with(list.flag), "the message names the flag", filter.error().message);
    return 0;
  }
  Event event;
  list.set(event, given);
  const bool group = list.entries == &EventFilterOptions::involved_object_api_groups;
  const std::string value = group ? std::string(event.InvolvedApiGroup()) : given;
  Check(filter->Passes(event) == PassesByHand(entries, value, group), "a value passes as read by hand", value);
  Check(filter->Passes(event) == again->Passes(event), "a normal spelling passes the same", value);
  return 0;
}
