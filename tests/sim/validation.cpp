#include "sim/validation.h"

#include <algorithm>
#include <cctype>

namespace kube_events::sim {
namespace {

bool IsAlphanumeric(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

bool IsSubdomainPart(std::string_view part) {
  const auto allowed = [](char c) {
    return (IsAlphanumeric(c) && std::isupper(static_cast<unsigned char>(c)) == 0) || c == '-';
  };
  return !part.empty() && std::all_of(part.begin(), part.end(), allowed) && part.front() != '-' && part.back() != '-';
}

bool IsSubdomain(std::string_view name) {
  while (true) {
    const std::size_t dot = name.find('.');
    if (!IsSubdomainPart(name.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    name.remove_prefix(dot + 1);
  }
}

constexpr std::string_view kSubdomainRule =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start "
    "and end with an alphanumeric character (e.g. 'example.com', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
constexpr std::string_view kNamePartRule =
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric "
    "character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
    "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

}  // namespace

void AddInvalid(Causes& causes, std::string field, std::string_view value, std::string_view message) {
  causes.push_back({"FieldValueInvalid", "Invalid value: \"" + std::string(value) + "\": " + std::string(message),
                    std::move(field)});
}

void AddRequired(Causes& causes, std::string field, std::string_view hint) {
  std::string message = "Required value";
  if (!hint.empty()) message.append(": ").append(hint);
  causes.push_back({"FieldValueRequired", std::move(message), std::move(field)});
}

void ValidateName(Causes& causes, std::string_view name) {
  if (name.empty()) {
    AddRequired(causes, "metadata.name", "name or generateName is required");
  } else if (name.size() > 253) {
    AddInvalid(causes, "metadata.name", name, "must be no more than 253 bytes");
  } else if (!IsSubdomain(name)) {
    AddInvalid(causes, "metadata.name", name, kSubdomainRule);
  }
}

void ValidateQualifiedName(Causes& causes, const std::string& field, std::string_view name) {
  const std::size_t slash = name.find('/');
  if (slash != std::string_view::npos) {
    const std::string_view prefix = name.substr(0, slash);
    if (prefix.empty()) AddInvalid(causes, field, name, "prefix part must be non-empty");
    if (!IsSubdomain(prefix)) AddInvalid(causes, field, name, "prefix part " + std::string(kSubdomainRule));
  }
  const std::string_view part = slash == std::string_view::npos ? name : name.substr(slash + 1);
  if (part.empty()) AddInvalid(causes, field, name, "name part must be non-empty");
  if (part.size() > 63) AddInvalid(causes, field, name, "name part must be no more than 63 bytes");
  if (!IsConfigKey(part) || !IsAlphanumeric(part.front()) || !IsAlphanumeric(part.back())) {
    AddInvalid(causes, field, name, kNamePartRule);
  }
}

bool IsConfigKey(std::string_view key) {
  return !key.empty() && std::all_of(key.begin(), key.end(),
                                     [](char c) { return IsAlphanumeric(c) || c == '-' || c == '_' || c == '.'; });
}

}  // namespace kube_events::sim
