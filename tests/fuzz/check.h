// What fuzz targets share. A broken property ends the process, so that libFuzzer and the replay keep the input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace kube_events::fuzz {

inline void Check(bool holds, std::string_view property, std::string_view detail = {}) {
  if (holds) return;
  const std::string said = "the input breaks a property: " + std::string(property) + "\n" + std::string(detail) + "\n";
  std::fputs(said.c_str(), stderr);
  std::abort();
}

inline std::string_view Text(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// Takes small decisions and texts off the front of an input. What is missing is 0 or empty.
class Bytes {
 public:
  Bytes(const std::uint8_t* data, std::size_t size) : rest_(Text(data, size)) {}

  std::uint8_t Byte() {
    if (rest_.empty()) return 0;
    const auto byte = static_cast<std::uint8_t>(rest_.front());
    rest_.remove_prefix(1);
    return byte;
  }
  // 0 … bound - 1
  std::size_t Below(std::size_t bound) { return Byte() % bound; }
  // Up to the next `end` (which is taken too), or all that is left.
  std::string_view Until(char end) {
    const std::size_t at = rest_.find(end);
    const std::string_view text = rest_.substr(0, at);
    rest_.remove_prefix(at == std::string_view::npos ? rest_.size() : at + 1);
    return text;
  }
  std::string_view Rest() const { return rest_; }
  bool Empty() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

// A copy of a text with the padding behind it that the decoder asks for, at an address of its own, so that
// AddressSanitizer sees any byte read beyond it.
class Padded {
 public:
  Padded(std::string_view text, std::size_t padding) : size_(text.size()), bytes_(text) {
    bytes_.append(padding, '\0');
    bytes_.shrink_to_fit();
  }
  std::string_view View() const { return std::string_view(bytes_).substr(0, size_); }

 private:
  std::size_t size_;
  std::string bytes_;
};

}  // namespace kube_events::fuzz
