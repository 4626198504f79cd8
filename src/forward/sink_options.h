// The one table of what can be said of a sink, as a query parameter of a --forward URL or a key of the file of
// --forward-config. Private to the forward library. Constant data and pure functions, any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kube_events/base/result.h"
#include "kube_events/forward/sink_settings.h"

namespace kube_events {

// How the URL of a sink begins; several as a set.
enum SinkScheme : unsigned {
  kStdoutScheme = 1,
  kFileScheme = 2,
  kHttpScheme = 4,
  kHttpsScheme = 8,
  kForwardScheme = 16,
  kForwardTlsScheme = 32,
  kAllSchemes = 63,
};
// "https, forward+tls"; "all" for all of them.
std::string SchemesText(unsigned schemes);

struct SinkOption {
  std::string_view name;           // "batch-records"
  std::string_view value;          // "N"
  std::string_view default_value;  // as a user would write it, or a description; empty: none
  unsigned schemes;                // those of the sinks that have it
  bool repeatable;                 // a list: it may come more than once
  bool filter;                     // chooses Events: it stands below `filter` in the file
  // Applies the values given, one or more. Fails with kConfiguration and a text that does not name the option.
  Result<void> (*apply)(SinkSettings& settings, const std::vector<std::string>& values);
};

std::span<const SinkOption> SinkOptions();
// Null: there is none.
const SinkOption* FindSinkOption(std::string_view name);

struct GivenOption {
  std::string name;
  std::vector<std::string> values;  // one or more
};

// The settings that an address, without options, and the options given make, checked as a whole. Fails with
// kConfiguration and a text that does not name the sink.
Result<SinkSettings> MakeSinkSettings(std::string_view address, const std::vector<GivenOption>& given,
                                      const SinkDefaults& defaults);

}  // namespace kube_events
