// As much of JSON Schema as the schemas of docs/schemas use. Any other keyword is a problem too, so that nobody relies
// on what is not checked. A pure function.
#pragma once

#include <algorithm>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>
#include <utility>

namespace kube_events::testing {

class JsonSchema {
 public:
  explicit JsonSchema(nlohmann::json schema) : root_(std::move(schema)) {}

  const nlohmann::json& json() const { return root_; }
  // What is wrong with `value`, or "".
  std::string ProblemWith(const nlohmann::json& value) const { return Check(root_, value, "record"); }

 private:
  using Json = nlohmann::json;

  std::string Check(const Json& schema, const Json& value, const std::string& where) const {
    if (schema.contains("type") && !HasType(schema.at("type"), value)) return where + ": type of " + value.dump();
    for (const auto& [keyword, rule] : schema.items()) {
      std::string problem = CheckKeyword(schema, keyword, rule, value, where);
      if (!problem.empty()) return problem;
    }
    return "";
  }

  std::string CheckKeyword(const Json& schema, const std::string& keyword, const Json& rule, const Json& value,
                           const std::string& where) const {
    const auto unless = [&](bool holds) { return holds ? "" : where + ": " + keyword + " of " + value.dump(); };
    if (keyword == "$schema" || keyword == "$defs" || keyword == "title" || keyword == "description" ||
        keyword == "examples" || keyword == "type") {
      return "";
    }
    if (keyword == "$ref") return Check(root_.at(Json::json_pointer(rule.get<std::string>().substr(1))), value, where);
    if (keyword == "oneOf") return CheckOneOf(rule, value, where);
    if (keyword == "enum") return unless(std::find(rule.begin(), rule.end(), value) != rule.end());
    if (keyword == "minLength") return unless(value.get_ref<const std::string&>().size() >= rule.get<std::size_t>());
    if (keyword == "minimum") return unless(value.get<std::int64_t>() >= rule.get<std::int64_t>());
    if (keyword == "pattern") {
      return unless(std::regex_search(value.get_ref<const std::string&>(), std::regex(rule.get<std::string>())));
    }
    if (keyword == "required") {
      const auto there = [&](const Json& name) { return value.contains(name.get<std::string>()); };
      return unless(std::all_of(rule.begin(), rule.end(), there));
    }
    if (keyword == "additionalProperties") return unless(rule == false && HasOnly(schema.at("properties"), value));
    if (keyword == "properties") return CheckProperties(rule, value, where);
    return where + ": the schema has the keyword " + keyword + ", which nothing checks";
  }

  static bool HasType(const Json& type, const Json& value) {
    if (type == "object") return value.is_object();
    if (type == "string") return value.is_string();
    return type == "integer" && value.is_number_integer();
  }

  static bool HasOnly(const Json& properties, const Json& value) {
    for (const auto& item : value.items()) {
      if (!properties.contains(item.key())) return false;
    }
    return true;
  }

  std::string CheckProperties(const Json& properties, const Json& value, const std::string& where) const {
    for (const auto& [name, schema] : properties.items()) {
      if (!value.contains(name)) continue;
      std::string problem = Check(schema, value.at(name), where + "." + name);
      if (!problem.empty()) return problem;
    }
    return "";
  }

  std::string CheckOneOf(const Json& choices, const Json& value, const std::string& where) const {
    std::string problems;
    int fitting = 0;
    for (const Json& choice : choices) {
      const std::string problem = Check(choice, value, where);
      if (problem.empty()) ++fitting;
      problems += problem + "; ";
    }
    return fitting == 1 ? "" : where + " fits " + std::to_string(fitting) + " of the choices: " + problems;
  }

  Json root_;
};

}  // namespace kube_events::testing
