#include "sim/selector.h"

#include <algorithm>
#include <charconv>
#include <cstdint>

namespace kube_events::sim {
namespace {

std::string_view Trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// Cuts at commas outside of parentheses.
std::vector<std::string_view> SplitTerms(std::string_view text) {
  std::vector<std::string_view> terms;
  int depth = 0;
  std::size_t start = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && text[i] == '(') ++depth;
    if (i < text.size() && text[i] == ')') --depth;
    if (i < text.size() && (text[i] != ',' || depth > 0)) continue;
    const std::string_view term = Trim(text.substr(start, i - start));
    if (!term.empty()) terms.push_back(term);
    start = i + 1;
  }
  return terms;
}

std::vector<std::string> SplitValues(std::string_view text) {
  std::vector<std::string> values;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t end = std::min(text.find(',', start), text.size());
    values.emplace_back(Trim(text.substr(start, end - start)));
    start = end + 1;
  }
  return values;
}

bool ValidKey(std::string_view key) {
  return !key.empty() && std::all_of(key.begin(), key.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.' || c == '/';
  });
}

bool ValidValue(std::string_view value) {
  return value.empty() || (ValidKey(value) && value.find('/') == std::string_view::npos);
}

// An integer, as `>` and `<` compare them; nothing where a text is none.
std::optional<std::int64_t> Integer(std::string_view text) {
  std::int64_t number = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || result.ec != std::errc{} || result.ptr != text.data() + text.size()) return std::nullopt;
  return number;
}

// Cuts "key=value", "key==value" or "key!=value"; false where there is no operator.
bool CutEquality(std::string_view term, std::string_view& key, std::string_view& value, bool& equal) {
  const std::size_t at = term.find('=');
  if (at == std::string_view::npos) return false;
  equal = at == 0 || term[at - 1] != '!';
  key = Trim(term.substr(0, equal ? at : at - 1));
  value = term.substr(at + 1);
  if (value.starts_with('=')) value.remove_prefix(1);
  value = Trim(value);
  return true;
}

}  // namespace

Result<Selector> Selector::Parse(std::string_view labels, std::string_view fields, std::optional<Api> api) {
  Selector selector;
  for (const std::string_view term : SplitTerms(labels)) {
    Result<LabelRequirement> requirement = ParseLabel(term);
    if (!requirement) return Fail(requirement.error());
    selector.labels_.push_back(std::move(*requirement));
  }
  for (const std::string_view term : SplitTerms(fields)) {
    Result<FieldRequirement> requirement = ParseField(term, api);
    if (!requirement) return Fail(requirement.error());
    selector.fields_.push_back(std::move(*requirement));
  }
  return selector;
}

bool Selector::Matches(const EventObject& event) const {
  return std::all_of(labels_.begin(), labels_.end(),
                     [&](const auto& requirement) { return MatchesLabel(requirement, event.metadata.labels); }) &&
         std::all_of(fields_.begin(), fields_.end(), [&](const auto& requirement) {
           return (requirement.Value(event) == requirement.value) == requirement.equal;
         });
}

const std::string& Selector::FieldRequirement::Value(const EventObject& event) const {
  if (text != nullptr) return event.*text;
  if (metadata != nullptr) return event.metadata.*metadata;
  if (involved != nullptr) return event.involved_object.*involved;
  return event.source_component.empty() ? event.reporting_controller : event.source_component;
}

Result<Selector::FieldRequirement> Selector::ParseField(std::string_view term, std::optional<Api> api) {
  std::string_view key;
  std::string_view value;
  FieldRequirement field;
  if (!CutEquality(term, key, value, field.equal)) {
    return Fail(ErrorKind::kInvalid,
                "invalid selector: '" + std::string(term) + "'; can't understand '" + std::string(term) + "'");
  }
  field.value = value;
  if (key == "metadata.name") field.metadata = &EventMetadata::name;
  if (key == "metadata.namespace") field.metadata = &EventMetadata::namespace_name;
  if (api) FindEventField(key, *api, field);
  if (field.text != nullptr || field.metadata != nullptr || field.involved != nullptr || field.source) return field;
  if (api) return Fail(ErrorKind::kInvalid, "field label not supported: " + std::string(key));
  return Fail(ErrorKind::kInvalid, "\"" + std::string(key) +
                                       "\" is not a known field selector: only \"metadata.name\", "
                                       "\"metadata.namespace\"");
}

