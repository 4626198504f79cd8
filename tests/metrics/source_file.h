// Files of the source tree that tests compare with.
#pragma once

#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>

namespace kube_events {

// The content of a file, by its path below the project's root. Throws where it cannot be read.
inline std::string ReadSourceFile(const std::string& path) {
  const std::ifstream file(std::string(KUBE_EVENTS_SOURCE_DIR) + "/" + path);
  if (!file) throw std::runtime_error("cannot read " + path);
  std::ostringstream content;
  content << file.rdbuf();
  return content.str();
}

}  // namespace kube_events
