// What is allowed at start but hardly meant. Pure, any thread.
#pragma once

#include <string>
#include <vector>

#include "kube_events/app/exporter_options.h"

namespace kube_events {

// One line each, for the log: Event types that no Event has, and variables that look like ours and are not.
// `environment`: of the process, "NAME=value".
std::vector<std::string> StartWarnings(const ExporterOptions& options, const std::vector<std::string>& environment);

}  // namespace kube_events
