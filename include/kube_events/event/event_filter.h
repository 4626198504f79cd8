// Which Events are counted: allow and deny lists over what an Event is about.
// Immutable once made, so it may be shared and asked from any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kube_events/base/result.h"
#include "kube_events/event/event.h"

namespace kube_events {

// The lists as an administrator wrote them: each entry allows one value, or denies it with a leading "!". Blanks
// around an entry are ignored.
struct EventFilterOptions {
  std::vector<std::string> event_types = {};                 // --event-types
  std::vector<std::string> involved_object_api_groups = {};  // "core" or an empty entry: the core group
  std::vector<std::string> involved_object_namespaces = {};  // an empty entry: objects without a namespace
  std::vector<std::string> involved_object_kinds = {};
  std::vector<std::string> reasons = {};
  std::vector<std::string> reporting_controllers = {};
};

class EventFilter {
 public:
  // Passes everything.
  EventFilter() = default;

  // Fails with kConfiguration, naming the flag, on an entry that could never match.
  static Result<EventFilter> Create(const EventFilterOptions& options);

  // Whether each of the lists lets the Event through: no deny matches and, where there are allows, one does. Does not
  // allocate or block.
  bool Passes(const Event& event) const;

 private:
  struct ValueList {
    std::vector<std::string> allowed;  // sorted
    std::vector<std::string> denied;   // sorted
    bool Passes(std::string_view value) const;
  };
  struct Flag;
  static Result<ValueList> ParseList(const Flag& flag, const std::vector<std::string>& entries);

  ValueList types_;
  ValueList api_groups_;
  ValueList namespaces_;
  ValueList kinds_;
  ValueList reasons_;
  ValueList controllers_;
};

}  // namespace kube_events
