// --forward-config: sinks as YAML.
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "forward/sink_options.h"
#include "kube_events/base/flag_values.h"
#include "kube_events/base/text.h"
#include "kube_events/forward/sink_settings.h"

namespace kube_events {
namespace {

using flag_values::BadValue;

constexpr std::size_t kMaxMessage = 2000;

// Fit for a message: no name of an option is that long.
std::string KeyOf(const YAML::Node& key) { return key.IsScalar() ? Shortened(key.Scalar(), 60) : std::string("?"); }

// YAML takes !shop, which is meant to exclude, for a tag of an empty text (https://yaml.org/spec/1.2.2/#3212-tags).
bool HasTag(const YAML::Node& node) {
  const std::string& tag = node.Tag();
  if (tag.size() > 1 && tag.front() == '!') return true;
  return node.IsSequence() && std::any_of(node.begin(), node.end(), [](const auto& item) { return HasTag(item); });
}

// One text or a list of them.
Result<std::vector<std::string>> ReadValues(const YAML::Node& node, const std::string& name) {
  if (HasTag(node))
    return BadValue("option " + name + " has a value that begins with !; put it in quotes, as \"!shop\"");
  std::vector<std::string> values;
  bool good = node.IsScalar() || (node.IsSequence() && node.size() > 0);
  if (node.IsScalar()) values.push_back(node.Scalar());
  for (std::size_t i = 0; node.IsSequence() && i < node.size(); ++i) {
    good = good && node[i].IsScalar();
    if (good) values.push_back(node[i].Scalar());
  }
  if (!good) return BadValue("option " + name + " is neither a text nor a list of texts");
  return values;
}

// What the file says of one sink.
struct SinkText {
  std::string name;
  std::string url;
  std::vector<GivenOption> options;
};

Result<void> AddOption(const std::string& key, const YAML::Node& value, SinkText& sink) {
  auto values = ReadValues(value, key);
  if (!values) return Fail(values.error());
  const auto same = [&key](const GivenOption& other) { return other.name == key; };
  const bool again = std::any_of(sink.options.begin(), sink.options.end(), same);
  if (again || (key == "url" && !sink.url.empty())) {
    return BadValue("option " + key + " is given twice; keep one of them");
  }
  if (key == "url") {
    if (values->size() != 1 || values->front().empty()) return BadValue("url is no text");
    sink.url = values->front();
  } else {
    if (key == "name") sink.name = values->front();
    sink.options.push_back({key, std::move(*values)});
  }
  return {};
}

// Options that choose Events stand below `filter`, and no others do.
Result<void> AddBelow(const YAML::Node& map, bool filter, SinkText& sink) {
  int filters = 0;
  for (const auto& entry : map) {
    const std::string key = KeyOf(entry.first);
    const SinkOption* option = FindSinkOption(key);
    if (!filter && key == "filter") {
      if (filters++ > 0) return BadValue("filter is given twice; write all of it below one of them");
      if (!entry.second.IsMap()) return BadValue("filter has no options below it, such as event-types: [Warning]");
      if (auto added = AddBelow(entry.second, true, sink); !added) return added;
      continue;
    }
    if (option != nullptr && option->filter != filter) {
      return BadValue("option " + key + (filter ? " does not belong below filter" : " belongs below filter"));
    }
    if (filter && option == nullptr) return BadValue("filter has no option \"" + key + "\"");
    if (auto added = AddOption(key, entry.second, sink); !added) return added;
  }
  return {};
}

Result<SinkSettings> ReadSink(const YAML::Node& node, SinkText& sink, const SinkDefaults& defaults) {
  if (!node.IsMap()) return BadValue("is no mapping with name and url");
  if (auto added = AddBelow(node, false, sink); !added) return Fail(added.error());
  if (sink.name.empty()) return BadValue("has no name; give it one, under which its position is kept");
  if (sink.url.empty()) return BadValue("has no url; write for example url: http://fluent-bit.logging:9880/events");
  return MakeSinkSettings(sink.url, sink.options, defaults);
}

Result<std::vector<SinkSettings>> ReadSinks(const YAML::Node& list, const SinkDefaults& defaults) {
  if (!list.IsSequence()) return BadValue("sinks is no list");
  std::vector<SinkSettings> sinks;
  for (std::size_t i = 0; i < list.size(); ++i) {
    SinkText text;
    auto sink = ReadSink(list[i], text, defaults);
    if (!sink) {
      const std::string name = text.name.empty() ? std::to_string(i + 1) : "\"" + Shortened(text.name, 80) + "\"";
      return BadValue("sink " + name + " (line " + std::to_string(list[i].Mark().line + 1) +
                      "): " + sink.error().message);
    }
    sinks.push_back(std::move(*sink));
  }
  return sinks;
}

// The one that is not empty.
Result<YAML::Node> OnlyDocument(const std::vector<YAML::Node>& documents) {
  YAML::Node only;
  for (const YAML::Node& document : documents) {
    if (document.IsNull()) continue;
    if (!only.IsNull()) {
      return BadValue("there are several documents, another one at line " + std::to_string(document.Mark().line + 1) +
                      "; write all sinks into one, without ---");
    }
    only.reset(document);
  }
  return only;
}

Result<std::vector<SinkSettings>> ReadFile(const YAML::Node& root, const SinkDefaults& defaults) {
  if (!root.IsMap() || !root["sinks"]) {
    return BadValue("there is no list of sinks; write sinks: and below it - name: ...");
  }
  int lists = 0;
  for (const auto& entry : root) {
    const std::string key = KeyOf(entry.first);
    if (key != "sinks") return BadValue("\"" + key + "\" is unknown; the file has nothing but sinks");
    if (lists++ > 0) {
      return BadValue("sinks is there twice, again in line " + std::to_string(entry.first.Mark().line + 1) +
                      "; write all sinks below one of them");
    }
  }
  auto sinks = ReadSinks(root["sinks"], defaults);
  if (!sinks) return sinks;
  if (auto distinct = CheckDistinctSinks(*sinks); !distinct) return Fail(distinct.error());
  return sinks;
}

}  // namespace

Result<std::vector<SinkSettings>> ParseForwardConfig(std::string_view yaml, std::string_view where,
                                                     const SinkDefaults& defaults) {
  const std::string start = std::string(where) + ": ";
  try {
    const auto root = OnlyDocument(YAML::LoadAll(std::string(yaml)));
    if (!root) return BadValue(start + root.error().message);
    auto sinks = ReadFile(*root, defaults);
    if (!sinks) return BadValue(start + Shortened(sinks.error().message, kMaxMessage));
    return sinks;
  } catch (const YAML::Exception& e) {
    return BadValue(start + "not valid YAML at line " + std::to_string(e.mark.line + 1) + ": " +
                    Shortened(e.msg, kMaxMessage));
  }
}

}  // namespace kube_events
