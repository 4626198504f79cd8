// What this build is. Set by the build system; constant data, any thread.
#pragma once

#include <string_view>

namespace kube_events {

struct BuildInfo {
  std::string_view version;   // "0.1.0"
  std::string_view revision;  // of the source, or "unknown"
  std::string_view compiler;
};

BuildInfo ThisBuild();

}  // namespace kube_events
