#include "sim/object_schema.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "sim/json_text.h"
#include "sim/write_request.h"

namespace kube_events::sim {
namespace {

using nlohmann::json;

enum class Type { kObject, kString, kOptionalString, kStringMap, kStringList, kBool, kInt32, kMicroTime, kAny };

struct Field {
  ResourceKind kind;       // kUnknown: every kind has it
  std::string_view owner;  // the Go type that the field is a member of
  std::string_view path;
  Type type;
};

constexpr auto kFields = std::to_array<Field>({
    {ResourceKind::kUnknown, "", "kind", Type::kString},
    {ResourceKind::kUnknown, "", "apiVersion", Type::kString},
    {ResourceKind::kUnknown, "", "metadata", Type::kObject},
    {ResourceKind::kUnknown, "ObjectMeta", "metadata.name", Type::kString},
    {ResourceKind::kUnknown, "ObjectMeta", "metadata.generateName", Type::kString},
    {ResourceKind::kUnknown, "ObjectMeta", "metadata.namespace", Type::kString},
    {ResourceKind::kUnknown, "ObjectMeta", "metadata.uid", Type::kString},
    {ResourceKind::kUnknown, "ObjectMeta", "metadata.resourceVersion", Type::kString},
    {ResourceKind::kUnknown, "ObjectMeta", "metadata.creationTimestamp", Type::kString},
    {ResourceKind::kUnknown, "ObjectMeta", "metadata.labels", Type::kStringMap},
    {ResourceKind::kUnknown, "ObjectMeta", "metadata.annotations", Type::kStringMap},
    {ResourceKind::kUnknown, "ObjectMeta", "metadata.finalizers", Type::kStringList},
    {ResourceKind::kUnknown, "ObjectMeta", "metadata.ownerReferences", Type::kAny},
    {ResourceKind::kUnknown, "ObjectMeta", "metadata.managedFields", Type::kAny},
    {ResourceKind::kConfigMap, "ConfigMap", "data", Type::kStringMap},
    {ResourceKind::kConfigMap, "ConfigMap", "binaryData", Type::kStringMap},
    {ResourceKind::kConfigMap, "ConfigMap", "immutable", Type::kBool},
    {ResourceKind::kLease, "Lease", "spec", Type::kObject},
    {ResourceKind::kLease, "LeaseSpec", "spec.holderIdentity", Type::kOptionalString},
    {ResourceKind::kLease, "LeaseSpec", "spec.leaseDurationSeconds", Type::kInt32},
    {ResourceKind::kLease, "LeaseSpec", "spec.acquireTime", Type::kMicroTime},
    {ResourceKind::kLease, "LeaseSpec", "spec.renewTime", Type::kMicroTime},
    {ResourceKind::kLease, "LeaseSpec", "spec.leaseTransitions", Type::kInt32},
    {ResourceKind::kLease, "LeaseSpec", "spec.strategy", Type::kOptionalString},
    {ResourceKind::kLease, "LeaseSpec", "spec.preferredHolder", Type::kOptionalString},
    {ResourceKind::kNamespace, "Namespace", "spec", Type::kObject},
    {ResourceKind::kNamespace, "NamespaceSpec", "spec.finalizers", Type::kStringList},
    {ResourceKind::kNamespace, "Namespace", "status", Type::kObject},
    {ResourceKind::kNamespace, "NamespaceStatus", "status.phase", Type::kString},
    {ResourceKind::kTokenReview, "TokenReview", "spec", Type::kObject},
    {ResourceKind::kTokenReview, "TokenReviewSpec", "spec.token", Type::kString},
    {ResourceKind::kTokenReview, "TokenReviewSpec", "spec.audiences", Type::kStringList},
    {ResourceKind::kSubjectAccessReview, "SubjectAccessReview", "spec", Type::kObject},
    {ResourceKind::kSubjectAccessReview, "SubjectAccessReviewSpec", "spec.user", Type::kString},
    {ResourceKind::kSubjectAccessReview, "SubjectAccessReviewSpec", "spec.uid", Type::kString},
    {ResourceKind::kSubjectAccessReview, "SubjectAccessReviewSpec", "spec.groups", Type::kStringList},
    {ResourceKind::kSubjectAccessReview, "SubjectAccessReviewSpec", "spec.extra", Type::kAny},
    {ResourceKind::kSubjectAccessReview, "SubjectAccessReviewSpec", "spec.resourceAttributes", Type::kAny},
    {ResourceKind::kSubjectAccessReview, "SubjectAccessReviewSpec", "spec.nonResourceAttributes", Type::kAny},
});

const Field* FindField(ResourceKind kind, std::string_view path) {
  const auto* const found = std::find_if(kFields.begin(), kFields.end(), [&](const Field& field) {
    return field.path == path && (field.kind == kind || field.kind == ResourceKind::kUnknown);
  });
  return found == kFields.end() ? nullptr : found;
}

bool IsInt32(const json& value) {
  return value.is_number_integer() && value.get<std::int64_t>() >= std::numeric_limits<std::int32_t>::min() &&
         value.get<std::int64_t>() <= std::numeric_limits<std::int32_t>::max();
}

bool AllStrings(const json& values) {
  return std::all_of(values.begin(), values.end(), [](const json& value) { return value.is_string(); });
}

// What is wrong with a value for a field; empty where nothing is.
std::string Mismatch(const Field& field, const json& value) {
  const auto wrong = [&](const json& given, const char* type) {
    return "json: cannot unmarshal " + GoTypeOf(given) + " into Go struct field " + std::string(field.owner) + "." +
           std::string(field.path) + " of type " + type;
  };
  switch (field.type) {
    case Type::kObject:
      return value.is_object() ? "" : wrong(value, "object");
    case Type::kString:
    case Type::kOptionalString:
      return value.is_string() ? "" : wrong(value, "string");
    case Type::kStringMap:
    case Type::kStringList:
      if (field.type == Type::kStringMap && !value.is_object()) return wrong(value, "map[string]string");
      if (field.type == Type::kStringList && !value.is_array()) return wrong(value, "[]string");
      if (AllStrings(value)) return "";
      return wrong(*std::find_if(value.begin(), value.end(), [](const json& one) { return !one.is_string(); }),
                   "string");
    case Type::kBool:
      return value.is_boolean() ? "" : wrong(value, "bool");
    case Type::kInt32:
      return IsInt32(value) ? "" : wrong(value, "int32");
    case Type::kMicroTime:
      return value.is_string() ? MicroTimeError(value.get<std::string>()) : wrong(value, "string");
    case Type::kAny:
      return "";
  }
  return "";
}

// Go leaves out what is empty but for pointers.
bool IsLeftOut(const Field& field, const json& value) {
  if (field.type == Type::kString) return value.get<std::string>().empty();
  return (field.type == Type::kStringMap || field.type == Type::kStringList) && value.empty();
}

Result<json> Conform(const json& object, ResourceKind kind, const std::string& prefix) {
  json result = json::object();
  for (const auto& [key, value] : object.items()) {
    const Field* field = FindField(kind, prefix + key);
    if (field == nullptr || value.is_null()) continue;
    std::string mismatch = Mismatch(*field, value);
    if (!mismatch.empty()) return Fail(ErrorKind::kInvalid, std::move(mismatch));
    if (IsLeftOut(*field, value)) continue;
    result[key] = value;
    if (field->type != Type::kObject) continue;
    Result<json> inner = Conform(value, kind, prefix + key + ".");
    if (!inner) return inner;
    result[key] = std::move(*inner);
  }
  return result;
}

void ValidateConfigMap(const json& object, Causes& causes) {
  constexpr std::size_t kMaxSize = 1U << 20U;  // of all values, bytes
  std::size_t size = 0;
  for (const char* member : {"data", "binaryData"}) {
    const json values = object.value(member, json::object());
    for (const auto& [key, value] : values.items()) {
      size += value.get<std::string>().size();
      if (IsConfigKey(key)) continue;
      AddInvalid(causes, std::string(member) + "[" + key + "]", key,
                 "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or "
                 "'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')");
    }
  }
  if (size > kMaxSize) {
    causes.push_back(
        {"FieldValueTooLong", "Too long: may not be more than " + std::to_string(kMaxSize) + " bytes", "[]"});
  }
}

void ValidateNumber(const json& spec, const char* key, std::int32_t least, const char* rule, Causes& causes) {
  if (!spec.contains(key) || spec[key].get<std::int32_t>() >= least) return;
  causes.push_back(
      {"FieldValueInvalid", "Invalid value: " + spec[key].dump() + ": must be " + rule, std::string("spec.") + key});
}

// `fields` of one object as FieldsV1; the "." says that a map or pointer itself is owned.
json FieldSet(const json& object, bool itself) {
  json set = json::object();
  if (itself) set["."] = json::object();
  for (const auto& [key, value] : object.items()) {
    set["f:" + key] = value.is_object() ? FieldSet(value, true) : json::object();
  }
  return set;
}

}  // namespace

Result<json> ConformObject(const json& object, ResourceKind kind) {
  Result<json> result = Conform(object, kind, "");
  if (!result) return result;
  // Structs are there even if nobody has set them.
  if (!result->contains("metadata")) (*result)["metadata"] = json::object();
  if (FindField(kind, "spec") != nullptr && !result->contains("spec")) (*result)["spec"] = json::object();
  return result;
}

Causes ValidateObject(const json& object, ResourceKind kind) {
  Causes causes;
  ValidateName(causes, object["metadata"].value("name", ""));
  if (object["metadata"].value("name", "").empty()) return causes;
  if (kind == ResourceKind::kConfigMap) ValidateConfigMap(object, causes);
  if (kind == ResourceKind::kLease) {
    ValidateNumber(object["spec"], "leaseDurationSeconds", 1, "greater than 0", causes);
    ValidateNumber(object["spec"], "leaseTransitions", 0, "greater than or equal to 0", causes);
  }
  return causes;
}

json ObjectManagedFields(const json& object, const std::string& manager, const std::string& api_version,
                         const std::string& time) {
  json fields = json::object();
  for (const auto& [key, value] : object.items()) {
    if (key == "kind" || key == "apiVersion" || key == "status") continue;
    json part = value;
    if (key == "metadata") {
      part = json::object();
      for (const char* set : {"annotations", "generateName", "labels"}) {
        if (value.contains(set)) part[set] = value[set];
      }
    }
    const bool structure = key == "metadata" || key == "spec";
    if (!part.empty()) fields["f:" + key] = part.is_object() ? FieldSet(part, !structure) : json::object();
  }
  if (fields.empty()) return json::array();
  return json::array({{{"manager", manager},
                       {"operation", "Update"},
                       {"apiVersion", api_version},
                       {"time", time},
                       {"fieldsType", "FieldsV1"},
                       {"fieldsV1", std::move(fields)}}});
}

}  // namespace kube_events::sim
