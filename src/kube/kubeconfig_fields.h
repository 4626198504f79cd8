// Typed access to the fields of one YAML mapping, for the parser of kubeconfig files. One thread.
#pragma once

#include <yaml-cpp/yaml.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kube_events/base/error.h"

namespace kube_events {

// Keeps the first complaint in `error`. A field of the wrong type is one: taking it for absent would mean to connect
// with less than the file asks for. Missing and null fields are empty.
class Fields {
 public:
  // `where`: begins the messages. `error` must outlive the fields.
  Fields(const YAML::Node& map, std::string where, std::optional<Error>& error);

  bool Has(const char* key) const { return map_.IsMap() && map_[key] && !map_[key].IsNull(); }
  std::string Text(const char* key) const;
  bool Flag(const char* key) const;
  std::vector<std::string> Texts(const char* key) const;
  // The fields of a mapping below this one.
  Fields Below(const char* key) const;
  // A list of mappings.
  std::vector<Fields> List(const char* key) const;
  // A mapping of names to texts or lists of texts.
  std::map<std::string, std::vector<std::string>> TextLists(const char* key) const;
  // The JSON of whatever stands there.
  std::string Json(const char* key) const;

 private:
  void Complain(const std::string& problem) const;
  std::vector<std::string> TextsOf(const YAML::Node& list, const std::string& name) const;

  YAML::Node map_;
  std::string where_;
  std::optional<Error>* error_;
};

}  // namespace kube_events
