#include "start_warnings.h"

#include <algorithm>
#include <string_view>

#include "kube_events/base/text.h"

namespace kube_events {
namespace {

constexpr std::string_view kPrefix = "KUBE_EVENTS_EXPORTER_";

// Those of a Service of our name, which a kubelet sets: …_SERVICE_HOST, …_PORT_8080_TCP.
bool IsOfAService(std::string_view name) {
  return name.find("_SERVICE_") != std::string_view::npos || name.find("_PORT_") != std::string_view::npos;
}

bool IsOurs(std::string_view name) {
  const auto flags = ExporterFlags();
  return std::any_of(flags.begin(), flags.end(), [&](const auto& flag) { return EnvironmentName(flag) == name; });
}

}  // namespace

std::vector<std::string> StartWarnings(const ExporterOptions& options, const std::vector<std::string>& environment) {
  std::vector<std::string> warnings;
  for (const std::string& entry : options.event_types) {
    std::string_view type = Trimmed(entry);
    if (type.starts_with('!')) type = Trimmed(type.substr(1));
    if (type == "Normal" || type == "Warning") continue;
    warnings.push_back("--event-types: \"" + std::string(type) +
                       "\" matches no Event of Kubernetes, whose types are Normal and Warning, written like this");
  }
  for (const std::string& variable : environment) {
    std::string_view rest = variable;
    const std::string name(TakeUntil(rest, '='));
    if (!name.starts_with(kPrefix) || IsOurs(name) || IsOfAService(name)) continue;
    warnings.push_back("the variable " + name +
                       " is none of this program; kube-events-exporter --help lists the flags");
  }
  return warnings;
}

}  // namespace kube_events
