// --forward: the options of a sink as the query of its URL.
#include <algorithm>
#include <cstddef>
#include <utility>

#include "forward/sink_address.h"
#include "forward/sink_options.h"
#include "kube_events/base/flag_values.h"
#include "kube_events/base/text.h"
#include "kube_events/forward/sink_settings.h"

namespace kube_events {
namespace {

using flag_values::BadValue;

constexpr std::size_t kMaxMessage = 2000;

Result<GivenOption> ReadParameter(std::string_view text) {
  const std::size_t equals = std::min(text.find('='), text.size());
  const auto name = PercentDecoded(text.substr(0, equals));
  if (!name || name->empty()) return BadValue("an option has no name; write NAME=VALUE, and & between options");
  if (equals == text.size()) {
    return BadValue("option " + Shortened(*name, 60) + " has no value; write " + Shortened(*name, 60) + "=VALUE");
  }
  auto value = PercentDecoded(text.substr(equals + 1));
  if (!value) {
    return BadValue("option " + Shortened(*name, 60) + " has a % without two hexadecimal digits; write %25 for a %");
  }
  return GivenOption{*name, {std::move(*value)}};
}

// Repeated ones become one with several values.
Result<std::vector<GivenOption>> ReadParameters(std::string_view query) {
  std::vector<GivenOption> options;
  while (!query.empty()) {
    auto option = ReadParameter(TakeUntil(query, '&'));
    if (!option) return Fail(option.error());
    const auto same = std::find_if(options.begin(), options.end(),
                                   [&](const GivenOption& other) { return other.name == option->name; });
    if (same == options.end()) {
      options.push_back(std::move(*option));
    } else {
      same->values.push_back(std::move(option->values.front()));
    }
  }
  return options;
}

// The option name, where that is a name, else what may be shown of the URL.
std::string NameFor(std::string_view address, const Result<std::vector<GivenOption>>& options) {
  if (options) {
    for (const GivenOption& option : *options) {
      SinkSettings settings;
      if (option.name == "name" && FindSinkOption("name")->apply(settings, option.values)) return settings.id;
    }
  }
  return ShownAddress(address);
}

}  // namespace

Result<SinkSettings> ParseSinkUrl(std::string_view url, const SinkDefaults& defaults) {
  if (const auto checked = CheckNoUser(url); !checked) return Fail(checked.error());
  const std::size_t question = std::min(url.find('?'), url.size());
  const std::string_view address = url.substr(0, question);
  const auto options = ReadParameters(url.substr(std::min(question + 1, url.size())));
  const std::string name = "sink \"" + NameFor(address, options) + "\": ";
  if (url.find('#') != url.npos) return BadValue(name + "the URL has a #; write %23 where it belongs to a value");
  if (!options) return BadValue(name + options.error().message);
  auto settings = MakeSinkSettings(address, *options, defaults);
  if (!settings) return BadValue(name + Shortened(settings.error().message, kMaxMessage));
  return settings;
}

}  // namespace kube_events