void Selector::FindEventField(std::string_view key, Api api, FieldRequirement& field) {
  const bool core = api == Api::kCoreV1;
  const std::string prefix = core ? "involvedObject." : "regarding.";
  const struct {
    std::string name;
    std::string ObjectReference::*member;
  } kInvolved[] = {{"kind", &ObjectReference::kind},
                   {"namespace", &ObjectReference::namespace_name},
                   {"name", &ObjectReference::name},
                   {"uid", &ObjectReference::uid},
                   {"apiVersion", &ObjectReference::api_version},
                   {"resourceVersion", &ObjectReference::resource_version},
                   {"fieldPath", &ObjectReference::field_path}};
  for (const auto& involved : kInvolved) {
    if (key == prefix + involved.name) field.involved = involved.member;
  }
  if (key == "reason") field.text = &EventObject::reason;
  if (key == "type") field.text = &EventObject::type;
  if (key == (core ? "reportingComponent" : "reportingController")) field.text = &EventObject::reporting_controller;
  field.source = core && key == "source";
}

Result<Selector::LabelRequirement> Selector::ParseLabel(std::string_view term) {
  LabelRequirement label;
  std::string_view key;
  std::string_view value;
  bool equal = true;
  const std::size_t open = term.find('(');
  if (open != std::string_view::npos && term.ends_with(')')) {
    std::string_view head = Trim(term.substr(0, open));
    const bool negated = head.ends_with(" notin");
    if (!negated && !head.ends_with(" in")) head = {};
    if (!head.empty()) key = Trim(head.substr(0, head.rfind(' ')));
    label.op = negated ? Operator::kNotIn : Operator::kIn;
    label.values = SplitValues(term.substr(open + 1, term.size() - open - 2));
  } else if (CutEquality(term, key, value, equal)) {
    label.op = equal ? Operator::kIn : Operator::kNotIn;
    label.values = {std::string(value)};
  } else if (ParseComparison(term, label)) {
    return label;
  } else {
    const bool negated = term.starts_with('!');
    key = Trim(negated ? term.substr(1) : term);
    label.op = negated ? Operator::kNotExists : Operator::kExists;
  }
  if (!ValidKey(key) || !std::all_of(label.values.begin(), label.values.end(), ValidValue)) {
    return Fail(ErrorKind::kInvalid, "unable to parse requirement: '" + std::string(term) + "'");
  }
  label.key = key;
  return label;
}

// Reads "key>1" or "key<1"; false where the term is none of them.
bool Selector::ParseComparison(std::string_view term, LabelRequirement& label) {
  const std::size_t at = term.find_first_of("<>");
  if (at == std::string_view::npos) return false;
  const std::string_view value = Trim(term.substr(at + 1));
  label.key = Trim(term.substr(0, at));
  label.op = term[at] == '>' ? Operator::kGreater : Operator::kLess;
  label.values = {std::string(value)};
  return ValidKey(label.key) && Integer(value).has_value();
}

std::optional<std::string> Selector::Namespace() const {
  for (const FieldRequirement& field : fields_) {
    if (field.metadata == &EventMetadata::namespace_name && field.equal) return field.value;
  }
  return std::nullopt;
}

bool Selector::MatchesLabel(const LabelRequirement& requirement, const StringMap& labels) {
  const auto found = labels.find(requirement.key);
  const bool exists = found != labels.end();
  if (requirement.op == Operator::kExists) return exists;
  if (requirement.op == Operator::kNotExists) return !exists;
  const auto& values = requirement.values;
  if (requirement.op == Operator::kGreater || requirement.op == Operator::kLess) {
    const std::optional<std::int64_t> value = exists ? Integer(found->second) : std::nullopt;
    const std::int64_t bound = Integer(values.front()).value_or(0);
    return value && (requirement.op == Operator::kGreater ? *value > bound : *value < bound);
  }
  const bool in = exists && std::find(values.begin(), values.end(), found->second) != values.end();
  return requirement.op == Operator::kIn ? in : !in;
}

}  // namespace kube_events::sim
