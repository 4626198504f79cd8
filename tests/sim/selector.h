// labelSelector and fieldSelector of a request. Immutable values, any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kube_events/base/result.h"
#include "sim/event_object.h"

namespace kube_events::sim {

class Selector {
 public:
  // `labels`: "a=b,c!=d,e in (f,g),h notin (i),j,!k,l>1"; `fields`: "type=Warning,involvedObject.kind!=Pod", with the
  // field names of `api`; without one only metadata.name and metadata.namespace, which every kind has. Empty texts
  // select everything. Fails with kInvalid, worded as the API server does, on bad syntax and on fields that nothing can
  // be selected by.
  static Result<Selector> Parse(std::string_view labels, std::string_view fields, std::optional<Api> api);

  bool empty() const { return labels_.empty() && fields_.empty(); }
  // The one namespace that the fields require; nothing where they do not.
  std::optional<std::string> Namespace() const;
  bool Matches(const EventObject& event) const;

 private:
  enum class Operator { kIn, kNotIn, kExists, kNotExists, kGreater, kLess };
  struct LabelRequirement {
    std::string key;
    Operator op = Operator::kExists;
    std::vector<std::string> values;
  };
  struct FieldRequirement {
    std::string EventObject::*text = nullptr;          // a member of the Event …
    std::string EventMetadata::*metadata = nullptr;    // … or of its metadata …
    std::string ObjectReference::*involved = nullptr;  // … or of its involved object
    bool source = false;                               // source.component, else the reporting controller
    bool equal = true;
    std::string value;

    const std::string& Value(const EventObject& event) const;
  };

  static Result<FieldRequirement> ParseField(std::string_view term, std::optional<Api> api);
  static void FindEventField(std::string_view key, Api api, FieldRequirement& field);
  static Result<LabelRequirement> ParseLabel(std::string_view term);
  static bool ParseComparison(std::string_view term, LabelRequirement& label);
  static bool MatchesLabel(const LabelRequirement& requirement, const StringMap& labels);

  std::vector<LabelRequirement> labels_;
  std::vector<FieldRequirement> fields_;
};

}  // namespace kube_events::sim
