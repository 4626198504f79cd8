// labelSelector and fieldSelector of a request. Immutable values, any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kube_events/base/result.h"
#include "sim/event_object.h"

namespace kube_events::sim {

class Selector {
 public:
  // `labels`: "a=b,c!=d,e in (f,g),h notin (i),j,!k"; `fields`: "type=Warning,involvedObject.kind!=Pod", with the field
  // names of `api`. Empty texts select everything. Fails with kInvalid, worded as the API server does, on bad syntax
  // and on fields that Events cannot be selected by.
  static Result<Selector> Parse(std::string_view labels, std::string_view fields, Api api);

  bool empty() const { return labels_.empty() && fields_.empty(); }
  bool Matches(const EventObject& event) const;

 private:
  enum class Operator { kIn, kNotIn, kExists, kNotExists };
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

  static Result<FieldRequirement> ParseField(std::string_view term, Api api);
  static Result<LabelRequirement> ParseLabel(std::string_view term);
  static bool MatchesLabel(const LabelRequirement& requirement, const StringMap& labels);

  std::vector<LabelRequirement> labels_;
  std::vector<FieldRequirement> fields_;
};

}  // namespace kube_events::sim
