#include "kube_events/event/event_filter.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "kube_events/base/text.h"

namespace kube_events {
namespace {

bool Contains(const std::vector<std::string>& sorted, std::string_view value) {
  const auto found = std::lower_bound(sorted.begin(), sorted.end(), value);
  return found != sorted.end() && *found == value;
}

// Each returns what is wrong with a value, or nothing.
std::optional<std::string> ProblemWithText(std::string_view value) {
  if (value.empty()) return "an empty entry matches nothing; remove it";
  if (value.front() == '!') return "only one ! may stand before a value";
  if (HasControlCharacter(value)) return "control characters match nothing";
  return std::nullopt;
}

std::optional<std::string> ProblemWithGroup(std::string_view value) {
  if (const std::size_t slash = value.find('/'); slash != std::string_view::npos) {
    return "write the group without a version: " + std::string(value.substr(0, slash));
  }
  if (value == "v1") return "v1 is a version; write core for the core group";
  if (value.empty() || IsDnsSubdomain(value)) return std::nullopt;
  return "not the name of an API group; write for example apps, or core for the core group";
}

std::optional<std::string> ProblemWithNamespace(std::string_view value) {
  if (value.empty() || IsDnsLabel(value)) return std::nullopt;
  return "not the name of a namespace: at most 63 lower-case letters, digits and -, no - at either end";
}

}  // namespace

struct EventFilter::Flag {
  std::string_view name;
  std::optional<std::string> (*problem)(std::string_view value);
  std::string_view spelled = {};  // a word that stands for the empty value
};

Result<EventFilter::ValueList> EventFilter::ParseList(const Flag& flag, const std::vector<std::string>& entries) {
  ValueList list;
  for (const std::string& entry : entries) {
    std::string_view value = Trimmed(entry);
    const bool deny = value.starts_with('!');
    if (deny) value = Trimmed(value.substr(1));
    if (const auto problem = flag.problem(value)) {
      return Fail(ErrorKind::kConfiguration, std::string(flag.name) + ": entry \"" + entry + "\": " + *problem);
    }
    if (!flag.spelled.empty() && value == flag.spelled) value = {};
    (deny ? list.denied : list.allowed).emplace_back(value);
  }
  std::sort(list.allowed.begin(), list.allowed.end());
  std::sort(list.denied.begin(), list.denied.end());
  return list;
}

Result<EventFilter> EventFilter::Create(const EventFilterOptions& options) {
  EventFilter filter;
  struct Row {
    Flag flag;
    const std::vector<std::string>& entries;
    ValueList& list;
  };
  const Row rows[] = {
      {{"--event-types", ProblemWithText}, options.event_types, filter.types_},
      {{"--involved-object-api-groups", ProblemWithGroup, "core"},
       options.involved_object_api_groups,
       filter.api_groups_},
      {{"--involved-object-namespaces", ProblemWithNamespace}, options.involved_object_namespaces, filter.namespaces_},
      {{"--involved-object-kinds", ProblemWithText}, options.involved_object_kinds, filter.kinds_},
      {{"--reasons", ProblemWithText}, options.reasons, filter.reasons_},
      {{"--reporting-controllers", ProblemWithText}, options.reporting_controllers, filter.controllers_},
  };
  for (const Row& row : rows) {
    Result<ValueList> list = ParseList(row.flag, row.entries);
    if (!list) return tl::unexpected(list.error());
    row.list = std::move(*list);
  }
  return filter;
}

bool EventFilter::ValueList::Passes(std::string_view value) const {
  return !Contains(denied, value) && (allowed.empty() || Contains(allowed, value));
}

bool EventFilter::Passes(const Event& event) const {
  return types_.Passes(event.type) && api_groups_.Passes(event.InvolvedApiGroup()) &&
         namespaces_.Passes(event.involved.namespace_name) && kinds_.Passes(event.involved.kind) &&
         reasons_.Passes(event.reason) && controllers_.Passes(event.Controller());
}

}  // namespace kube_events
