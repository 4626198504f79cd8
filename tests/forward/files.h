// Reading and breaking files in tests. Functions without state.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace kube_events::testing {

// All of it; "" where there is no such file.
inline std::string ContentOf(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

inline void SetContent(const std::filesystem::path& path, const std::string& content) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << content;
}

}  // namespace kube_events::testing
