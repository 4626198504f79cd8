#include "kube/kubeconfig_fields.h"

#include <nlohmann/json.hpp>
#include <utility>

namespace kube_events {
namespace {

// Of a scalar as YAML 1.2's core schema reads it; quoted ones (tag "!") are texts.
nlohmann::json ScalarToJson(const YAML::Node& node) {
  if (node.Tag() == "!") return node.Scalar();
  if (bool flag = false; YAML::convert<bool>::decode(node, flag)) return flag;
  if (long long number = 0; YAML::convert<long long>::decode(node, number)) return number;
  if (double number = 0; YAML::convert<double>::decode(node, number)) return number;
  return node.Scalar();
}

nlohmann::json ToJson(const YAML::Node& node) {
  if (node.IsScalar()) return ScalarToJson(node);
  if (node.IsSequence()) {
    auto list = nlohmann::json::array();
    for (const auto& item : node) list.push_back(ToJson(item));
    return list;
  }
  if (!node.IsMap()) return nullptr;
  auto object = nlohmann::json::object();
  for (const auto& item : node) object[item.first.Scalar()] = ToJson(item.second);
  return object;
}

}  // namespace

Fields::Fields(const YAML::Node& map, std::string where, std::optional<Error>& error)
    : map_(map), where_(std::move(where)), error_(&error) {
  if (map_ && !map_.IsNull() && !map_.IsMap()) Complain("must be a mapping of names to values");
}

std::string Fields::Text(const char* key) const {
  if (!Has(key)) return {};
  if (map_[key].IsScalar()) return map_[key].Scalar();
  Complain(std::string("has a ") + key + " that is no text");
  return {};
}

bool Fields::Flag(const char* key) const {
  bool value = false;
  if (Has(key) && !YAML::convert<bool>::decode(map_[key], value)) {
    Complain(std::string("has a value for ") + key + " that is neither true nor false");
  }
  return value;
}

std::vector<std::string> Fields::Texts(const char* key) const {
  return Has(key) ? TextsOf(map_[key], key) : std::vector<std::string>{};
}

Fields Fields::Below(const char* key) const {
  return {Has(key) ? YAML::Node(map_[key]) : YAML::Node(), where_ + " " + key, *error_};
}

std::vector<Fields> Fields::List(const char* key) const {
  std::vector<Fields> list;
  if (!Has(key)) return list;
  if (!map_[key].IsSequence()) Complain(std::string("has ") + key + " that are no list");
  for (std::size_t i = 0; map_[key].IsSequence() && i < map_[key].size(); ++i) {
    list.emplace_back(map_[key][i], where_ + " " + key + " entry " + std::to_string(i + 1), *error_);
  }
  return list;
}

std::map<std::string, std::vector<std::string>> Fields::TextLists(const char* key) const {
  std::map<std::string, std::vector<std::string>> lists;
  if (!Has(key)) return lists;
  if (!map_[key].IsMap()) {
    Complain(std::string("has ") + key + " that is no mapping of names to lists");
    return lists;
  }
  for (const auto& item : map_[key]) {
    const std::string name = item.first.Scalar();
    lists[name] = TextsOf(item.second, std::string(key) + " " + name);
  }
  return lists;
}

std::string Fields::Json(const char* key) const { return Has(key) ? ToJson(map_[key]).dump() : std::string(); }

std::vector<std::string> Fields::TextsOf(const YAML::Node& list, const std::string& name) const {
  std::vector<std::string> texts;
  bool right = list.IsSequence();
  for (std::size_t i = 0; right && i < list.size(); ++i) {
    right = list[i].IsScalar();
    if (right) texts.push_back(list[i].Scalar());
  }
  if (!right) Complain("has " + name + " that is no list of texts");
  return texts;
}

void Fields::Complain(const std::string& problem) const {
  if (!*error_) *error_ = Error{ErrorKind::kConfiguration, where_ + " " + problem};
}

}  // namespace kube_events
